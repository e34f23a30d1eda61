"""Blind judgements of answers: draw queries, ask models, judge pairs without their confidence, and report.

    python tools/judge.py draw en-wiki wikipedia 9 > queries.tsv               # queries by kind and frequency
    python tools/judge.py sample queries.tsv key.tsv wikipedia=en-wiki biomedical=FOLDER
    python tools/judge.py sheet key.tsv sheet.tsv                              # shuffled, no confidence
    python tools/judge.py judge sheet.tsv docs/judgements/judgements.tsv       # y, n, a(bsurd), s(kip)
    python tools/judge.py report key.tsv --plot docs/pictures/reliability.svg

docs/explanation/judgements.md describes the protocol. Pairs that have a judgement are not put on a new sheet, so a
changed model needs judgements of its new answers only.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import itertools
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from hyperdive.benchmark.measures import Bin, expected_calibration_error
from hyperdive.kernels.pattern_codes import NOUN
from hyperdive.patterns.lexicon import of_form

if TYPE_CHECKING:
    from hyperdive import Model
    from hyperdive.taxonomy.taxonomy import Taxonomy

FOLDER = Path(__file__).parents[1] / "docs" / "judgements"
JUDGEMENTS, QUERIES = FOLDER / "judgements.tsv", FOLDER / "queries.tsv"
SEED = 15
FREQUENT, MIDDLE, RARE = 500, 50, 5
"""Occurrences from which a word is frequent, of middle frequency, rare; below, no question is drawn."""
FIRST, FIRST_JUDGED, SUREST, LOOKED_AT = 5, 12, 8, 100
"""Answers that are reported on; answers of every query that are judged; those of the highest confidence that are judged
wherever they stand among so many."""
STATED = 5
"""Most-stated hypernyms that are judged."""
TOP, EDGES, WEAK = 300, 100, 0.1
"""Terms of the taxonomy that a model chooses itself, how many of its edges are judged, and the least confidence of
those that make up the number where the taxonomy has fewer."""
BANDS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 0.995, 1.01)
ENOUGH = 5
"""Statements from which the most-stated hypernym should be among the first answers."""
VERDICTS = {"y": "right", "n": "wrong", "a": "absurd", "s": "skip"}
HALVES = ("calibration", "test")

Row = TypeVar("Row")


@dataclass(frozen=True)
class Query:
    """What is asked; `kind` and `band` say how it was drawn."""

    query: str
    corpus: str
    kind: str
    band: str


@dataclass(frozen=True)
class Answer:
    """One line of an answer key.

    `part` is "answer" (with its rank), "stated" (a most-stated hypernym, whatever its rank), "edge" (of the taxonomy
    of words that the model chose), "weak" (of the same with less likely edges) or "listed" (of a list of terms).
    """

    corpus: str
    model: str
    part: str
    narrow: str
    broad: str
    rank: int | None
    confidence: float | None
    statements: int


@dataclass(frozen=True)
class Line:
    """One line of a judging sheet."""

    narrow: str
    broad: str
    source: str


@dataclass(frozen=True)
class Judgement:
    """One judged pair; `source` is the corpora whose models gave it, `half` what it may be used for."""

    narrow: str
    broad: str
    verdict: str
    source: str
    half: str


# ---- files --------------------------------------------------------------------------------------------------------


def write_rows(stream: TextIO, rows: Iterable[object], *, header: bool = True) -> None:
    """Write data classes as tab-separated lines."""
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    for number, row in enumerate(rows):
        values = asdict(row)  # type: ignore[call-overload]
        if header and number == 0:
            writer.writerow(values)
        writer.writerow(_text(value) for value in values.values())


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def read_rows(path: Path, kind: type[Row]) -> list[Row]:
    """The data classes of a tab-separated file; numbers where the class has numbers."""
    types = {field.name: str(field.type) for field in fields(kind)}  # type: ignore[arg-type]
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [kind(**{name: _value(row[name], types[name]) for name in types}) for row in reader]


def _value(text: str, kind: str) -> str | int | float | None:
    if kind == "str":
        return text
    if not text:
        return None
    return float(text) if kind.startswith("float") else int(text)


def folded(term: str) -> str:
    """A term whatever its case and spaces."""
    return " ".join(term.lower().split())


def pair_of(row: Answer | Line | Judgement) -> tuple[str, str]:
    """The pair a row is about."""
    return folded(row.narrow), folded(row.broad)


def half_of(query: str) -> str:
    """The half a query belongs to: by its hash, so that all its answers, of every model, are in one half.

    >>> half_of("Dog") == half_of("dog"), sorted({half_of(str(number)) for number in range(20)})
    (True, ['calibration', 'test'])
    """
    return HALVES[hashlib.sha256(folded(query).encode()).digest()[0] % 2]


# ---- queries ------------------------------------------------------------------------------------------------------


def band_of(frequency: int) -> str | None:
    """The frequency band of a word; None when it is too rare to be asked.

    >>> [band_of(count) for count in (4, 5, 50, 500)]
    [None, 'rare', 'middle', 'frequent']
    """
    limits = ((FREQUENT, "frequent"), (MIDDLE, "middle"), (RARE, "rare"))
    return next((name for least, name in limits if frequency >= least), None)


def kind_of(spelling: str) -> str | None:
    """What a person would take a word for; None for verbs, adverbs, adjectives, and for what has other signs.

    >>> [kind_of(word) for word in ("hammer", "quickly", "human rights", "Los Angeles", "3rd")]
    ['word', None, 'term', 'name', None]
    """
    words = spelling.replace("-", " ").split()
    if not words or not all(word.isalpha() and word.isascii() for word in words) or len(spelling) < 3:
        return None
    if of_form(words[-1].lower())[0] != NOUN:
        return None
    if all(word[0].isupper() for word in words):
        return "name"
    return "term" if len(words) > 1 else "word"


def draw(words: Iterable[tuple[str, int]], each: int, seed: int = SEED) -> list[tuple[str, str, str]]:
    """Draw `each` words of every kind and band; (spelling, kind, band), in the order they were drawn.

    >>> draw([("hammer", 600), ("Los Angeles", 60), ("quickly", 900)], 5)
    [('hammer', 'word', 'frequent'), ('Los Angeles', 'name', 'middle')]
    """
    cells: dict[tuple[str, str], list[str]] = defaultdict(list)
    for spelling, frequency in words:
        kind, band = kind_of(spelling), band_of(frequency)
        if kind is not None and band is not None:
            cells[kind, band].append(spelling)
    source = random.Random(seed)
    drawn = []
    for (kind, band), spellings in cells.items():
        drawn += [(spelling, kind, band) for spelling in source.sample(spellings, min(each, len(spellings)))]
    return drawn


def spelled_words(model: Model) -> Iterator[tuple[str, int]]:
    """The words and terms of a model as the text spells them, with their frequencies."""
    from hyperdive.ask.question import source_of
    from hyperdive.taxonomy.terms import spelled

    source = source_of(model)
    for name, frequency in zip(source.main.words, source.main.frequencies, strict=True):
        yield spelled(source, name), int(frequency)


# ---- the answer key -----------------------------------------------------------------------------------------------


def judged_ranks(confidences: Sequence[float | None]) -> list[int]:
    """Which ranks of a query are judged: the first ones, and the surest of those after them.

    The surest are those that another order would show first.

    >>> judged_ranks([0.5] * 12 + [0.4, 0.9, 0.3] + [0.6] * 8)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 17, 18, 19, 20, 21, 22]
    """
    order = sorted(range(len(confidences)), key=lambda place: (-(confidences[place] or 0.0), place))
    places = {*range(min(FIRST_JUDGED, len(confidences))), *order[:SUREST]}
    return [place + 1 for place in sorted(places)]


def asked(model: Model, corpus: str, name: str, queries: Sequence[str]) -> Iterator[Answer]:
    """The answers of a model that are judged: of every query the chosen ranks and the most-stated hypernyms."""
    for query in queries:
        answers = model.hypernyms(query, top=LOOKED_AT)
        for rank in judged_ranks([answer.confidence for answer in answers]):
            row = answers[rank - 1]
            yield Answer(corpus, name, "answer", query, row.term, rank, row.confidence, row.statements)
        for hypernym, statements in most_stated(model, query):
            yield Answer(corpus, name, "stated", query, hypernym, None, None, statements)


def most_stated(model: Model, query: str, top: int = STATED) -> list[tuple[str, int]]:
    """The hypernyms that the text states most often for a query, of those that may be an answer."""
    from hyperdive.ask.question import are_known, source_of
    from hyperdive.ask.ranking import EMPTY_WORDS
    from hyperdive.taxonomy.terms import spelled

    source = source_of(model)
    if source.patterns is None:
        return []
    stated = source.patterns.stated_hypernyms(source.name_of(query), top=10 * top)
    usual = [(spelled(source, name), count) for name, count in stated if name not in EMPTY_WORDS]
    known = are_known(model, [name for name, _ in usual])
    return [pair for pair, is_known in zip(usual, known, strict=True) if is_known and pair[0] != query][:top]


def edges(model: Model, corpus: str, name: str, listed: Sequence[str], seed: int = SEED) -> Iterator[Answer]:
    """Edges of taxonomies: a sample of the model's own, filled up with less likely ones, and all of a list of terms."""

    def rows(part: str, tree: Taxonomy) -> list[Answer]:
        return [
            Answer(corpus, name, part, edge.child, edge.parent, None, edge.confidence, edge.statements)
            for edge in tree.edges
        ]

    source = random.Random(seed)
    own = rows("edge", model.taxonomy(top=TOP))
    shown = {pair_of(row) for row in own}
    weak = rows("weak", model.taxonomy(top=TOP, min_confidence=WEAK))
    weak = [row for row in weak if pair_of(row) not in shown]
    own = source.sample(own, min(EDGES, len(own)))
    yield from own
    yield from source.sample(weak, min(EDGES - len(own), len(weak)))
    if listed:
        yield from rows("listed", model.taxonomy(list(listed)))


