"""What the paper says it found, checked against the figures of a run: holds, does not hold, or cannot be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hyperdive.benchmark.reproduce.figures import RunFigures
from hyperdive.benchmark.reproduce.measurement import COSTED, FIVE
from hyperdive.benchmark.reproduce.paper_table import PaperCell, PaperRow, PaperTable

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "cannot be told"
SBOW = ("sbow-freq", "sbow-ppmi", "sbow-ppmi-is", "sbow-ppmi-all")
BADLY = 3.0
"""Points of micro average that a variant must lose at least to be hurt badly."""
LITTLE = 3.0
"""Points that a variant may lose at most to be hurt only a little."""
SMALLER = 100.0
"""How many times fewer non-zeros than the best sparse space."""
NEAR = 1.0
"""Points within which the paper calls two figures alike."""
_LABELS = {
    "sbow-freq": "SBOW Freq",
    "sbow-ppmi": "SBOW PPMI",
    "sbow-ppmi-is": "SBOW PPMI w/ IS",
    "sbow-ppmi-all": "SBOW PPMI on all of the text",
    "dive": "DIVE",
    "dive-no-pmi": "DIVE w/o PMI",
    "dive-no-shift": "DIVE w/o IS",
    "kmeans": "K-means",
}


@dataclass(frozen=True)
class Claim:
    """One statement, whether it holds, and the figures that say so."""

    name: str
    statement: str
    verdict: str
    figures: str


Judge = Callable[[RunFigures], tuple[bool | None, str]]


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def _gap(run_figures: RunFigures, first: tuple[str, str], second: tuple[str, str]) -> tuple[float, str] | None:
    """A difference of micro averages in words: both figures, the difference and its 95 % interval."""
    apart = run_figures.gap(first, second)
    if apart is None:
        return None
    value, ci95 = apart
    within = "" if ci95 is None else f", 95 % {_signed(ci95[0])} to {_signed(ci95[1])}"
    first_value, second_value = run_figures.micro(*first), run_figures.micro(*second)
    return value, f"{first[1]} {first_value:.1f} against {second_value:.1f} ({_signed(value)}{within})"


def _variant(run_figures: RunFigures, name: str) -> list[tuple[float, str]] | None:
    gaps = [_gap(run_figures, ("dive", score), (name, score)) for score in ("ΔS", "C·ΔS", "W·ΔS")]
    known = [gap for gap in gaps if gap is not None]
    return known if len(known) == len(gaps) else None


def _shift(run_figures: RunFigures) -> tuple[bool | None, str]:
    gaps = _variant(run_figures, "dive-no-shift")
    if gaps is None:
        return None, ""
    return all(value >= BADLY for value, _ in gaps), "; ".join(text for _, text in gaps)


def _filter(run_figures: RunFigures) -> tuple[bool | None, str]:
    gaps = _variant(run_figures, "dive-no-pmi")
    if gaps is None:
        return None, ""
    combined = [value for value, _ in gaps[1:]]
    return all(0 < value <= LITTLE for value in combined), "; ".join(text for _, text in gaps)


def _combined(run_figures: RunFigures) -> tuple[bool | None, str]:
    scores = ("C·ΔS", "W·ΔS", "ΔS", "CDE")
    known = {score: value for score in scores if (value := run_figures.micro("dive", score)) is not None}
    if len(known) < len(scores):
        return None, ""
    holds = min(known["C·ΔS"], known["W·ΔS"]) > max(known["ΔS"], known["CDE"])
    return holds, ", ".join(f"{score} {value:.1f}" for score, value in known.items())


def _embeddings(run_figures: RunFigures) -> tuple[bool | None, str]:
    ours = run_figures.micro("dive", "C·ΔS")
    others = {
        "Gaussian + C": run_figures.micro("gaussian", "GE C"),
        "Gaussian + KL": run_figures.micro("gaussian", "KL"),
        "word2vec + C": run_figures.micro("word2vec", "C"),
        "our skip-gram + C": run_figures.micro("skipgram", "C"),
    }
    if others["word2vec + C"] is None and "word2vec-raw-only" in run_figures:
        del others["word2vec + C"]
        others["word2vec + C (raw words)"] = run_figures.micro("word2vec-raw-only", "C")
    known = {name: value for name, value in others.items() if value is not None}
    if ours is None or len(known) < len(others):
        return None, ""
    return ours >= max(known.values()), f"DIVE + C·ΔS {ours:.1f}; " + ", ".join(
        f"{n} {v:.1f}" for n, v in known.items()
    )


def _compression(run_figures: RunFigures) -> tuple[bool | None, str]:
    ours, theirs = run_figures.best(("dive",), FIVE), run_figures.best(SBOW, FIVE)
    if ours is None or theirs is None:
        return None, ""
    costs, cost = run_figures.cost(theirs[0]), run_figures.cost("dive")
    if costs is None or cost is None:
        return None, ""
    words = _ratio(run_figures.dimensions(theirs[0]) or 0.0, run_figures.dimensions("dive") or 0.0)
    bytes_ = _ratio(sum(costs["bytes"].values()), sum(cost["bytes"].values()))
    times = ", ".join(f"{score} {_ratio(costs['seconds'][score], cost['seconds'][score]):.0f}" for score in COSTED)
    text = (
        f"DIVE {ours[1]} {ours[2]:.1f}, {_LABELS[theirs[0]]} {theirs[1]} {theirs[2]:.1f}; a test word has {words:.0f} "
        f"times fewer non-zeros, the space takes {bytes_:.0f} times less memory; times faster to score: {times}"
    )
    return ours[2] >= theirs[2] - 1.0 and words >= SMALLER, text


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _directions(run_figures: RunFigures) -> tuple[bool | None, str]:
    lines = (("sbow-freq", "SLQS Sub"), ("sbow-freq", "ΔS"), ("sbow-ppmi", "ΔS"), ("dive", "ΔS"), ("dive", "Frequency"))
    known = {line: value for line in lines if (value := run_figures.direction(*line)) is not None}
    if len(known) < len(lines):
        return None, ""
    slqs = known["sbow-freq", "SLQS Sub"]
    text = ", ".join(
        f"{score} alone {value:.1f}" if score == "Frequency" else f"{_LABELS[name]} {score} {value:.1f}"
        for (name, score), value in known.items()
    )
    return min(known["sbow-freq", "ΔS"], known["dive", "ΔS"]) >= slqs, text


def _frequency(run_figures: RunFigures) -> tuple[bool | None, str]:
    gap = _gap(run_figures, ("dive", "W·ΔS"), ("dive", "Frequency"))
    gaps = [gap, _gap(run_figures, ("dive", "C·ΔS"), ("dive", "Frequency"))]
    known = [gap for gap in gaps if gap is not None]
    if len(known) < 2:
        return None, ""
    return all(value > 0 for value, _ in known), "; ".join(text for _, text in known)


def _best_average(run_figures: RunFigures) -> tuple[bool | None, str]:
    names = (*SBOW, "dive", "dive-no-pmi", "dive-no-shift", "kmeans")
    tops = [run_figures.best(names, FIVE, which) for which in ("micro4", "micro10")]
    if tops[0] is None or tops[1] is None or "kmeans" not in run_figures:
        return None, ""
    text = "; ".join(
        f"{len_} sets: {_LABELS[top[0]]} {top[1]} {top[2]:.1f}, "
        f"DIVE W·ΔS {run_figures.micro('dive', 'W·ΔS', which):.1f}"
        for len_, top, which in (("four", tops[0], "micro4"), ("ten", tops[1], "micro10"))
    )
    return all(top[:2] == ("dive", "W·ΔS") for top in tops if top), text


def _over_freq(run_figures: RunFigures) -> tuple[bool | None, str]:
    gaps = [_gap(run_figures, ("dive", score), ("sbow-freq", score)) for score in ("C·ΔS", "W·ΔS")]
    known = [gap for gap in gaps if gap is not None]
    return (None, "") if len(known) < 2 else (all(v > 0 for v, _ in known), "; ".join(t for _, t in known))


def _over_ppmi(run_figures: RunFigures) -> tuple[bool | None, str]:
    gap = _gap(run_figures, ("dive", "AL₁"), ("sbow-ppmi", "AL₁"))
    return (None, "") if gap is None else (gap[0] > 0, gap[1])


def _al1_fails(run_figures: RunFigures) -> tuple[bool | None, str]:
    value = run_figures.value("sbow-ppmi", "AL₁", "HyperLex")
    ours = run_figures.value("dive", "AL₁", "HyperLex")
    if value is None or ours is None:
        return None, ""
    return value < 5.0 and ours > value, f"ρ {_signed(value)} on SBOW PPMI, {_signed(ours)} on DIVE"


def _shifted_ppmi(run_figures: RunFigures) -> tuple[bool | None, str]:
    gaps = [_gap(run_figures, ("sbow-ppmi", score), ("sbow-ppmi-is", score)) for score in ("CDE", "W·ΔS", "C·ΔS")]
    known = [gap for gap in gaps if gap is not None]
    # in the paper's own table CDE gains by the shift, so that it can only mean the other two
    return (None, "") if len(known) < 3 else (all(v > 0 for v, _ in known[1:]), "; ".join(t for _, t in known))


def _pubmed(run_figures: RunFigures) -> tuple[bool | None, str]:
    pairs = {
        score: (run_figures.value("dive", score, "Medical"), run_figures.value("dive-pubmed", score, "Medical"))
        for score in FIVE
    }
    known = {score: b - a for score, (a, b) in pairs.items() if a is not None and b is not None}
    if len(known) < len(FIVE):
        return None, ""
    near = sum(abs(value) <= NEAR for value in known.values())
    text = ", ".join(f"{score} {_signed(value)}" for score, value in known.items())
    return near > len(known) / 2, f"PubMed minus wiki, DIVE on Medical: {text}"


CLAIMS: tuple[tuple[str, str, Judge], ...] = (
    ("shift", f"Removing the inclusion shift hurts badly (by {BADLY:.0f} points or more)", _shift),
    ("filter", f"Removing the PMI filter hurts a little (C·ΔS and W·ΔS, by {LITTLE:.0f} points at most)", _filter),
    ("combined", "C·ΔS and W·ΔS beat ΔS and CDE on average", _combined),
    ("embeddings", "DIVE beats Gaussian embedding and word2vec + C on average", _embeddings),
    ("compression", "DIVE is within a point of the best SBOW average with about 1/100 of the non-zeros", _compression),
    ("direction", "ΔS tells the direction at least as well as SLQS Sub", _directions),
    ("best", "W·ΔS on DIVE is the best average on four and on ten datasets", _best_average),
    ("over-freq", "C·ΔS and W·ΔS on DIVE beat the same scores on SBOW Freq", _over_freq),
    ("over-ppmi", "AL₁ on DIVE beats AL₁ on SBOW PPMI", _over_ppmi),
    ("al1", "AL₁ fails on HyperLex with SBOW PPMI", _al1_fails),
    ("shifted-ppmi", "The inclusion shift hurts W·ΔS and C·ΔS on SBOW PPMI", _shifted_ppmi),
    ("pubmed", "Most scores on Medical change by about a point at most when trained on PubMed", _pubmed),
    ("frequency", "Not in the paper: DIVE's C·ΔS and W·ΔS beat frequency alone", _frequency),
)


def check(run_figures: RunFigures) -> list[Claim]:
    """All claims in order.

    >>> averages = {"C·ΔS": 33.8, "W·ΔS": 34.3, "ΔS": 32.6, "CDE": 30.7}
    >>> claim = check(RunFigures({"dive": {"micro10": averages}}))[2]
    >>> claim.verdict, claim.figures
    ('holds', 'C·ΔS 33.8, W·ΔS 34.3, ΔS 32.6, CDE 30.7')
    """
    claims = []
    for name, statement, judge in CLAIMS:
        verdict, figures = judge(run_figures)
        said = UNKNOWN if verdict is None else HOLDS if verdict else FAILS
        claims.append(Claim(name, statement, said, figures or "a stage it needs was not run"))
    return claims


def claims_table(claims: list[Claim]) -> PaperTable:
    """The claims as a table."""
    body = tuple(
        PaperRow((claim.statement,), (PaperCell(text=claim.verdict), PaperCell(text=claim.figures))) for claim in claims
    )
    notes = ("Micro averages over ten datasets unless said otherwise; intervals by resampling the pairs.",)
    return PaperTable("claims", "Claims of the paper, checked", ("claim",), ("verdict", "figures"), body, notes)
