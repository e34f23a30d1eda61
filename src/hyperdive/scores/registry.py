"""The table of scores: a name → a function of pairs, with aliases, options, and what each score needs of a space."""

from __future__ import annotations

import csv
import inspect
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hyperdive._plugins import find_plugins, load_plugin, plugin_error
from hyperdive._types import Floats
from hyperdive.errors import InputError, OptionError

if TYPE_CHECKING:
    from hyperdive.scores.pairs import Pairs

F = TypeVar("F", bound=Callable[..., Any])

FAMILIES = ("similarity", "generality", "inclusion", "combined", "pattern", "baseline")
NEEDS = {
    "skipgram": "a skip-gram space",
    "nonnegative": "non-negative vectors",
    "frequencies": "word frequencies",
    "gaussians": "a space of Gaussians (made with: hyperdive train --space gaussian)",
    "contexts": "co-occurrence counts of its context words (an SBOW space)",
    "patterns": "patterns (a model trained on a corpus that was read with them)",
    "confidence": "patterns and skip-gram vectors together (hyperdive train TEXT makes both)",
}


@dataclass(frozen=True)
class Score:
    """One scoring function; larger always means more likely that q is a kind of p."""

    name: str
    function: Callable[..., Floats] = field(repr=False)
    family: str
    formula: str
    range: str
    reference: str
    needs: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    chosen: dict[str, Any] = field(default_factory=dict)

    @property
    def symmetric(self) -> bool:
        """Whether the score of (q, p) is that of (p, q): a similarity has no direction."""
        return self.family == "similarity"

    @property
    def ascii(self) -> str:
        """The name as one types it on any keyboard.

        >>> get("C·ΔS").ascii, get("AL₁").ascii
        ('C*dS', 'AL1')
        """
        return unicodedata.normalize("NFKC", self.name).replace("·", "*").replace("Δ", "d")

    def missing(self, pairs: Pairs) -> list[str]:
        """What these pairs lack for this score, in words."""
        present = {
            "skipgram": pairs.skipgram is not None,
            "nonnegative": "nonnegative" not in self.needs or pairs.rows.nonnegative,
            "frequencies": pairs.frequencies is not None,
            "contexts": pairs.context_counts is not None,
            "gaussians": pairs.gaussians is not None,
            "patterns": "patterns" not in self.needs or pairs.patterns is not None,
            "confidence": "confidence" not in self.needs or pairs.terms.has_confidence,
        }
        return [NEEDS[need] for need in sorted(self.needs) if not present[need]]

    def __call__(self, pairs: Pairs) -> Floats:
        """The score of every pair; a score that is not a number is an error."""
        missing = self.missing(pairs)
        if missing:
            can = ", ".join(score.ascii for score in table() if not score.missing(pairs))
            raise InputError(f"score {self.name} needs {' and '.join(missing)}", hint=f"this space has: {can}")
        values = np.asarray(self.function(pairs, **self.chosen), dtype=np.float64)
        if values.shape != (len(pairs),):
            raise InputError(f"score {self.name} gave {values.shape} numbers for {len(pairs)} pairs")
        bad = int(np.isnan(values).sum())
        if bad:
            raise InputError(
                f"score {self.name} is not a number for {bad} of {len(pairs)} pairs",
                hint="check the vectors for inf or nan, or mend the score if it is your own",
            )
        return values


_TABLE: dict[str, Score] = {}
_ALIASES: dict[str, str] = {}
_OWN = (
    "hyperdive.scores.paper",
    "hyperdive.scores.other",
    "hyperdive.scores.stated",
    "hyperdive.scores.confidence",
)
"""Modules of our own scores, in the order in which tables show them."""
DEFAULT_SCORES = (
    *("C", "W", "ΔS", "ΔQ", "ΔE", "C·ΔS", "C·ΔQ", "C·ΔE", "W·ΔS", "W·ΔQ", "W·ΔE", "Weeds", "CDE", "invCL", "AL₁"),
    *("GE C", "KL", "Frequency", "Random", "confidence"),
)
"""The scores of the paper, its baselines, and the confidence: what commands print when no score is named."""
ABLATION = (
    *("confidence", "confidence:without=dive", "confidence:without=neighbours", "confidence:without=patterns"),
    *("Psvd", "Hypernym"),
)
"""What the parts of the confidence are worth: without each, the pattern SVD alone, and the hypernym prior alone."""
GROUPS: dict[str, tuple[str, ...] | None] = {"default": DEFAULT_SCORES, "all": None, "ablation": ABLATION}
"""Names that stand for several scores; None is the whole table."""

GROUP = "hyperdive.scores"
_loaded_plugins: set[str] = set()


def _fill() -> None:
    """Our own scores register themselves when their modules are imported; they take their names before a user's."""
    for module in _OWN:
        import_module(module)


def _fill_plugins() -> None:
    """Scores of other packages: an entry point of the group names a function that `register` has decorated.

    Looking for them reads every installed package's list, so that is done when a name is not ours or all are wanted.
    """
    _fill()
    for name, point in find_plugins(GROUP).items():
        if name not in _loaded_plugins:
            function = load_plugin(point, "score")
            if not any(score.function is function for score in _TABLE.values()):
                raise plugin_error(point, "score", "is no function that hyperdive.scores.register has decorated")
            _loaded_plugins.add(name)