# ---- the sheet ----------------------------------------------------------------------------------------------------


def sheet(key: Iterable[Answer], judged: Iterable[Judgement], seed: int = SEED) -> list[Line]:
    """The pairs of a key that have no judgement, each once, shuffled; nothing tells rank or confidence.

    >>> rows = [Answer("wikipedia", "m", "answer", "dog", broad, 1, 0.9, 3) for broad in ("animal", "pet", "Animal")]
    >>> sorted(line.broad for line in sheet(rows, [Judgement("dog", "pet", "right", "wikipedia", "test")]))
    ['animal']
    """
    seen = {pair_of(row) for row in judged}
    corpora: dict[tuple[str, str], set[str]] = defaultdict(set)
    shown: dict[tuple[str, str], Answer] = {}
    for row in key:
        if pair_of(row) not in seen:
            corpora[pair_of(row)].add(row.corpus)
            shown.setdefault(pair_of(row), row)
    lines = [Line(shown[pair].narrow, shown[pair].broad, "+".join(sorted(corpora[pair]))) for pair in sorted(shown)]
    random.Random(seed).shuffle(lines)
    return lines


def again(judged: Sequence[Judgement], count: int, seed: int = SEED) -> list[Line]:
    """A sample of judged pairs to judge a second time, without their verdicts."""
    drawn = random.Random(seed).sample(list(judged), min(count, len(judged)))
    return [Line(row.narrow, row.broad, row.source) for row in drawn]


