"""Which terms does a taxonomy hold? A user's own, what is found beneath a root, or the most useful words of a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperdive._types import Floats, Ints
from hyperdive.ask.question import Question, best, normal, source_of, vocabulary
from hyperdive.ask.ranking import EMPTY_WORDS, Ranking
from hyperdive.errors import InputError, OptionError
from hyperdive.patterns.store import Patterns
from hyperdive.scores.source import AnyModel, Source
from hyperdive.scores.terms import Terms, heads_of
from hyperdive.text.term_names import compound_parts, head_end, normal_term

MAX_TERMS = 10_000
_FRONTIER = 60
_REPEATED, _SELDOM = 2, 0.01
_ALIKE = 0.3
MIN_MODIFIER_CONFIDENCE = 0.73
"""From this confidence on that the modifiers are hyponym and hypernym, the phrases are taken to be."""
_PAIRS_A_BLOCK = 250_000


@dataclass(frozen=True)
class Nodes:
    """The terms of a taxonomy, in alphabetical order, so that the order of a file changes nothing.

    `terms` holds their vectors. `heads[i]` is the term that term i ends in ("domestic dog": "dog"), −1 without one.
    `endings[i]` is the single word that the last word of term i ends in ("astrodynamics": "dynamics"), −1 without one.
    `modified[i]` is the phrase that term i is a kind of by its modifier ("grape juice": "fruit juice"), −1 without one,
    and `modifier_confidence[i]` how sure that is.
    `added` marks heads that nobody asked for. `unknown` are terms without a vector or a head, `merged` pairs of
    (a term, the earlier term that is the same word, or the long form of an abbreviation). `abbreviated` are pairs of
    (another form that the text explains, a term): abbreviations of long forms, or the one long form of an abbreviation.
    """

    names: tuple[str, ...]
    terms: Terms
    heads: Ints
    endings: Ints
    modified: Ints
    modifier_confidence: Floats
    added: npt.NDArray[np.bool_]
    unknown: tuple[str, ...]
    merged: tuple[tuple[str, str], ...]
    abbreviated: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.names)


def _identities(source: Source, names: Sequence[str]) -> list[tuple[int, ...]]:
    """What each term is in the space: its row, or the rows of its parts; empty for one that is not in the space."""
    found = source.vocabulary.resolve(map(source.name_of, names))
    return [tuple(found.rows[a:b].tolist()) for a, b in zip(found.starts, found.starts[1:], strict=False)]


def collect(model: AnyModel, names: Iterable[str], *, heads: bool = True, keep: Iterable[str] = ()) -> Nodes:
    """Look terms up and find the heads of phrases; with `heads` those in the model's vocabulary are added.

    A phrase with an unknown word stays if its head is known. `keep` are terms that stay even when they are unknown.

    >>> from hyperdive import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> model = Model(VectorSpace(["animal", "dog", "pet"], np.eye(3), frequencies=[3, 2, 1], kind="dive"))
    >>> nodes = collect(model, ["pet dog", "animals", "Animal", "zebra", "zebra dog"])
    >>> nodes.names, nodes.heads.tolist(), nodes.added.tolist()
    (('animals', 'dog', 'pet dog', 'zebra dog'), [-1, -1, 1, 1], [False, True, False, False])
    >>> nodes.unknown, nodes.merged
    (('zebra',), (('animal', 'animals'),))
    """
    source = source_of(model)
    written: dict[str, str] = {}
    for term in names:
        written.setdefault(normal(term), " ".join(term.split()))
    asked = [name for name in written if name]
    kept = dict.fromkeys(normal(term) for term in keep)
    wanted = list(dict.fromkeys([*asked, *kept]))
    if not wanted:
        raise InputError("there are no terms", hint="name some: a file with --terms, a --root, or --top N")
    if len(wanted) > MAX_TERMS:
        raise OptionError(
            f"{len(wanted)} terms are too many: a taxonomy holds up to {MAX_TERMS}", hint="split the terms by subject"
        )
    owner: dict[tuple[int, ...], str] = {}
    chosen: dict[str, tuple[int, ...]] = {}
    long_forms = _long_forms(source, {name: written.get(name, name) for name in wanted})
    merged = [(name, stays) for name, stays in long_forms.items() if name not in kept]
    wanted = [name for name in wanted if name not in dict(merged)]
    spellings = [written.get(name, name) for name in wanted]
    for name, rows in zip(wanted, _identities(source, spellings), strict=True):
        own = len(rows) == 1  # of terms that are made of their parts, two may look the same
        if own and rows in owner and name not in kept:
            merged.append((name, owner[rows]))
            continue
        owner.setdefault(rows, name) if own else None
        chosen[name] = rows
    given = set(chosen)
    head: dict[str, str] = {}
    for name in sorted(chosen, key=lambda one: one.count(" ")):  # whether a head stays is settled before its phrases
        parts = heads_of([name])
        for part, rows in zip(parts, _identities(source, parts), strict=True):
            if rows == chosen[name] and len(rows) == 1:
                continue
            stays = part in kept or part in head or bool(chosen.get(part))
            if stays or (rows and rows in owner):
                head[name] = part if stays else owner[rows]
                break
            if heads and rows and part == parts[-1]:  # of a long phrase only the last word is added
                owner[rows], chosen[part] = part, rows
                head[name] = part
    roots = {name for name in chosen if " " not in name}
    splits = {name: compound_parts(name.rpartition(" ")[2], roots, source.main) for name in chosen if name not in head}
    endings = {name: split[1] for name, split in splits.items() if split is not None}
    placed = head.keys() | endings.keys() | kept.keys()
    unknown = tuple(name for name, rows in chosen.items() if not rows and name not in placed)
    for name in unknown:
        del chosen[name]
    ordered = sorted(chosen)
    number = {name: place for place, name in enumerate(ordered)}
    if len(ordered) > MAX_TERMS:
        raise OptionError(
            f"with the heads of phrases there are {len(ordered)} terms, a taxonomy holds up to {MAX_TERMS}",
            hint="add --no-heads, or split the terms by subject",
        )
    terms = Terms.named(source, [source.name_of(written.get(name, name)) for name in ordered])
    return Nodes(
        tuple(ordered),
        terms,
        np.array([number[head[name]] if name in head else -1 for name in ordered], dtype=np.int64),
        _alike(terms, np.array([number.get(endings.get(name, ""), -1) for name in ordered], dtype=np.int64)),
        *modifier_parents(source, ordered),
        np.array([name not in given for name in ordered], dtype=np.bool_),
        unknown,
        tuple(merged),
        tuple(_abbreviated(source, {name: written.get(name, name) for name in ordered})),
    )


def _long_forms(source: Source, spellings: Mapping[str, str]) -> dict[str, str]:
    """The abbreviations among some terms, each with its long form, where that is among them as well."""
    table = source.vocabulary.abbreviations
    named = {normal_term(spelling): name for name, spelling in spellings.items()} if len(table) else {}
    found: dict[str, str] = {}
    for name, spelling in spellings.items():
        forms = (named.get(one.long_name, name) for one in table.of(spelling) if table.is_short(one, spelling))
        long_form = next((form for form in forms if form != name), None)
        if long_form is not None:
            found[name] = long_form
    return {name: stays for name, stays in found.items() if stays not in found}


def _abbreviated(source: Source, spellings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Other forms of terms that are no terms of their own here."""
    table = source.vocabulary.abbreviations
    for name, spelling in spellings.items():
        entries = table.others(spelling)
        if len(entries) == 1 or not any(table.is_short(one, spelling) for one in entries):
            for one in entries:
                form = one.long if table.is_short(one, spelling) else one.short
                if normal(form) not in spellings:
                    yield form, name


