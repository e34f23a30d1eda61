"""Word classes for noun phrases: a small lexicon of English forms, used without a tagger.

Words of closed classes are listed here. Verbs, adjectives and adverbs that are frequent in running text come from
`lexicon.txt`, a list of word classes made by tagging Wikipedia; everything else is a noun, or told by its ending.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from hyperdive.kernels import pattern_codes as k
from hyperdive.kernels import terms as roles
from hyperdive.kernels.forms import hash_forms
from hyperdive.kernels.pattern_items import classify_by_ending
from hyperdive.text.forms import FormTable

LANGUAGES = ("en",)
"""The languages whose statements can be read."""

_CLOSED: dict[int, str] = {
    k.A: "a an another",
    k.THE: "the this these those",
    k.QUANT: (
        "many some several various all most numerous any each every both few certain different more two three four "
        "five six seven eight nine ten eleven twelve dozens hundreds thousands millions his her its their our my your "
        "whose such no other s own first second third"
    ),
    k.PREP: (
        "of in on at by for with from to into onto upon over under between among amongst through during against "
        "about above below across after before behind beneath beside besides beyond despite down inside near off "
        "out outside since throughout till toward towards until up via within without per than unlike like as "
        "including excluding concerning regarding except around along amid"
    ),
    k.PRON: (
        "he she it they we you i him them us me himself herself itself themselves one ones someone anyone everyone "
        "something anything everything nothing nobody somebody none there here others"
    ),
    k.CONJ: "and or",
    k.BE: "is was are were",
    k.REL: "which who whom that what",
    k.ADJ: "sports sales arms systems goods operations communications customs savings",
    k.ADV: "very rather quite fairly highly almost nearly still often usually now sometimes always",
    k.FUNC: (
        "but nor yet so because although though while whereas if unless whether when where why how not be been being "
        "am has have had having do does did will would can could may might must shall should also then thus hence "
        "therefore however namely especially particularly notably mainly mostly primarily chiefly principally "
        "specifically even just only too etc ie eg n adj adv vb vt vi"
    ),
}
_TRIGGERS: dict[int, str] = {
    k.SUCH: "such",
    k.AS: "as",
    k.INCLUDING: "including",
    k.INCLUDE: "include includes included",
    k.ESPECIALLY: "especially particularly notably mainly mostly primarily chiefly principally specifically",
    k.OTHER: "other",
    k.SIMILAR: "similar related",
    k.LIKE: "like",
    k.FOR: "for",
    k.EXAMPLE: "example instance examples instances",
    k.NAMELY: "namely",
    k.CALLED: "called named termed",
    k.KNOWN: "known",
    k.OF: "of",
    k.ONE: "one",
    k.UNWRAP: (
        "type types kind kinds form forms species genus breed breeds class classes member members variety varieties "
        "sort sorts subspecies genera family families subfamily order group groups category categories style styles "
        "brand piece strain strains cultivar cultivars subtype subtypes subclass subgenus variant version"
    ),
    k.MOST: "most",
    k.WHICH: "which who",
    # after these *is* and *are* state nothing: "dogs are not cats", "the patients were given drugs"
    k.NOT: (
        "not never no given fed offered shown taught asked told sent paid denied granted awarded assigned allocated "
        "prescribed administered allowed"
    ),
    k.CONSIDERED: "considered regarded classified defined described",
    k.TERM: "name term word names terms",
    # what opens a part of an article: "METHODS: The trial ..." explains no word
    k.LABEL: (
        "background objective objectives aim aims purpose method methods design setting settings results conclusion "
        "conclusions introduction interpretation finding findings context significance hypothesis limitations "
        "discussion summary note abstract participants patients interventions measurements outcomes trial registration"
    ),
    k.EMPTY: "part result way reason time lot bit fact case thing subject matter use",
}
_NOUN_MARKS = "n noun"
_IRREGULAR_PLURALS = (
    "people men women children mice geese feet teeth oxen lice cattle sheep fish deer aircraft species series "
    "bacteria fungi algae larvae phenomena criteria media data fauna flora genera nuclei stimuli vertebrae "
    "formulae antennae offspring poultry livestock police bacilli cocci staphylococci streptococci loci foci ganglia "
    "mitochondria protozoa ova taxa phyla strata cacti hyphae spermatozoa"
)
_SINGULAR_ICS = (
    "physics mathematics economics politics ethics statistics genetics linguistics electronics mechanics dynamics "
    "athletics gymnastics acoustics optics aesthetics obstetrics pediatrics paediatrics orthopedics robotics kinetics "
    "genomics proteomics metabolomics logistics phonetics semantics pragmatics thermodynamics aerodynamics "
    "hydrodynamics electrodynamics geophysics astrophysics biophysics metaphysics metallurgics informatics "
    "bioinformatics cybernetics ergonomics hydraulics pneumatics aerobics dietetics geriatrics civics classics "
    "numismatics philippics poetics rhetorics hermeneutics kinematics photonics avionics macroeconomics "
    "microeconomics econometrics biomechanics aeronautics astronautics eugenics epigenetics pharmacokinetics "
    "pharmacodynamics hemodynamics haemodynamics therapeutics prosthetics bioethics italics forensics ballistics "
    "diagnostics cytogenetics tectonics transcriptomics geopolitics"
)
_BE_MANY = "are were"
_BAR = ord("|")
_NOT_PLURAL = ("ss", "us", "is")
_ADJECTIVE_ENDINGS = ("ous", "ful", "less", "able", "ible")
_TAG_CLASSES = {"j": k.ADJ, "r": k.ADV, "v": k.VERB, "i": k.PREP, "p": k.PRON, "c": k.CONJ, "d": k.QUANT, "m": k.FUNC}
_FILE_CLASSES = {"noun": k.NOUN, "adjective": k.ADJ, "adverb": k.ADV, "verb": k.VERB, "participle": k.PART}


@cache
def _open_words() -> dict[str, int]:
    words: dict[str, int] = {}
    for line in files("hyperdive.patterns").joinpath("lexicon.txt").read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            name, _, listed = line.partition(":")
            words.update(dict.fromkeys(listed.split(), _FILE_CLASSES[name]))
    return words


def of_form(form: str) -> tuple[int, int, int]:
    """Class, trigger word and flags of a form; a tag after a bar decides where the lexicon leaves a choice.

    >>> of_form("poodles") == (k.NOUN, k.NONE, k.PLURAL), of_form("such")[1] == k.SUCH
    (True, True)
    >>> of_form("walk|n")[0] == k.NOUN, of_form("walk|v")[0] == k.VERB, of_form("the|d")[0] == k.THE
    (True, True, True)
    """
    lexicon = _entries()
    word, bar, tag = form.partition("|")
    entry = lexicon.get(word)
    if entry is None:
        entry = (_by_ending(word), k.NONE, _flags(word))
    if not bar or word in _closed():
        return entry
    kind = _TAG_CLASSES.get(tag, k.NOUN)
    if kind == k.VERB and word.endswith(("ed", "ing")):
        kind = k.PART
    return kind, entry[1], _flags(word) if kind == k.NOUN else entry[2] & ~k.PLURAL


def _by_ending(word: str) -> int:
    if word.endswith("ly") and len(word) > 4:
        return k.ADV
    if word.endswith(("ing", "ed")) and len(word) > 5:
        return k.PART
    return k.ADJ if word.endswith(_ADJECTIVE_ENDINGS) and len(word) > 5 else k.NOUN


@cache
def _closed() -> frozenset[str]:
    return frozenset(word for listed in _CLOSED.values() for word in listed.split())


def _flags(word: str) -> int:
    flags = 0
    if len(word) < 4 and word not in _irregular():
        return 0
    regular = len(word) > 3 and word.endswith("s") and not word.endswith(_NOT_PLURAL) and word not in _singular()
    if regular or word in _irregular():
        flags |= k.PLURAL
    if word.endswith("est") and len(word) > 4:
        flags |= k.SUPERLATIVE
    return flags


@cache
def _irregular() -> frozenset[str]:
    return frozenset(_IRREGULAR_PLURALS.split())


@cache
def _singular() -> frozenset[str]:
    return frozenset(_SINGULAR_ICS.split())


@cache
def _entries() -> dict[str, tuple[int, int, int]]:
    """Every word of the lexicon: class, trigger word, flags."""
    kinds = dict.fromkeys(_irregular() | _singular(), k.NOUN) | _open_words()
    for kind, listed in _CLOSED.items():
        kinds.update(dict.fromkeys(listed.split(), kind))
    triggers: dict[str, int] = {}
    for trigger, listed in _TRIGGERS.items():
        for word in listed.split():
            triggers.setdefault(word, trigger)
    for word in _NOUN_MARKS.split():
        triggers[word] = k.NOUN_MARK
    for word in ("example", "instance", "examples", "instances"):
        triggers[word] = k.EXAMPLE
    entries = {}
    for word in kinds.keys() | triggers.keys():
        kind = kinds.get(word, k.NOUN)
        trigger = triggers.get(word, k.NONE)
        flags = k.PLURAL if word in _BE_MANY.split() else _flags(word) if kind == k.NOUN else _flags(word) & ~k.PLURAL
        entries[word] = (kind, trigger, flags)
    return entries


@dataclass(frozen=True)
class Lexicon:
    """The entries as arrays that can be searched by the hash of a form."""

    hashes: npt.NDArray[np.uint64]
    kinds: npt.NDArray[np.uint8]
    triggers: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]


@cache
def lexicon() -> Lexicon:
    """The lexicon, sorted by hash."""
    entries = _entries()
    encoded = [word.encode("ascii") for word in entries]
    lengths = np.array([len(word) for word in encoded], dtype=np.int32)
    starts = (np.cumsum(lengths) - lengths).astype(np.int64)
    hashes = hash_forms(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts, lengths)
    order = np.argsort(hashes)
    columns = np.array(list(entries.values()), dtype=np.uint8)[order]
    return Lexicon(hashes[order], *(np.ascontiguousarray(columns[:, i]) for i in range(3)))


def classify(
    arena: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int32],
    hashes: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Class, trigger word and flags of every form of a block; number 0 stands for no form."""
    if len(arena) and _BAR in arena[starts[:1].sum() :][: int(lengths[:1].sum())]:  # tagged forms, all or none
        text = arena.tobytes()
        forms = [
            text[a : a + n].decode("utf-8", "replace") for a, n in zip(starts.tolist(), lengths.tolist(), strict=True)
        ]
        columns = np.array([(k.NOUN, k.NONE, 0), *map(of_form, forms)], dtype=np.uint8)
        return columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy()
    table = lexicon()
    kinds, triggers, flags = classify_by_ending(arena, starts, lengths)
    at = np.searchsorted(table.hashes, hashes)
    at[at == len(table.hashes)] = 0
    known = np.flatnonzero(table.hashes[at] == hashes)
    kinds[known + 1], triggers[known + 1] = table.kinds[at[known]], table.triggers[at[known]]
    flags[known + 1] = table.flags[at[known]]
    return kinds, triggers, flags