def judge(lines: Sequence[Line], done: Iterable[Judgement], answers: Iterable[str]) -> Iterator[Judgement]:
    """Ask for the verdict of each line that has none; ends with the answers, to be resumed later.

    >>> dog = Line("dog", "animal", "wikipedia")
    >>> [row.verdict for row in judge([dog, Line("dog", "cat", "wikipedia")], [], iter("y?n"))]
    ['right', 'wrong']
    """
    seen = {pair_of(row) for row in done}
    waiting = [line for line in lines if pair_of(line) not in seen]
    replies = iter(answers)
    for number, line in enumerate(waiting, start=1):
        sys.stderr.write(f"{number}/{len(waiting)}  {line.narrow} → {line.broad}  ({line.source})  [y n a s] ")
        reply = next((text for text in map(str.strip, replies) if text in VERDICTS), None)
        if reply is None:
            return
        yield Judgement(line.narrow, line.broad, VERDICTS[reply], line.source, half_of(line.narrow))


# ---- the report ---------------------------------------------------------------------------------------------------

Verdicts = Mapping[tuple[str, str], str]


def verdicts_of(judged: Iterable[Judgement]) -> dict[tuple[str, str], str]:
    """The verdict of every pair that has one."""
    return {pair_of(row): row.verdict for row in judged if row.verdict != "skip"}