def _alike(terms: Terms, endings: Ints) -> Ints:
    """The endings without those of another kind of word: a cornbread is like bread, a network is not like work."""
    words = np.flatnonzero((endings >= 0) & terms.found[: len(endings)])
    words = words[terms.found[endings[words]]]
    if len(words) and terms.skipgram is not None:
        cosines = terms.pairs(words, endings[words]).skipgram_cosine
        endings[words[cosines < _ALIKE]] = -1
    return endings


# ---- terms that the model chooses ---------------------------------------------------------------------------------


def beneath(model: AnyModel, root: str, by: Ranking, *, least: float, levels: int, top: int) -> list[str]:
    """The root and up to `top` terms beneath it, found level by level.

    First the words that are a kind of the root; then, for each level, the words that are a kind of one of those, if
    being a kind of the root is at least half as likely as asked. Of too many the surest are chosen, among them those
    that the text calls other things a kind of: they make the groups.
    """
    root = normal(root)
    question = Question(model, [root])
    space = source_of(model).main
    usual = ~question.named(EMPTY_WORDS) & ~question.same(0)
    plausible = by.plausible_hyponyms(question.downwards(0))
    sure = np.zeros(len(question.candidates))
    sure[plausible] = by(question.downwards(0, question.candidates[plausible]))
    order = _groups_first(model, sure, by)
    # what the root is rather a kind of ("species" for "animal") is not beneath it
    sure = np.where(usual & (sure > by(question.upwards(0))), sure, -np.inf)
    value = np.where(sure >= least, sure, -np.inf)
    frontier = best(np.where(value > -np.inf, order, -np.inf), _FRONTIER)
    likely = np.flatnonzero(sure >= least / 2)
    asked = set(frontier.tolist())
    for _ in range(levels - 1):
        if len(frontier) == 0 or len(likely) == 0:
            break
        q, p = np.repeat(likely, len(frontier)), np.tile(question.candidates[frontier], len(likely))
        own = by(vocabulary(model).pairs(question.candidates[q], p)).reshape(len(likely), len(frontier))
        own[question.candidates[likely][:, None] == question.candidates[frontier][None, :]] = -np.inf
        reached = own.max(axis=1)
        # a chain is as sure as its weakest link, and as its two ends together
        through = np.where(reached >= least, np.minimum(reached, np.maximum(sure[likely], least / 2)), -np.inf)
        value[likely] = np.maximum(value[likely], through)
        ranked = best(np.where(value > -np.inf, order, -np.inf), _FRONTIER * 4)
        frontier = np.array([one for one in ranked if one not in asked], dtype=np.int64)[:_FRONTIER]
        asked |= set(frontier.tolist())
    chosen = best(np.where(value > -np.inf, order, -np.inf), top)
    if len(chosen) == 0:
        raise InputError(
            f"nothing is a kind of {root!r} with at least {least:g} by {by.name}",
            hint="choose a broader root, or a smaller --min-confidence",
        )
    return [root, *(spelled(source_of(model), space.words[question.candidates[place]]) for place in chosen)]