def key_of(name: str) -> str:
    """The spelling that all aliases of a name share.

    >>> {key_of(name) for name in ("C·ΔE", "C*dE", "c.DeltaE", "C × ΔE")}, key_of("CDE")
    ({'c*de'}, 'cde')
    """
    text = unicodedata.normalize("NFKC", name).casefold().replace("δ", "d").replace("delta", "d")
    text = text.translate({ord(sign): "*" for sign in "·.×⋅∙"})
    return "".join(letter for letter in text if letter.isalnum() or letter in "*+@")


def register(
    name: str,
    *,
    family: str = "combined",
    formula: str = "",
    range: str = "any",
    reference: str = "",
    needs: Iterable[str] = (),
    aliases: Iterable[str] = (),
) -> Callable[[F], F]:
    """Add a score of your own to the table: a decorator for a function from `Pairs` to one number per pair.

    The keyword-only parameters of the function are the options of the score (`name:option=value` sets one).

    >>> from hyperdive.scores.pairs import Pairs
    >>> @register("double cosine", formula="2·C(q, p)", family="similarity")
    ... def double_cosine(pairs):
    ...     return 2 * pairs.cosine
    >>> get("double-cosine")(Pairs([[1.0], [1.0]], [0], [1])).tolist()
    [2.0]
    >>> unregister("double cosine")
    """
    if family not in FAMILIES:
        raise OptionError(f"{family!r} is not a family of scores", hint=f"use one of {', '.join(FAMILIES)}")
    unknown = sorted(set(needs) - set(NEEDS))
    if unknown:
        raise OptionError(f"a score cannot need {unknown}", hint=f"use some of {', '.join(NEEDS)}")
    keys = {key_of(text) for text in (name, *aliases)}

    def add(function: F) -> F:
        if function.__module__ not in _OWN:
            _fill()
        if "" in keys or any(key in _ALIASES for key in keys):
            raise OptionError(f"the score name {name!r} or an alias of it is empty or taken", hint="choose another")
        given = inspect.signature(function).parameters.values()
        options = {option.name: option.default for option in given if option.kind is option.KEYWORD_ONLY}
        _TABLE[name] = Score(
            name, function, family, formula, range, reference, frozenset(needs), tuple(aliases), options
        )
        _ALIASES.update(dict.fromkeys(keys, name))
        return function

    return add


@cache
def _descriptions() -> dict[str, dict[str, str]]:
    """Return the rows of `scores.tsv`, which describe the scores of this package, by name."""
    with Path(__file__).with_name("scores.tsv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


def own(name: str) -> Callable[[F], F]:
    """Add a score of this package to the table, as `scores.tsv` describes it."""
    row = _descriptions()[name]
    plain = {key: row[key] for key in ("family", "formula", "range", "reference")}
    aliases = row["aliases"].split("; ") if row["aliases"] else ()
    return register(name, **plain, needs=row["needs"].split(), aliases=aliases)


def unregister(name: str) -> None:
    """Take a score out of the table again."""
    score = get(name)
    del _TABLE[score.name]
    for key in [key for key, owner in _ALIASES.items() if owner == score.name]:
        del _ALIASES[key]


def table() -> tuple[Score, ...]:
    """Every score: those of the paper, further ones, those of patterns, the confidence, and a user's own."""
    _fill_plugins()
    place = {module: number for number, module in enumerate(_OWN)}
    return tuple(sorted(_TABLE.values(), key=lambda score: place.get(score.function.__module__, len(_OWN))))


def names() -> list[str]:
    """The names of all scores."""
    return [score.name for score in table()]


def get(name: str | Score) -> Score:
    """A score by any of its spellings; options follow a colon.

    >>> get("cds").name, get("two_norm").name, get("AL1:w0=20").chosen
    ('C·ΔS', 'ΔQ', {'w0': 20.0})
    >>> get("cosinus")
    Traceback (most recent call last):
    hyperdive.errors.OptionError: no score is called 'cosinus' (did you mean cosine? `hyperdive score --list` shows all)
    """
    if isinstance(name, Score):
        return name
    plain, colon, text = name.partition(":")
    found = _ALIASES.get(key_of(plain))  # the score of questions is there without the others
    if found is None:
        _fill_plugins()
        found = _ALIASES.get(key_of(plain))
    if found is None:
        import difflib

        near = difflib.get_close_matches(key_of(plain), list(_ALIASES), n=1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise OptionError(f"no score is called {plain!r}", hint=f"{guess}`hyperdive score --list` shows all")
    score = _TABLE[found]
    if not colon:
        return score
    chosen = dict(_option(score, piece) for piece in text.split(","))
    spelled = ",".join(f"{option}={value}" for option, value in chosen.items())
    return replace(score, name=f"{score.name}:{spelled}", aliases=(), chosen=chosen)


def _option(score: Score, piece: str) -> tuple[str, Any]:
    name, _, text = (part.strip() for part in piece.partition("="))
    known = ", ".join(f"{option}={value}" for option, value in score.options.items()) or "none"
    if name not in score.options:
        raise OptionError(f"score {score.name} has no option {name!r}", hint=f"its options: {known}")
    default = score.options[name]
    try:
        if isinstance(default, bool):
            return name, {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.lower()]
        value = type(default)(text)
    except (KeyError, ValueError):
        raise OptionError(f"score {score.name}: {name}={text!r} makes no sense", hint=f"its options: {known}") from None
    if isinstance(value, (int, float)) and not 0 <= value < float("inf"):
        raise OptionError(f"score {score.name}: {name} must be 0 or more", hint=f"its options: {known}")
    return name, value