def banded(rows: Iterable[Answer], verdicts: Verdicts) -> list[tuple[float, float, Bin]]:
    """The confidence bands that have judged answers: from, to, and what is in them.

    >>> rows = [Answer("wikipedia", "m", "answer", "dog", "animal", 1, 0.95, 3)]
    >>> banded(rows, {("dog", "animal"): "right"})
    [(0.9, 0.97, Bin(pairs=1, confidence=0.95, true=1.0))]
    """
    judged = [(row.confidence, verdicts[pair_of(row)]) for row in rows if pair_of(row) in verdicts]
    bands = []
    for low, high in itertools.pairwise(BANDS):
        here = [(value, verdict == "right") for value, verdict in judged if value is not None and low <= value < high]
        if here:
            mean = sum(value for value, _ in here) / len(here)
            bands.append((low, high, Bin(len(here), mean, sum(right for _, right in here) / len(here))))
    return bands


@dataclass(frozen=True)
class Share:
    """How many of how many."""

    part: int
    whole: int

    def __str__(self) -> str:
        return f"{self.part / self.whole:.1%} of {self.whole}" if self.whole else "–"


def right(rows: Iterable[Answer], verdicts: Verdicts, verdict: str = "right") -> Share:
    """The share of the judged rows that have a verdict."""
    judged = [verdicts[pair_of(row)] for row in rows if pair_of(row) in verdicts]
    return Share(judged.count(verdict), len(judged))


def most_stated_shown(key: Sequence[Answer]) -> Share:
    """For how many queries a most-stated hypernym, of enough statements, is among the first answers.

    >>> shown = Answer("wikipedia", "m", "answer", "dog", "animal", 1, 0.9, 7)
    >>> stated = [Answer("wikipedia", "m", "stated", "dog", term, None, None, 7) for term in ("animal", "pet")]
    >>> most_stated_shown([shown, *stated]), most_stated_shown(stated)
    (Share(part=1, whole=1), Share(part=0, whole=1))
    """
    first = {pair_of(row) for row in key if row.part == "answer" and (row.rank or 0) <= FIRST}
    stated: dict[str, list[Answer]] = defaultdict(list)
    for row in key:
        if row.part == "stated" and row.statements >= ENOUGH:
            stated[folded(row.narrow)].append(row)
    hits = 0
    for rows in stated.values():
        most = max(row.statements for row in rows)
        hits += any(pair_of(row) in first for row in rows if row.statements == most)
    return Share(hits, len(stated))


def report(key: Sequence[Answer], verdicts: Verdicts) -> str:
    """Tables of one model on one half: confidence bands, statements, and the figures beneath."""
    answers = [row for row in key if row.part == "answer"]
    first = [row for row in answers if (row.rank or 0) <= FIRST]
    bands = banded(first, verdicts)
    shares = [band.true for *_, band in bands]
    lines = ["| confidence | answers | mean confidence | right |", "| --- | ---: | ---: | ---: |"]
    lines += [
        f"| {low:g}–{min(high, 1):g} | {band.pairs} | {band.confidence:.2f} | {band.true:.2f} |"
        for low, high, band in bands
    ]
    lines += ["", "| statements | answers | right |", "| --- | ---: | ---: |"]
    for low, high in ((0, 0), (1, 1), (2, 4), (5, None)):
        here = [row for row in first if low <= row.statements and (high is None or row.statements <= high)]
        share = right(here, verdicts)
        label = f"{low} and more" if high is None else f"{low}" if low == high else f"{low}–{high}"
        lines.append(f"| {label} | {share.whole} | {share.part / max(share.whole, 1):.2f} |")
    figures: dict[str, object] = {
        f"first {FIRST} answers that are judged": Share(right(first, verdicts).whole, len(first)),
        f"first {FIRST} answers right": right(first, verdicts),
        f"first {FIRST} answers absurd": right(first, verdicts, "absurd"),
        "calibration error, points": f"{100 * expected_calibration_error([band for *_, band in bands]):.1f}",
        "right rises from band to band": "yes" if shares == sorted(shares) else "no",
        "first answer right": right([row for row in first if row.rank == 1], verdicts),
        "answers of 0.9 and more right": right([row for row in first if (row.confidence or 0) >= 0.9], verdicts),
        f"most-stated hypernym (≥ {ENOUGH}) among the first {FIRST}": most_stated_shown(key),
    }
    for part, label in (
        ("edge", f"edges of --top {TOP}"),
        ("weak", "less likely edges"),
        ("listed", "edges of a list"),
    ):
        rows = [row for row in key if row.part == part]
        if rows:
            figures[f"{label} right"], figures[f"{label} absurd"] = (
                right(rows, verdicts),
                right(rows, verdicts, "absurd"),
            )
    lines += ["", "| | |", "| --- | ---: |", *(f"| {label} | {value} |" for label, value in figures.items())]
    return "\n".join(lines)