_ROLES = {k.NOUN: roles.NOUN, k.ADJ: roles.MODIFIER, k.PART: roles.MODIFIER, k.VERB: roles.VERB}
_LINKS = {"of": roles.LINK, "for": roles.WEAK_LINK, "in": roles.WEAK_LINK}
_AMOUNTS = "one two three four five six seven eight nine ten first second third"
# *hepatitis A*, *type I diabetes*: letters when written as capitals, else words or what is left of them
_WORDS_OF_ONE_LETTER = "aisdtm"


def term_roles(table: FormTable) -> npt.NDArray[np.uint8]:
    """The part each form can play in a noun phrase, as codes of `hyperdive.kernels.terms`.

    >>> table = FormTable()
    >>> _ = table.add(["dogs", "large", "of", "the", "b", "a"])
    >>> term_roles(table).tolist() == [0, roles.NOUN, roles.MODIFIER, roles.LINK, 0, roles.LETTER, roles.CAPITAL_LETTER]
    True
    """
    kinds, _, _ = classify(*table.arrays())
    role_of_class = np.zeros(256, dtype=np.uint8)
    for kind, role in _ROLES.items():
        role_of_class[kind] = role
    role_of = role_of_class[kinds]
    role_of[0] = roles.BREAK
    _, _, lengths, _ = table.arrays()
    short = np.flatnonzero(lengths <= max(map(len, _AMOUNTS.split()))) + 1
    special = _LINKS | dict.fromkeys(_AMOUNTS.split(), roles.AMOUNT)
    for form in short.tolist():
        word = table.word(form)
        if len(word) == 1:
            role_of[form] = roles.CAPITAL_LETTER if word in _WORDS_OF_ONE_LETTER else roles.LETTER
        elif word in special:
            role_of[form] = special[word]
    return role_of
