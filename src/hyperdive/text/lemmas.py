"""The key of a word form: its lower case or lemma, and whether it is a stop word."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperdive._lines import read_lines
from hyperdive._types import Array, Ints
from hyperdive.errors import OptionError
from hyperdive.options import EncodeOptions
from hyperdive.text.forms import FormTable, TableWords, bytes_of

# The content is that of the list the paper's authors released: ordinary function words, two words of their corpus's
# mark-up, and what a tokeniser leaves of contractions. `will`, `may`, `also` and `one` are deliberately not here.
_PRONOUNS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom this that these those
"""
_VERBS = """
am are be been being can cannot could did do does doing had has have having is let ought should was were would
"""
_LINKS = """
a about above after again against all an and any as at because before below between both but by down during each few
for from further here how if in into more most no nor not of off on once only or other out over own same so some such
than the then there through to too under until up very when where while why with
"""
_CONTRACTIONS = "aren couldn didn doesn don hadn hasn haven isn mustn shouldn wasn weren won wouldn"
_MARKUP = "disambiguation etc"

ENGLISH_STOPWORDS = frozenset(" ".join((_PRONOUNS, _VERBS, _LINKS, _CONTRACTIONS, _MARKUP)).split())
"""143 English stop words."""

STOPWORD_LANGUAGES = ("en",)


def load_stopwords(name: str) -> frozenset[str]:
    """The stop words called `english` or `none`, or those in a file, one a line.

    >>> "the" in load_stopwords("english"), len(load_stopwords("none"))
    (True, 0)
    """
    if name == "english":
        return ENGLISH_STOPWORDS
    if name == "none":
        return frozenset()
    lines = read_lines(name, "stop-word file", "use english, none, or a file with one word per line")
    return frozenset(line.strip().lower() for _, line in lines)


_JOINTS = str.maketrans("", "", "-'")


@lru_cache(maxsize=1)
def _dictionaries() -> Any:
    """The dictionaries, each read once."""
    from simplemma.strategies import DictionaryLookupStrategy

    return DictionaryLookupStrategy()


def lemmatiser(options: EncodeOptions) -> Callable[[str], str]:
    """A function from a lower-case form to its lemma.

    >>> lemmatiser(EncodeOptions())("poodles")
    'poodle'
    """
    if options.lemmas == "none":
        return lambda form: form
    from simplemma.strategies import DefaultStrategy, RulesStrategy
    from simplemma.strategies.dictionaries.dictionary_factory import DEFAULT_DICTIONARY_FACTORY, SUPPORTED_LANGUAGES

    if options.language not in SUPPORTED_LANGUAGES:
        raise OptionError(
            f"no lemmas for language {options.language!r} here",
            hint=f"add --set lemmas=none, or use one of {', '.join(sorted(SUPPORTED_LANGUAGES))}",
        )
    # the strategy behind simplemma.lemmatize, without its cache: each form is looked up once
    language, lemma_of = options.language, DefaultStrategy().get_lemma
    if language != "en":
        return lambda form: lemma_of(form, language) or form
    # its other steps only concern apostrophes and hyphens in English, and take most of the time
    entry, by_rule = DEFAULT_DICTIONARY_FACTORY.get_dictionary("en").get, RulesStrategy().get_lemma

    def looked_up(form: str) -> str:
        if "'" in form or "-" in form:
            return lemma_of(form, "en") or form
        # names have a capital in the dictionary
        found = entry(form) or entry(form.lower() if form[:1].isupper() else form.capitalize())
        return found or by_rule(form, "en") or form

    def english(form: str) -> str:
        lemma = looked_up(form)
        if lemma != form and looked_up(lemma) == form:
            return _singular(form, lemma)
        return lemma

    return english


@lru_cache(maxsize=8)
def dictionary(language: str) -> Callable[[str], bool]:
    """Whether a dictionary of the language has a lower-case word; no word where there is no dictionary.

    >>> dictionary("en")("mod"), dictionary("en")("mrna"), dictionary("tlh")("mod")
    (True, False, False)
    """
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    if language not in SUPPORTED_LANGUAGES:
        return lambda word: False
    lemma = _dictionaries().get_lemma
    return lambda word: lemma(word, language) is not None


def _singular(form: str, other: str) -> str:
    """Which of two words is the lemma when the dictionary has each as the lemma of the other (six English pairs).

    >>> _singular("bacteria", "bacterium"), _singular("erasure", "erasures")
    ('bacterium', 'erasure')
    """
    return min((form, other), key=lambda word: (word.endswith(("s", "a")), word))


@lru_cache(maxsize=8)
def lemma_of(language: str) -> Callable[[str], str]:
    """A function from a lower-case word to its lemma, by the rules of `encode`; answers are cached.

    >>> lemma_of("en")("poodles")
    'poodle'
    """
    return lru_cache(maxsize=200_000)(lemmatiser(EncodeOptions(language=language)))


def lower(form: str) -> str:
    """A form in lower case, without invisible characters, composed.

    >>> lower("École"), lower("co\u00adoperate")
    ('école', 'cooperate')
    """
    if form.isascii():
        return form.lower()
    # a full lower-casing can leave a combining dot (İ); the canonical form joins what belongs together
    return unicodedata.normalize("NFC", "".join(c for c in form if unicodedata.category(c) != "Cf").lower())


@dataclass
class FormKeys:
    """The key of each form: `of_form[form]` is a key number (form 0 has none)."""

    words: TableWords
    """The word of each key."""
    of_form: npt.NDArray[np.int64]
    stop: npt.NDArray[np.bool_]
    """Which keys are stop words."""


