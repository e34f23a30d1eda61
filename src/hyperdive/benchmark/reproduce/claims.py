"""What the paper says it found, sentence by sentence: for its printed figures, its constants, and ours.

A sentence is tested as it stands, by the same rule for every row, so that a rule that is too hard shows in the row of
the printed figures. `verdicts` has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from hyperdive.benchmark.reproduce import verdicts
from hyperdive.benchmark.reproduce.figures import RunFigures
from hyperdive.benchmark.reproduce.paper_table import PaperCell, PaperRow, PaperTable
from hyperdive.benchmark.reproduce.printed import printed_figures
from hyperdive.benchmark.reproduce.verdicts import Judge

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "cannot be told"
PRINTED, CONSTANTS, OURS, TOKENS, MEASURED = (
    "the paper's printed figures",
    "DIVE (paper's constants)",
    "DIVE (ours)",
    "DIVE (paper's constants and solver)",
    "measured",
)
DIVE_ROWS = ((CONSTANTS, "dive-paper"), (OURS, "dive"), (TOKENS, "dive-tokens"))


@dataclass(frozen=True)
class Sentence:
    """One sentence of the paper and how it is tested."""

    name: str
    quote: str
    judge: Judge
    rows: str = "dive"
    """Which rows it is about: those of DIVE, the sparse spaces (`sbow`), or SBOW Freq and DIVE (`scores`)."""


@dataclass(frozen=True)
class Claim:
    """A sentence for one row, whether it holds there, and the figures that say so."""

    name: str
    statement: str
    row: str
    verdict: str
    figures: str


SENTENCES = (
    Sentence("shift", "removing inclusion shift on shifted PMI (w/o IS) leads to poor performances", verdicts.shift),
    Sentence("filter", "Removing the PMI filter from DIVE slightly drops the overall precision", verdicts.pmi_filter),
    Sentence(
        "similar",
        "DIVE performs similar or better on most of the scoring functions compared with SBOW consistently across all "
        "datasets",
        verdicts.similar,
    ),
    Sentence("savings", "2-3 order of magnitude savings on both memory consumption and testing time", verdicts.savings),
    Sentence("over-freq", "Its results on C·ΔS and W·ΔS outperform SBOW Freq", verdicts.over_freq),
    Sentence("over-ppmi", "its results on AL₁ outperform SBOW PPMI", verdicts.over_ppmi),
    Sentence("combined", "W·ΔS or C·ΔS usually outperform generality functions", verdicts.combined),
    Sentence(
        "best",
        "The best average performance on 4 and 10 datasets are both produced by W·ΔS on DIVE",
        verdicts.best_average,
    ),
    Sentence(
        "no-single",
        "there is no single hypernymy scoring function which always outperforms others",
        verdicts.no_single,
    ),
    Sentence(
        "embeddings", "DIVE is usually significantly better than other unsupervised embedding", verdicts.embeddings
    ),
    Sentence(
        "kmeans-freq",
        "K-means (Freq NMF) produces similar AP compared with SBOW Freq but has worse AL₁ scores",
        verdicts.kmeans_and_freq,
        "sbow",
    ),
    Sentence(
        "kmeans-dive",
        "Its best AP scores on different datasets are also significantly worse than the best AP of DIVE",
        verdicts.kmeans_and_dive,
    ),
    Sentence("slqs", "the simple summation difference performs better than SLQS Sub", verdicts.over_slqs),
    Sentence("direction", "DIVE predicts directionality as well as SBOW", verdicts.direction_and_sbow),
    Sentence(
        "decided",
        "If OOV is excluded, the accuracy of predicting directionality can reach around 0.7-0.75",
        verdicts.decided,
    ),
    Sentence("robust", "The summation is the most robust generality measurement", verdicts.robust, "scores"),
    Sentence(
        "scores",
        "similarity plus generality signals such as C·ΔS and W·ΔS perform the best overall",
        verdicts.best_scores,
        "scores",
    ),
    Sentence(
        "inclusion",
        "Among the unnormalized inclusion based scoring functions, CDE works the best",
        verdicts.inclusion,
        "scores",
    ),
    Sentence(
        "al1-frequency",
        "AL₁ performs well compared with other functions which remove the frequency signal such as Word2Vec, Cosine, "
        "and SLQS Row",
        verdicts.without_frequency,
        "scores",
    ),
    Sentence(
        "w0",
        "w₀ = 20 produces a worse micro-average AP@all on SBOW Freq, SBOW PPMI and DIVE",
        verdicts.penalty,
    ),
    Sentence(
        "ppmi-freq",
        "SBOW PPMI improves the W·ΔS and C·ΔS from SBOW Freq but sacrifices AP on the inclusion functions",
        verdicts.ppmi_and_freq,
        "sbow",
    ),
    Sentence(
        "shifted-ppmi",
        "It generally hurts performance to directly include inclusion shift in PPMI; the similar trend in HyperLex",
        verdicts.shifted_ppmi,
        "sbow",
    ),
    Sentence("al1", "AL₁ completely fails in the HyperLex dataset using SBOW PPMI", verdicts.al1_fails),
    Sentence(
        "filtered-freq",
        "Applying PMI filter to SBOW Freq only makes its performances closer to (but still much worse than) SBOW PPMI",
        verdicts.filtered_freq,
        "sbow",
    ),
    Sentence(
        "filtered-ppmi",
        "Applying PMI filter to SBOW PPMI usually makes the performances worse, especially when k_f is large",
        verdicts.filtered_ppmi,
        "sbow",
    ),
    Sentence("shifted-k", "a constant log(k') shifting to SBOW PPMI is not helpful", verdicts.shifted_by_k, "sbow"),
    Sentence(
        "pubmed",
        "For most scoring functions, the AP@all difference is within ~1% compared with the model trained by WaCkypedia",
        verdicts.pubmed,
    ),
    Sentence(
        "first-lines",
        "training on the first lines provides better performances than training on randomly sampled lines",
        verdicts.first_lines,
        "sbow",
    ),
    Sentence(
        "sentences",
        "lines of 100 tokens instead of using sentence segmentation ... does not hurt the performance",
        verdicts.sentences,
    ),
    Sentence(
        "window",
        "many neighboring words that incidentally appear ..., especially when a large context window size is used: so "
        "the filter adds more with a large window",
        verdicts.wide_window,
    ),
    Sentence("frequency", "Not in the paper: ΔS, C·ΔS and W·ΔS beat frequency alone", verdicts.over_frequency),
)


def check(found: RunFigures) -> list[Claim]:
    """Every sentence for every row that it is about.

    >>> claims = check(RunFigures({}))
    >>> next((claim.row, claim.verdict) for claim in claims if claim.name == "shift")
    ("the paper's printed figures", 'holds')
    >>> {claim.verdict for claim in claims if PRINTED not in claim.row}
    {'cannot be told'}
    """
    papers = printed_figures()
    claims = []
    for one in SENTENCES:
        for row, figures, space in _rows(found, papers, one.rows):
            holds, text = one.judge(figures, space)
            verdict = UNKNOWN if holds is None else HOLDS if holds else FAILS
            missing = "not printed" if row.startswith(PRINTED) else "a stage it needs was not run"
            claims.append(Claim(one.name, one.quote, row, verdict, text or missing))
    return claims


def _rows(found: RunFigures, papers: RunFigures, kind: str) -> list[tuple[str, RunFigures, str]]:
    """Label, figures and space of each row of a sentence."""
    if kind == "sbow":
        return [(PRINTED, papers, "dive"), (MEASURED, found, "dive")]
    measured = [(row, found, name) for row, name in DIVE_ROWS if name in found or row != TOKENS]
    if kind == "scores":
        return [(f"{PRINTED}, SBOW Freq", papers, "sbow-freq"), ("SBOW Freq", found, "sbow-freq"), *measured]
    return [(PRINTED, papers, "dive"), *measured]


def claims_table(claims: list[Claim]) -> PaperTable:
    """The claims as a table."""
    body = tuple(
        PaperRow((one.statement, one.row), (PaperCell(text=one.verdict), PaperCell(text=one.figures))) for one in claims
    )
    notes = (
        "Each sentence of the paper is tested as it stands, by one rule for all rows (`reproduce/verdicts.py`).",
        "Micro averages over ten datasets unless said otherwise, those of the paper recomputed from its cells; "
        "intervals by resampling the pairs.",
    )
    return PaperTable("claims", "Claims of the paper, checked", ("claim", "row"), ("verdict", "figures"), body, notes)