def by_kind(key: Sequence[Answer], verdicts: Verdicts, queries: Sequence[Query]) -> str:
    """The first answers of one model for each kind of query."""
    lines = [
        f"| queries | first answer right | first {FIRST} right | of 0.9 and more right |",
        "| --- | ---: | ---: | ---: |",
    ]
    first = [row for row in key if row.part == "answer" and (row.rank or 0) <= FIRST]
    for kind in dict.fromkeys(query.kind for query in queries):
        asked_for = {(folded(query.query), query.corpus) for query in queries if query.kind == kind}
        rows = [row for row in first if (folded(row.narrow), row.corpus) in asked_for]
        sure = [row for row in rows if (row.confidence or 0) >= 0.9]
        best = [row for row in rows if row.rank == 1]
        if rows:
            shares = " | ".join(str(right(part, verdicts)) for part in (best, rows, sure))
            lines.append(f"| {kind} | {shares} |")
    return "\n".join(lines)


def agreement(first: Iterable[Judgement], second: Iterable[Judgement]) -> tuple[Share, Share]:
    """Of the pairs judged twice: how many have the same verdict, and how many the same with wrong and absurd as one.

    >>> one, two = (Judgement("dog", "law", verdict, "wikipedia", "test") for verdict in ("wrong", "absurd"))
    >>> agreement([one], [two])
    (Share(part=0, whole=1), Share(part=1, whole=1))
    """
    before, after = verdicts_of(first), verdicts_of(second)
    both = before.keys() & after.keys()
    same = sum(before[pair] == after[pair] for pair in both)
    same_side = sum((before[pair] == "right") == (after[pair] == "right") for pair in both)
    return Share(same, len(both)), Share(same_side, len(both))


# ---- commands -----------------------------------------------------------------------------------------------------


def _draw(arguments: argparse.Namespace) -> None:
    from hyperdive import load

    drawn = draw(spelled_words(load(arguments.model)), arguments.each, arguments.seed)
    write_rows(sys.stdout, (Query(query, arguments.corpus, kind, band) for query, kind, band in drawn))


def _sample(arguments: argparse.Namespace) -> None:
    from hyperdive import load
    from hyperdive.ask.question import are_known

    queries = read_rows(arguments.queries, Query)
    rows: list[Answer] = []
    for text in arguments.models:
        corpus, _, folder = text.partition("=")
        model, name = load(folder), Path(folder).name
        wanted = [row.query for row in queries if row.corpus == corpus]
        known = are_known(model, wanted)
        rows += asked(model, corpus, name, [query for query, is_known in zip(wanted, known, strict=True) if is_known])
        listed = FOLDER / f"terms-{corpus}.txt"
        rows += edges(model, corpus, name, listed.read_text(encoding="utf-8").splitlines() if listed.exists() else ())
    with arguments.key.open("w", encoding="utf-8") as stream:
        write_rows(stream, rows)


def _sheet(arguments: argparse.Namespace) -> None:
    judged = read_rows(arguments.judgements, Judgement) if arguments.judgements.exists() else []
    if arguments.again:
        lines = again(judged, arguments.again)
    else:
        lines = sheet(read_rows(arguments.key, Answer), judged)
    with arguments.sheet.open("w", encoding="utf-8") as stream:
        write_rows(stream, lines)