def _groups_first(model: AnyModel, sure: npt.NDArray[np.float64], by: Ranking) -> npt.NDArray[np.float64]:
    """In which order words are chosen: ln(c/(1−c)) + ¼·ln(1 + n).

    c is the confidence, n how often the text calls something a kind of the word.
    """
    stated = vocabulary(model).stated
    if stated is None or not by.calibrated or len(stated.hypernym_totals) != len(sure):
        return sure
    known = np.clip(sure, 1e-4, 1 - 1e-4)
    return np.log(known / (1 - known)) + 0.25 * np.log1p(stated.hypernym_totals)


def useful(model: AnyModel, top: int) -> list[str]:
    """The words and terms a taxonomy of the whole model starts from.

    With patterns: terms that the text repeatedly calls one and the same kind of thing, and the things they are called,
    by ln(1 + n) + ln(1 + m): n statements of the term's most-stated hypernym, and m terms whose most-stated hypernym it
    is. That leaves out words that are a class of anything (outcome, cause). Without patterns: the most frequent words.
    Words that say nothing ("kind", "part") are left out.
    """
    space = source_of(model).main
    patterns = source_of(model).patterns
    if patterns is None:
        weight = np.asarray(space.frequencies, dtype=np.float64)
    else:
        weight = np.zeros(len(space.words))
        for term, value in zip(patterns.terms, _glossary_weights(patterns), strict=True):
            if value > 0 and term in space:
                weight[space.index(term)] = value
    for word in sorted(EMPTY_WORDS):
        for key in (word, f"{word}|n"):
            if key in space:
                weight[space.index(key)] = -np.inf
    nouns = np.array(["|" not in word or word.endswith("|n") for word in space.words], dtype=np.bool_)
    chosen = best(np.where(nouns & (weight > 0), weight, -np.inf), top)
    return [spelled(source_of(model), space.words[place]) for place in chosen]