class BlockKeys(NamedTuple):
    """The keys of a block's forms: form f of the block has the number `of_form[f]` in `table`; 0 is no key."""

    of_form: npt.NDArray[np.uint32]
    table: FormTable


class FormResolver:
    """Maps forms to keys: all forms of a word share a key; a tag is not part of the word.

    >>> resolver = FormResolver(EncodeOptions())
    >>> resolver.add(["dogs", "dog", "the"])
    >>> list(resolver.keys().words), resolver.keys().of_form.tolist(), resolver.keys().stop.tolist()
    (['', 'dog', 'the'], [0, 1, 1, 2], [False, False, True])
    """

    def __init__(self, options: EncodeOptions) -> None:
        if options.stopwords == "english" and options.language not in STOPWORD_LANGUAGES:
            raise OptionError(
                f"no stop words for language {options.language!r} here",
                hint="give your own with --set stopwords=FILE, or --set stopwords=none",
            )
        self.language = options.language
        self.key = _key_function(
            replace(EncodeOptions(), **{name: getattr(options, name) for name in _KEY_OPTIONS}),
            load_stopwords(options.stopwords),
        )
        """From a form to its key, and whether that is a stop word."""
        self._keys = FormTable()
        self._of_form = array("I", [0])
        self._stops = bytearray(1)

    def add(self, forms: list[str]) -> None:
        """Resolve the next forms, in the order of their numbers."""
        pairs = list(map(self.key, forms))
        numbers = np.zeros(len(pairs), dtype=np.uint32)
        filled = [place for place, (key, _) in enumerate(pairs) if key]  # the empty key is number 0
        if filled:
            known = len(self._keys)
            numbers[filled] = self._keys.add([pairs[place][0] for place in filled])
            _, first = np.unique(numbers, return_index=True)
            self._stops += bytes(pairs[place][1] for place in first.tolist() if numbers[place] > known)
        self._of_form.frombytes(numbers.tobytes())

    def state(self) -> dict[str, Array]:
        """Return all keys and the key of each form, for the resolver of the whole text."""
        arena, _, lengths, hashes = self._keys.arrays()
        return {
            "key_arena": arena,
            "key_lengths": lengths,
            "key_hashes": hashes,
            "key_stops": np.frombuffer(bytes(self._stops), dtype=np.uint8),
            "key_of_form": np.frombuffer(self._of_form.tobytes(), dtype=np.uint32),
        }

    def add_state(self, arrays: Mapping[str, Array], new: Ints) -> npt.NDArray[np.uint32]:
        """Resolve forms as another resolver did; return the key of each of its forms.

        Args:
            arrays: the state of the other resolver.
            new: those of its forms that come next here, in the order of their numbers.
        """
        known = len(self._keys)
        numbers = self._keys.merge(*bytes_of(arrays, "key_"))
        self._stops += np.asarray(arrays["key_stops"])[1:][numbers > known].tobytes()
        of_form = np.append(np.uint32(0), numbers)[arrays["key_of_form"]]
        self._of_form.frombytes(of_form[new].tobytes())
        return of_form

    def are_stops(self, forms: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
        """Return which of these forms are stop words."""
        stops = np.frombuffer(bytes(self._stops), dtype=np.bool_)
        return stops[np.frombuffer(self._of_form.tobytes(), dtype=np.uint32)[forms]]

    def block_keys(self, forms: npt.NDArray[np.uint32]) -> BlockKeys:
        """The keys of a block's forms, which are given by their numbers in the whole text."""
        # the view is let go at once: while there is one, no form can be added
        of_form = np.frombuffer(self._of_form, dtype=np.uint32)[np.concatenate([[0], forms])]
        return BlockKeys(of_form, self._keys)

    def forget(self) -> None:
        """Let go of the keys that are remembered for forms that come again."""
        _key_function.cache_clear()
        self.key = self.key.__wrapped__  # type: ignore[attr-defined]

    def keys(self) -> FormKeys:
        """All keys and which form has which."""
        stop = np.frombuffer(bytes(self._stops), dtype=np.bool_).copy()
        of_form = np.frombuffer(self._of_form.tobytes(), dtype=np.uint32).astype(np.int64)
        return FormKeys(TableWords(self._keys, 0), of_form, stop)


_KEY_OPTIONS = ("language", "lemmas", "alphabet", "hyphens")


@lru_cache(maxsize=8)
def _key_function(options: EncodeOptions, stopwords: frozenset[str]) -> Callable[[str], tuple[str, bool]]:
    """A function from a form to its key and whether that is a stop word, which remembers frequent forms."""
    lemma_of = lemmatiser(options)

    def is_word(lemma: str) -> bool:
        """A lemma must pass the filter its form has passed."""
        if options.alphabet == "ascii" and not lemma.isascii():
            return False
        letters = lemma.translate(_JOINTS) if options.hyphens == "keep" else lemma
        return letters.isalpha() if letters.isascii() else all(unicodedata.category(c)[0] in "LM" for c in letters)

    def key(form: str) -> tuple[str, bool]:
        bar = tag = ""
        if "|" in form:
            form, bar, tag = form.partition("|")
        form = lower(form)
        if not form.isalpha() and any(unicodedata.category(c)[0] == "N" for c in form):
            return form, False  # a numeral, which only terms have
        lemma = lemma_of(form)
        if lemma != form:
            lemma = lemma.lower()
            if (lemma not in stopwords and form in stopwords) or not is_word(lemma):
                lemma = form
        return (f"{lemma}|{tag}" if bar else lemma), lemma in stopwords

    return lru_cache(maxsize=_REMEMBERED)(key)


_REMEMBERED = 1 << 17
