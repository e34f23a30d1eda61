"""How good are the answers to "what is a poodle?": rank the whole vocabulary for each hyponym of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._progress import SILENT, Progress
from hyperdive._types import Bools, Floats
from hyperdive.ask.hypernyms import ask
from hyperdive.ask.options import AnswerOptions
from hyperdive.ask.question import are_known
from hyperdive.ask.ranking import Ranking, ranking
from hyperdive.benchmark.datasets import Dataset, gold_lines
from hyperdive.benchmark.measures import expected_precision, per_cent, rank
from hyperdive.errors import InputError
from hyperdive.scores import Pairs, Terms, as_source, get
from hyperdive.scores.source import AnyModel


@dataclass(frozen=True)
class RankFigures:
    """Means over questions, each in [0, 1]."""

    map: float
    mrr: float
    p_at_5: float


@dataclass(frozen=True)
class Discovery(RankFigures):
    """Means over the `hyponyms` of a dataset that could be asked; `missing` is how many have no vector."""

    hyponyms: int
    missing: int


FREQUENT_WORDS = Ranking("most frequent words", lambda pairs: np.asarray(pairs.frequencies)[pairs.p], False)
FREQUENT_HYPERNYMS = Ranking("most frequent pattern hypernyms", get("Hypernym"), False)


def priors(model: AnyModel) -> list[Ranking]:
    """Return rankings that are the same for every hyponym, which any answer has to beat."""
    return [FREQUENT_WORDS] if as_source(model).patterns is None else [FREQUENT_WORDS, FREQUENT_HYPERNYMS]


def discover(
    model: AnyModel,
    dataset: Dataset,
    scores: Sequence[str | Callable[[Pairs], Floats]],
    *,
    never: Iterable[str] = (),
    sample: int = 0,
    seed: int = 0,
    pos: bool = False,
) -> list[Discovery]:
    """Return, for each score, MAP, MRR and P@5 of all words ranked as hypernyms of each hyponym of a dataset.

    Ties count by their expectation. A gold hypernym without a vector can never be found and stays in the
    denominator of AP; the hyponym itself is no candidate.

    Args:
        model: The model to ask.
        dataset: Its pairs with a positive label are the right answers.
        scores: What to rank by.
        never: Words that no score and no prior may answer with.
        sample: How many hyponyms to ask; 0 is all.
        seed: Seed of the sample.
        pos: Whether the words of the model carry their part of speech.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog", "car"], [[3, 1], [1, 0], [0, 2]], frequencies=[9, 5, 5], kind="dive")
    >>> dataset = Dataset.from_rows("x", [("dog", "animal", 1.0), ("car", "dog", 0.0)])
    >>> discover(space, dataset, ["C·ΔS"])
    [Discovery(map=1.0, mrr=1.0, p_at_5=0.2, hyponyms=1, missing=0)]
    """
    source = as_source(model)
    if dataset.graded or dataset.positives == 0:
        raise InputError(f"{dataset.name}: no positive pairs to discover", hint="choose a set with True labels")
    keys = dataset.space_keys(pos=pos)
    lookup = source.vocabulary.look_up(keys)
    asked = np.unique(dataset.q[dataset.labels])
    known = asked[lookup.found[asked]]
    missing = len(asked) - len(known)
    if sample and sample < len(known):
        known = np.sort(np.random.default_rng(seed).choice(known, sample, replace=False))
    if len(known) == 0:
        return [Discovery(0.0, 0.0, 0.0, 0, missing)] * len(scores)
    words = source.main.words
    # one word is its own row; only phrases need rows of their own, behind the vocabulary
    single, several = (np.flatnonzero(which) for which in (np.diff(lookup.starts) == 1, np.diff(lookup.starts) > 1))
    row_of = np.full(len(lookup.found), -1, dtype=np.int64)
    row_of[single] = lookup.rows[lookup.starts[:-1][single]]
    row_of[several] = len(words) + np.arange(len(several))
    phrases = [[words[row] for row in lookup.rows[lookup.starts[t] : lookup.starts[t + 1]]] for t in several]
    terms = Terms.every_and(source, phrases, lemmas=False) if phrases else Terms.every(source)
    excluded = np.zeros(len(words), dtype=np.bool_)
    excluded[[source.main.index(word) for word in never if word in source.main]] = True
    functions = [get(score) if isinstance(score, str) else score for score in scores]
    results = np.zeros((len(known), len(scores), 3))
    for number, term in enumerate(known.tolist()):
        candidates = np.flatnonzero(np.arange(len(words)) != row_of[term])
        pairs = terms.pairs(np.full(len(candidates), row_of[term]), candidates)
        gold = np.unique(dataset.p[(dataset.q == term) & dataset.labels])
        right = np.isin(candidates, row_of[gold])
        for column, function in enumerate(functions):
            values = np.array(function(pairs), dtype=np.float64)
            values[excluded[candidates]] = -np.inf
            results[number, column] = _measures(values, right, len(gold))
    return [
        Discovery(average, reciprocal, at_5, len(known), missing)
        for average, reciprocal, at_5 in results.mean(axis=0).tolist()
    ]


def _measures(values: Floats, right: Bools, total: int) -> tuple[float, float, float]:
    """AP, reciprocal rank and P@5 of one ranking."""
    ranking = rank(values)
    chance, precision = expected_precision(ranking, right)
    hit = ranking.block[right[ranking.order]]
    first = 0.0
    if len(hit):
        start, end = ranking.starts[hit[0]], ranking.starts[hit[0] + 1]
        # the best of s right answers among t tied ones stands, in the mean, at (t + 1)/(s + 1)
        first = 1.0 / (start + (end - start + 1) / (int((hit == hit[0]).sum()) + 1))
    return float((chance * precision).sum() / total), first, float(chance[:5].sum() / 5)


ANSWERS = 15


@dataclass(frozen=True)
class DiscoveryTask:
    """Questions with their right answers and the candidates for all of them."""

    name: str
    queries: tuple[str, ...]
    types: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    vocabulary: tuple[str, ...]


@dataclass(frozen=True)
class QuestionFigures(RankFigures):
    """Means over `questions`, of which those that are not `answered` count as 0; `scorer` is by the task's scorer."""

    scorer: RankFigures
    questions: int
    answered: int

    @property
    def coverage(self) -> float:
        """The share of questions that were answered."""
        return self.answered / self.questions if self.questions else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return plain numbers, figures in per cent."""
        return per_cent({**asdict(self), "coverage": self.coverage})


@dataclass(frozen=True)
class GoldReach:
    """How many right answers there are, and how many of them are candidates that the model knows.

    The others can never be given. `multiword` and `multiword_reachable` count those of several words.
    """

    answers: int
    reachable: int
    multiword: int
    multiword_reachable: int


@dataclass(frozen=True)
class DiscoveryResult:
    """A model on one discovery task, over all questions and by type, ranked by `score`."""

    name: str
    score: str
    all: QuestionFigures
    by_type: dict[str, QuestionFigures]
    gold: GoldReach
    candidates: int
    known_candidates: int

    def as_json(self) -> dict[str, Any]:
        """Return plain numbers, figures in per cent."""
        whole = asdict(self)
        types = {name: figures.as_json() for name, figures in self.by_type.items()}
        sizes = {name: whole[name] for name in ("gold", "candidates", "known_candidates")}
        return {"score": self.score, **self.all.as_json(), "types": types, **sizes}


def read_discovery(data: str | Path, gold: str | Path, vocabulary: str | Path) -> DiscoveryTask:
    """A discovery task from its three files; its name is that of the data file up to `.data`.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "pets.data.txt").write_text("Poodle\\tConcept\\n")
    >>> _ = (folder / "pets.gold.txt").write_text("dog\\tanimal\\n")
    >>> _ = (folder / "pets.vocabulary.txt").write_text("animal\\ndog\\nlaw\\n")
    >>> task = read_discovery(*(folder / f"pets.{part}.txt" for part in ("data", "gold", "vocabulary")))
    >>> task.queries, task.types, task.gold
    (('poodle',), ('concept',), (('dog', 'animal'),))
    """
    questions = [_fields(line) for line in gold_lines(data, "file of queries")]
    answers = [_fields(line) for line in gold_lines(gold, "file of gold hypernyms")]
    candidates = [_name(line) for line in gold_lines(vocabulary, "file of candidates")]
    for number, fields in enumerate(questions, 1):
        if len(fields) < 2:
            raise InputError(
                f"{data}: line {number} has no query and type", hint="each line is a query and its type, a tab between"
            )
    if len(questions) != len(answers):
        raise InputError(
            f"{data} has {len(questions)} lines and {gold} has {len(answers)}",
            hint="line i of the one must belong to line i of the other",
        )
    for number, fields in enumerate(answers, 1):
        if not fields:
            raise InputError(f"{gold}: line {number} is empty", hint="each line has the hypernyms of one query")
    return DiscoveryTask(
        Path(data).name.partition(".data")[0],
        tuple(fields[0] for fields in questions),
        tuple(fields[-1] for fields in questions),
        tuple(tuple(dict.fromkeys(fields)) for fields in answers),
        tuple(dict.fromkeys(name for name in candidates if name)),
    )


def _fields(line: str) -> list[str]:
    return [name for field in line.split("\t") if (name := _name(field))]


def _name(text: str) -> str:
    return " ".join(text.split())


def question_figures(
    hits: npt.NDArray[np.bool_], sizes: npt.NDArray[np.int64], answered: npt.NDArray[np.bool_]
) -> QuestionFigures:
    """MAP, MRR and P@5 over the first 15 answers, by the usual formulas and by those of the task's own scorer.

    With n right answers, AP is the sum of the precisions at the ranks with a hit, divided by min(n, 15), and P@5 the
    hits among the first five, divided by 5. The scorer reads no more than the first n answers: with h(k) the hits among
    the first min(k, n), its AP is the mean of h(k)/min(k, n) over k = 1 … 15, and its P@5 is h(5)/min(5, n).

    Args:
        hits: Whether answer j (of 15) to question i is right.
        sizes: How many right answers each question has.
        answered: Which questions have an answer at all.

    >>> hits = np.zeros((2, 15), dtype=bool)
    >>> hits[0, 1] = hits[1, 1] = True                     # the second answer is right; question 1 has one gold answer
    >>> figures = question_figures(hits, np.array([2, 1]), np.array([True, True]))
    >>> figures.map, figures.mrr, figures.p_at_5
    (0.375, 0.5, 0.2)
    >>> round(figures.scorer.map, 4), figures.scorer.mrr, figures.scorer.p_at_5
    (0.2333, 0.25, 0.25)
    """
    if len(hits) == 0:
        return QuestionFigures(0.0, 0.0, 0.0, RankFigures(0.0, 0.0, 0.0), 0, 0)
    ranks = np.arange(1, hits.shape[1] + 1)
    precision = hits.cumsum(axis=1) / ranks
    read = hits & (ranks <= sizes[:, None])
    recall = read.cumsum(axis=1) / np.minimum(ranks, sizes[:, None])
    return QuestionFigures(
        float(((hits * precision).sum(axis=1) / np.minimum(sizes, len(ranks))).mean()),
        _reciprocal_rank(hits),
        float(precision[:, 4].mean()),
        RankFigures(float(recall.mean()), _reciprocal_rank(read), float(recall[:, 4].mean())),
        len(hits),
        int(answered.sum()),
    )


def _reciprocal_rank(hits: npt.NDArray[np.bool_]) -> float:
    return float(np.where(hits.any(axis=1), 1.0 / (1 + hits.argmax(axis=1)), 0.0).mean())


def evaluate_discovery(
    model: AnyModel, task: DiscoveryTask, *, score: str | None = None, progress: Progress = SILENT
) -> DiscoveryResult:
    """Ask a model for the 15 best hypernyms of every query among the candidates, however unlikely they are.

    Args:
        model: The model to ask.
        task: Questions, right answers and candidates, from `read_discovery`.
        score: The score to rank by; without one, the order of `hypernyms`.
        progress: Where to show how far it is.

    >>> from hyperdive import Model
    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[3, 2, 1], [2, 1, 0], [1, 0, 0], [0, 0, 2]])
    >>> words = ["animal", "dog", "poodle", "law"]
    >>> model = Model(VectorSpace(words, matrix, frequencies=[9, 5, 1, 3], kind="dive"))
    >>> gold = (("dog", "animal"), ("canine",))
    >>> task = DiscoveryTask("pets", ("poodle", "hound"), ("concept", "concept"), gold, ("animal", "dog", "law"))
    >>> result = evaluate_discovery(model, task)
    >>> result.all.map, result.all.answered, result.gold.answers, result.gold.reachable
    (0.5, 1, 3, 2)
    """
    by = ranking(model, score)
    known = are_known(model, task.queries)
    hits = np.zeros((len(task.queries), ANSWERS), dtype=np.bool_)
    answered = np.zeros(len(task.queries), dtype=np.bool_)
    candidates = [name for name, found in zip(task.vocabulary, are_known(model, task.vocabulary), strict=True) if found]
    numbers = np.flatnonzero(known).tolist() if candidates else []
    if numbers:
        tables = ask(
            model,
            [task.queries[number] for number in numbers],
            AnswerOptions(
                top=ANSWERS,
                candidates=candidates,
                score=score,
                min_confidence=0.0 if by.calibrated else None,
            ),
            progress=progress,
        )
        for number, table in zip(numbers, tables, strict=True):
            right = set(task.gold[number])
            answered[number] = len(table) > 0
            hits[number, : len(table)] = [answer.term in right for answer in table]
    sizes = np.array([len(right) for right in task.gold], dtype=np.int64)
    types = np.array(task.types)
    by_type = {
        str(name): question_figures(hits[types == name], sizes[types == name], answered[types == name])
        for name in sorted(set(task.types))
    }
    given = set(candidates)
    every = [answer for right in task.gold for answer in right]
    several = [answer for answer in every if " " in answer]
    reach = (count for answers in (every, several) for count in (len(answers), sum(one in given for one in answers)))
    whole = question_figures(hits, sizes, answered)
    return DiscoveryResult(task.name, by.name, whole, by_type, GoldReach(*reach), len(task.vocabulary), len(candidates))