def _glossary_weights(patterns: Patterns) -> npt.NDArray[np.float64]:
    """ln(1 + n) + ln(1 + m) of each term of the patterns; see `useful`.

    A single statement makes no hypernym, but it puts a term before those that no pattern names.
    """
    counts = patterns.counts
    size = len(patterns)
    empty = np.fromiter((term.partition("|")[0] in EMPTY_WORDS for term in patterns.terms), dtype=np.bool_, count=size)
    rows = np.repeat(np.arange(size), np.diff(counts.indptr))
    told = (counts.data >= _REPEATED) & ~empty[counts.indices] & ~empty[rows]
    rows, columns, values = rows[told], counts.indices[told], counts.data[told]
    order = np.lexsort((columns, -values, rows))
    first = order[np.concatenate([[True], rows[order][1:] != rows[order][:-1]])] if len(order) else order
    most = np.zeros(size)
    most[rows[first]] = values[first]
    members = np.bincount(columns[first], minlength=size)
    stated = np.where(empty, 0, patterns.hyponym_totals + patterns.hypernym_totals)
    return np.log1p(most) + np.log1p(members) + _SELDOM * np.log1p(stated)


def spelled(source: Source, name: str) -> str:
    """A word or term as a person writes it: a term in the spelling that the text prefers.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> spelled(Source(VectorSpace(["dog|n"], np.eye(1), frequencies=[1], kind="dive")), "dog|n")
    'dog'
    """
    if source.vocabulary.is_term(name):
        return source.vocabulary.spelling(name)
    return normal(name.partition("|")[0])


# ---- phrases with the same head whose modifiers are a kind of each other: grape juice is a fruit juice --------------


def modifier_parents(source: Source, names: Sequence[str]) -> tuple[Ints, Floats]:
    """For each phrase the phrase that it is a kind of by its modifier, −1 without one; and the confidence in it.

    Both phrases end in the same word. What stands before it must be a term of the model in both, a single word in the
    broader phrase, and the one a kind of the other: *grape* of *fruit*. Where several are, the surest is the parent.
    Without patterns there is no confidence, and no such parent.
    """
    parents, confidence = np.full(len(names), -1, dtype=np.int64), np.zeros(len(names))
    groups = modifiers_by_head(names)
    if source.patterns is None or source.skipgram is None or not groups:
        return parents, confidence
    modifiers = sorted({modifier for group in groups.values() for modifier in group})
    number = {modifier: place for place, modifier in enumerate(modifiers)}
    terms = Terms.named(source, [source.name_of(modifier) for modifier in modifiers])
    for group in groups.values():
        known = [modifier for modifier in group if terms.found[number[modifier]]]
        broad = [modifier for modifier in known if " " not in modifier]
        for narrow in _blocks(known, len(broad)):
            hyponyms = np.array([number[modifier] for modifier in narrow], dtype=np.int64)
            hypernyms = np.array([number[modifier] for modifier in broad], dtype=np.int64)
            sure = terms.confidence(np.repeat(hyponyms, len(broad)), np.tile(hypernyms, len(narrow)))
            sure = sure.reshape(len(narrow), len(broad))
            for row, column in np.argwhere(sure >= MIN_MODIFIER_CONFIDENCE).tolist():
                phrase, value = group[narrow[row]], sure[row, column]
                # "red grape juice" is beneath "grape juice" by its form already
                if not f" {narrow[row]}".endswith(f" {broad[column]}") and value > confidence[phrase]:
                    parents[phrase], confidence[phrase] = group[broad[column]], value
    return parents, confidence


def modifiers_by_head(names: Sequence[str]) -> dict[str, dict[str, int]]:
    """For each word that several phrases end in, what stands before it and the number of the phrase.

    >>> modifiers_by_head(["fruit juice", "juice", "red grape juice", "bird of prey", "hot dog"])
    {'juice': {'fruit': 0, 'red grape': 2}}
    """
    groups: dict[str, dict[str, int]] = defaultdict(dict)
    for place, name in enumerate(names):
        words = name.split(" ")
        if len(words) > 1 and head_end(words) == len(words):
            groups[words[-1]][" ".join(words[:-1])] = place
    return {head: group for head, group in groups.items() if len(group) > 1}


def _blocks(modifiers: list[str], columns: int) -> Iterator[list[str]]:
    rows = max(1, _PAIRS_A_BLOCK // max(columns, 1))
    for start in range(0, len(modifiers) if columns else 0, rows):
        yield modifiers[start : start + rows]