def _judge(arguments: argparse.Namespace) -> None:
    place: Path = arguments.judgements
    done = read_rows(place, Judgement) if place.exists() else []
    with place.open("a", encoding="utf-8") as stream:
        for row in judge(read_rows(arguments.sheet, Line), done, sys.stdin):
            write_rows(stream, [row], header=stream.tell() == 0)
            stream.flush()


def _report(arguments: argparse.Namespace) -> None:
    key, judged = read_rows(arguments.key, Answer), read_rows(arguments.judgements, Judgement)
    verdicts, queries = verdicts_of(judged), read_rows(arguments.queries, Query)
    curves = []
    for model in dict.fromkeys(row.model for row in key):
        for half in HALVES:
            rows = [row for row in key if row.model == model and half_of(row.narrow) == half]
            sys.stdout.write(f"\n## {model}, {half} half\n\n{report(rows, verdicts)}\n")
            first = [row for row in rows if row.part == "answer" and (row.rank or 0) <= FIRST]
            curves.append((f"{model}, {half}", [band for *_, band in banded(first, verdicts)]))
        rows = [row for row in key if row.model == model]
        sys.stdout.write(f"\n## {model}, by kind of query, both halves\n\n{by_kind(rows, verdicts, queries)}\n")
    if arguments.second:
        same, same_side = agreement(judged, read_rows(arguments.second, Judgement))
        sys.stdout.write(f"\nJudged twice: the same verdict {same}; right or not, the same {same_side}.\n")
    if arguments.plot:
        plot_reliability(arguments.plot, curves)


def plot_reliability(path: Path, curves: Sequence[tuple[str, Sequence[Bin]]]) -> None:
    """Draw the share of right answers over the mean confidence; the dotted line is perfect calibration."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "hyperdive", "text.parse_math": False}):
        axes = (figure := Figure(figsize=(5, 5), layout="constrained")).add_subplot()
        axes.plot([0, 1], [0, 1], ":", color="grey")
        for name, bins in curves:
            places = [one.confidence for one in bins], [one.true for one in bins]
            (line,) = axes.plot(*places, label=name)
            axes.scatter(*places, s=[one.pairs for one in bins], color=line.get_color())
        axes.set(title="Judged answers: right over confidence", xlabel="confidence", ylabel="right", aspect="equal")
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None, "Creator": None} if path.suffix == ".svg" else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("draw", help="draw queries of a model, by kind and frequency")
    verb.add_argument("model")
    verb.add_argument("corpus")
    verb.add_argument("each", type=int, help="queries of each kind and band")
    verb.add_argument("--seed", type=int, default=SEED, help="another sample")
    verb.set_defaults(run=_draw)
    verb = verbs.add_parser("sample", help="ask models and write the answer key")
    verb.add_argument("queries", type=Path)
    verb.add_argument("key", type=Path)
    verb.add_argument("models", nargs="+", metavar="CORPUS=MODEL")
    verb.set_defaults(run=_sample)
    verb = verbs.add_parser("sheet", help="write the pairs of a key that have no judgement, shuffled")
    verb.add_argument("key", type=Path)
    verb.add_argument("sheet", type=Path)
    verb.add_argument("--judgements", type=Path, default=JUDGEMENTS)
    verb.add_argument("--again", type=int, default=0, help="instead, this many judged pairs, to judge them again")
    verb.set_defaults(run=_sheet)
    verb = verbs.add_parser("judge", help="judge a sheet; stop and start again at any time")
    verb.add_argument("sheet", type=Path)
    verb.add_argument("judgements", type=Path)
    verb.set_defaults(run=_judge)
    verb = verbs.add_parser("report", help="compare confidences with judgements")
    verb.add_argument("key", type=Path)
    verb.add_argument("--judgements", type=Path, default=JUDGEMENTS)
    verb.add_argument("--queries", type=Path, default=QUERIES)
    verb.add_argument("--second", type=Path, help="second judgements of some of the pairs")
    verb.add_argument("--plot", type=Path, help="write the reliability diagram (.svg)")
    verb.set_defaults(run=_report)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
