"""The tables of the paper, with our figures next to the printed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hyperdive.benchmark.datasets import ELEVEN, MICRO_4, MICRO_10, SPECS
from hyperdive.benchmark.paper import printed, printed_micro, rows
from hyperdive.benchmark.reproduce.figures import RunFigures
from hyperdive.benchmark.reproduce.measurement import COSTED, FIVE, SIXTEEN
from hyperdive.benchmark.reproduce.paper_table import PaperCell, PaperRow, PaperTable
from hyperdive.scores import get

REPORTED, NOT_COMPARABLE = "reported", "not comparable"
_NAMES = {"LenciBenotto": "Lenci/Benotto", "Kotlerman2010": "Kotlerman"}
_SPACES = (
    ("sbow-freq", "SBOW", "Freq", "sbow-freq"),
    ("sbow-ppmi", "SBOW", "PPMI", "sbow-ppmi"),
    ("sbow-ppmi-is", "SBOW", "PPMI w/ IS", "sbow-ppmi-is"),
    ("sbow-ppmi-all", "SBOW", "all of the text", "sbow-all"),
    ("sbow-ppmi-half", "SBOW", "its first half", ""),
    ("dive", "DIVE", "Full", "dive"),
    ("dive-no-pmi", "DIVE", "w/o PMI", "dive-no-pmi"),
    ("dive-no-shift", "DIVE", "w/o IS", "dive-no-shift"),
    ("kmeans", "K-means", "Freq NMF", "kmeans"),
)
_AVERAGES = "Averages of the paper are computed anew from its own cells; a few that it prints do not add up."
_READ = "Each cell: ours, then the paper's and the difference (n. c.: not comparable)."
_FREQUENCY = "Frequency alone scores a pair by n(p) − n(q), the difference of the words' counts in the text."


def heading(dataset: str) -> str:
    """A dataset's name as a heading."""
    return f"{_NAMES.get(dataset, dataset)}{' ρ' if dataset == 'HyperLex' else ''}"


def paper_cell(kind: str, score: str, dataset: str) -> float | None:
    """The printed figure; `sbow-all` is the row of the whole WaCkypedia."""
    if kind != "sbow-all":
        return printed(kind, score, dataset) if kind else None
    wanted = get(score).name
    for row in (*rows("table2_ap10"), *rows("table3_hyperlex")):
        if row["variant"] == "All wiki" and row["dataset"] == dataset and get(row["score"]).name == wanted:
            return float(row["value"])
    return None


def paper_micro(kind: str, score: str, names: tuple[str, ...]) -> float | None:
    """The paper's micro average, computed from its own cells."""
    if kind != "sbow-all":
        return printed_micro(kind, score, names) if kind else None
    cells = {name: paper_cell(kind, score, name) for name in names}
    total = sum(SPECS[name].rows for name in names)
    return sum(SPECS[name].rows * (value or 0.0) for name, value in cells.items()) / total


def _cells(
    run_figures: RunFigures,
    name: str,
    kind: str,
    score: str,
    datasets: Sequence[str],
    averages: Sequence[str],
    mark: str = "",
) -> tuple[PaperCell, ...]:
    made = [
        PaperCell(run_figures.value(name, score, dataset), paper_cell(kind, score, dataset), mark)
        for dataset in datasets
    ]
    for which in averages:
        papers = paper_micro(kind, score, MICRO_4 if which == "micro4" else MICRO_10)
        made.append(PaperCell(run_figures.micro(name, score, which), papers, mark))
    return tuple(made)


def _baselines(
    run_figures: RunFigures, datasets: Sequence[str], averages: Sequence[str], labels: int
) -> list[PaperRow]:
    """Frequency alone and Random, in the vocabulary of DIVE."""
    blank = ("",) * (labels - 1)
    return [
        PaperRow(("Frequency alone", *blank), _cells(run_figures, "dive", "", "Frequency", datasets, averages)),
        PaperRow(("Random", *blank), _cells(run_figures, "dive", "dive", "Random", datasets, averages)),
    ]


def embeddings(run_figures: RunFigures) -> PaperTable:
    """PaperTable 1: DIVE and other unsupervised embeddings."""
    lines = (
        ("word2vec + C (gensim)", "word2vec", "word2vec", "C"),
        *(
            ()
            if "word2vec" in run_figures
            else (("word2vec + C (gensim), raw words", "word2vec-raw-only", "word2vec", "C"),)
        ),
        ("skip-gram + C (ours)", "skipgram", "", "C"),
        ("Gaussian + C", "gaussian", "gaussian", "GE C"),
        ("Gaussian + KL", "gaussian", "gaussian", "KL"),
        ("DIVE + C·ΔS", "dive", "dive", "C·ΔS"),
        ("DIVE + W·ΔS", "dive", "dive", "W·ΔS"),
        ("DIVE + W·ΔS, W centred", "dive-centred", "dive", "W·ΔS"),
        ("DIVE + W·ΔS, W of gensim", "dive-word2vec", "dive", "W·ΔS"),
    )
    body = [
        PaperRow(
            (label,),
            (
                *_cells(run_figures, name, kind, score, MICRO_10, ("micro10",)),
                *_cells(run_figures, name, kind, score, ("HyperLex",), ()),
            ),
        )
        for label, name, kind, score in lines
        if name in run_figures
    ]
    for base in _baselines(run_figures, (*MICRO_10, "HyperLex"), ("micro10",), 1):
        body.append(PaperRow(base.labels, (*base.cells[:-2], base.cells[-1], base.cells[-2])))
    columns = (*map(heading, MICRO_10), "micro 10", heading("HyperLex"))
    notes = (
        "AP@all in per cent; Spearman's ρ for HyperLex.",
        _READ,
        _AVERAGES,
        '"W centred", not in the paper: the mean vector is taken away from our skip-gram vectors. Without that hardly '
        "any two words have a negative cosine, and W·ΔS is nearer to ΔS than the paper's.",
        "Gaussian + KL on LEDS: 80 reported in earlier literature; on HyperLex: 20.6.",
        _FREQUENCY,
    )
    return PaperTable("table1", "PaperTable 1: unsupervised embeddings", ("method",), columns, tuple(body), notes)


def _measured(run_figures: RunFigures) -> list[tuple[str, str, str, str, str]]:
    """Spaces of tables 2 and 3 that were made, with the name of their figures and a mark for their cells."""
    made = []
    for name, space, variant, kind in _SPACES:
        whole = name == "sbow-ppmi-all"
        # where the text is no longer than the paper's budget, PPMI already is of all the text
        used = "sbow-ppmi" if whole and name not in run_figures else name
        if used in run_figures:
            made.append((used, space, variant, kind, NOT_COMPARABLE if whole else ""))
    return made


_HALF = (
    '"All of the text" stands where the paper has the whole WaCkypedia, some twenty times its subset, and is compared '
    "with the first half of the same text instead; so its cells are not comparable."
)


def precision(run_figures: RunFigures) -> PaperTable:
    """PaperTable 2: every space and score on ten datasets."""
    body = [
        PaperRow((space, variant, score), _cells(run_figures, name, kind, score, MICRO_10, ("micro4", "micro10"), mark))
        for name, space, variant, kind, mark in _measured(run_figures)
        for score in FIVE
    ]
    body += _baselines(run_figures, MICRO_10, ("micro4", "micro10"), 3)
    columns = (*map(heading, MICRO_10), "micro 4", "micro 10")
    notes = ("AP@all in per cent.", _READ, _AVERAGES, _HALF, _FREQUENCY)
    return PaperTable(
        "table2", "PaperTable 2: AP on ten datasets", ("space", "variant", "score"), columns, tuple(body), notes
    )


def hyperlex(run_figures: RunFigures) -> PaperTable:
    """PaperTable 3: every space and score on HyperLex."""
    body = [
        PaperRow(
            (space, variant),
            (
                *(_cells(run_figures, name, kind, score, ("HyperLex",), (), mark)[0] for score in FIVE),
                PaperCell(run_figures.value(name, "Frequency", "HyperLex")),
                PaperCell(run_figures.value(name, "Random", "HyperLex")),
            ),
        )
        for name, space, variant, kind, mark in _measured(run_figures)
    ]
    columns = (*FIVE, "Frequency alone", "Random")
    notes = ("Spearman's ρ × 100.", _READ, _HALF, _FREQUENCY)
    return PaperTable("table3", "PaperTable 3: HyperLex", ("space", "variant"), columns, tuple(body), notes)


def compression(run_figures: RunFigures) -> PaperTable:
    """PaperTable 4, and what fewer non-zero dimensions save: memory and time."""
    papers = {row["space"]: float(row["avg_nonzero_dims"]) for row in rows("table4_avg_dims")}
    spaces = (
        ("sbow-freq", "SBOW Freq"),
        ("sbow-ppmi", "SBOW PPMI"),
        ("sbow-ppmi-is", "SBOW PPMI w/ IS"),
        ("dive", "DIVE"),
    )
    body = []
    for name, label in spaces:
        costs = run_figures.cost(name)
        if costs is None:
            continue
        megabytes = [size / 1e6 for size in costs["bytes"].values()]
        body.append(
            PaperRow(
                (label,),
                (
                    PaperCell(run_figures.dimensions(name), papers.get(label), judged=False),
                    PaperCell(sum(costs["nonzeros"].values()) / 1e6, decimals=2),
                    PaperCell(sum(megabytes)),
                    *(PaperCell(1000 * costs["seconds"][score]) for score in COSTED),
                ),
            )
        )
    against = run_figures.cost("dive")
    if against is not None:
        for name, label in spaces[:-1]:
            costs = run_figures.cost(name)
            if costs is not None:
                body.append(
                    PaperRow(
                        (f"{label} ÷ DIVE",),
                        (
                            PaperCell(_ratio(run_figures.dimensions(name), run_figures.dimensions("dive")), decimals=0),
                            PaperCell(
                                _ratio(sum(costs["nonzeros"].values()), sum(against["nonzeros"].values())), decimals=0
                            ),
                            PaperCell(_ratio(sum(costs["bytes"].values()), sum(against["bytes"].values())), decimals=0),
                            *(
                                PaperCell(_ratio(costs["seconds"][score], against["seconds"][score]), decimals=0)
                                for score in COSTED
                            ),
                        ),
                    )
                )
    columns = ("non-zeros of a test word", "million numbers", "MB in memory", *(f"{score}, ms" for score in COSTED))
    notes = (
        "Non-zeros in the mean over the distinct words of the ten datasets that the space has.",
        "Numbers and memory are those of the whole space, raw and with parts of speech together, as sparse rows.",
        "Milliseconds are for all pairs of the ten datasets that the space knows, one thread, vectors in memory.",
    )
    return PaperTable(
        "table4", "PaperTable 4: non-zero dimensions, memory and time", ("space",), columns, tuple(body), notes
    )


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def sizes(run_figures: RunFigures) -> PaperTable:
    """Sizes of the datasets and pairs out of vocabulary."""
    papers = {row["dataset"]: (float(row["N"]), float(row["OOV"])) for row in rows("table_stats_N_OOV")}

    def oov(names: Sequence[str]) -> float | None:
        known = [run_figures.oov("dive", name) for name in names]
        return None if None in known else float(sum(missing or 0 for missing in known))

    body = []
    groups: list[tuple[str, str, tuple[str, ...]]] = [(heading(name), name, (name,)) for name in ELEVEN]
    groups.insert(4, ("four sets", "MicroAverage4", MICRO_4))
    groups.insert(11, ("ten sets", "MicroAverage10", MICRO_10))
    for label, key, names in groups:
        many = float(sum(SPECS[name].rows for name in names))
        positives = float(sum(SPECS[name].positives for name in names))
        missing = oov(names)
        lost = papers[key][1] if key != "MicroAverage10" else float(sum(papers[name][1] for name in MICRO_10))
        covered = None if missing is None else 100 * (1 - missing / many)
        body.append(
            PaperRow(
                (label,),
                (
                    PaperCell(many, papers[key][0], decimals=0, judged=False),
                    PaperCell(None if key == "HyperLex" else positives, decimals=0),
                    PaperCell(missing, lost, decimals=0, judged=False),
                    PaperCell(covered, 100 * (1 - lost / papers[key][0])),
                ),
            )
        )
    notes = (
        "OOV pairs have a word that is not in the vocabulary; all spaces of a corpus share one vocabulary.",
        "A word that is not found is looked up by its lemma.",
        "The paper prints 24,110 OOV pairs for ten sets; its own ten figures sum to 23,115.",
    )
    columns = ("pairs", "positive", "OOV pairs", "covered %")
    return PaperTable(
        "table_sizes", "Dataset sizes and words out of vocabulary", ("dataset",), columns, tuple(body), notes
    )


def scoring_functions(run_figures: RunFigures) -> PaperTable:
    """Sixteen scores on SBOW Freq."""
    papers = {get(row["score"]).name: float(row["value"]) for row in rows("table_metrics_sbow_freq")}
    labels = {get(row["score"]).name: row["printed_name"] for row in rows("table_metrics_sbow_freq")}
    turned = get("Weeds:printed=True").name
    papers[turned], labels[turned] = papers.pop("Weeds"), "Weeds, turned round as in the paper's program"
    body = []
    for score in (*SIXTEEN, "Frequency", "Random"):
        name = get(score).name
        label = labels.get(name, name).replace("Delta", "Δ").replace(".", "·").replace("AL_1", "AL₁")
        body.append(
            PaperRow(
                ({"Frequency": "Frequency alone"}.get(label, label),),
                (
                    PaperCell(run_figures.micro("sbow-freq", score), papers.get(name)),
                    PaperCell(run_figures.micro("sbow-freq", score, "micro4")),
                    PaperCell(run_figures.value("sbow-freq", score, "HyperLex")),
                ),
            )
        )
    notes = (
        _READ,
        "The paper prints the micro average over ten sets only.",
        "The paper's program ranks Weeds in the wrong direction, and 19.0 is what it prints.",
    )
    columns = ("micro 10", "micro 4", "HyperLex ρ")
    return PaperTable("table_scores", "Scoring functions on SBOW Freq", ("score",), columns, tuple(body), notes)


_METRICS = {"AP@all": "AP", "F1": "F1", "Spearman rho": "ρ"}


def _figure(run_figures: RunFigures, name: str, score: str, dataset: str, metric: str) -> float | None:
    return run_figures.fold(name, score, dataset) if metric == "F1" else run_figures.value(name, score, dataset)


def _reported(
    run_figures: RunFigures, table: str, name: str, ours: Sequence[str]
) -> tuple[tuple[str, ...], list[PaperRow]]:
    """A table of reported figures next to ours: its columns and rows, baselines last."""
    printed_rows = rows(table)
    cells = list(dict.fromkeys((row["dataset"], row["metric"]) for row in printed_rows))
    by_method: dict[str, dict[tuple[str, str], float]] = {}
    for row in printed_rows:
        method = row["method"]
        pairs = row.get("training_hypernymy_pairs", "0")
        label = f"{method} ({pairs} training pairs)" if pairs not in ("", "0") else method
        by_method.setdefault(label, {})[row["dataset"], row["metric"]] = float(row["value"])
    made = [
        PaperRow(
            (method.replace(" (reported by earlier work)", ""),),
            tuple(PaperCell(None, known.get(cell), REPORTED) for cell in cells),
        )
        for method, known in by_method.items()
        if not method.startswith("DIVE")
    ]
    for score in ours:
        papers = next(
            (values for m, values in by_method.items() if m.startswith("DIVE") and get(m[5:]).name == score), {}
        )
        made.append(
            PaperRow(
                ({"Frequency": "Frequency alone"}.get(score, f"DIVE + {score}" if papers else score),),
                tuple(PaperCell(_figure(run_figures, name, score, *cell), papers.get(cell)) for cell in cells),
            )
        )
    return tuple(f"{heading(dataset).removesuffix(' ρ')} {_METRICS[metric]}" for dataset, metric in cells), made


def against_sbow(run_figures: RunFigures) -> PaperTable:
    """DIVE compared with what earlier work reports for sparse bags of words."""
    ours = ("C·ΔS", "W·ΔS", "Frequency", "Random")
    columns, body = _reported(run_figures, "table_sbow_reported", "dive", ours)
    notes = (
        "Figures marked reported were copied by the paper from earlier work, on other corpora: the best method of each "
        "dataset.",
        "F1 by thresholds of 20-fold cross-validation, as the paper's program computes it.",
        _READ,
    )
    return PaperTable(
        "table_reported_sbow", "Beside reported results of SBOW", ("method",), columns, tuple(body), notes
    )


def against_semisupervised(run_figures: RunFigures) -> PaperTable:
    """DIVE compared with what semi-supervised embeddings report, in the raw space for all sets."""
    columns, body = _reported(run_figures, "table_semisup_reported", "dive-raw-only", ("C·ΔS", "Frequency", "Random"))
    notes = (
        "Figures marked reported were copied by the paper from the systems' own papers.",
        "HyperVec ignores parts of speech, so all sets are read in the raw space here.",
        _READ,
    )
    title = "Beside reported results of semi-supervised embeddings"
    return PaperTable("table_reported_semisupervised", title, ("method",), columns, tuple(body), notes)


def directionality(run_figures: RunFigures) -> PaperTable:
    """Which of two words is the broader one?"""
    papers = {
        (row["space"], get(row["score"]).name): float(row["accuracy_percent_10_datasets"])
        for row in rows("table_directionality")
    }
    lines = (
        ("sbow-freq", "SBOW Freq", "SLQS Sub"),
        ("sbow-freq", "SBOW Freq", "ΔS"),
        ("sbow-ppmi", "SBOW PPMI", "ΔS"),
        ("dive", "DIVE", "ΔS"),
        ("dive", "", "Frequency"),
    )
    body = [
        PaperRow(
            (label, "alone" if score == "Frequency" else score) if label else ("Frequency", "alone"),
            (
                PaperCell(run_figures.direction(name, score), papers.get((label, score))),
                PaperCell(run_figures.direction(name, score, "decided")),
                PaperCell(run_figures.direction(name, score, "weighted_by_size")),
            ),
        )
        for name, label, score in lines
    ]
    body.append(PaperRow(("Random", ""), (PaperCell(50.0), PaperCell(50.0), PaperCell(50.0))))
    notes = (
        "Accuracy in per cent over the positive pairs of ten sets together; undecided and unknown pairs count as half "
        'right. "Decided" leaves those out; "by size" weighs the ten accuracies by the sets\' sizes.',
        _READ,
    )
    return PaperTable(
        "table_directionality",
        "Directionality",
        ("space", "score"),
        ("accuracy", "decided", "by size"),
        tuple(body),
        notes,
    )


def pubmed(run_figures: RunFigures, *, comparable: bool = True) -> PaperTable:
    """The Medical set by models of an encyclopedia and of abstracts."""
    papers = {
        (row["space"], row["corpus"], get(row["score"]).name): float(row["value"]) for row in rows("table_pubmed")
    }
    lines = (
        ("sbow-ppmi", "SBOW PPMI", "wiki"),
        ("sbow-ppmi-pubmed", "SBOW PPMI", "PubMed"),
        ("dive", "DIVE", "wiki"),
        ("dive-pubmed", "DIVE", "PubMed"),
    )
    body = [
        PaperRow(
            (space, corpus),
            (
                *(
                    PaperCell(
                        run_figures.value(name, score, "Medical"),
                        papers.get((space, corpus, score)),
                        NOT_COMPARABLE if corpus == "PubMed" and not comparable else "",
                    )
                    for score in FIVE
                ),
                PaperCell(run_figures.value(name, "Frequency", "Medical")),
                PaperCell(run_figures.value(name, "Random", "Medical")),
                PaperCell(run_figures.oov(name, "Medical"), decimals=0),
            ),
        )
        for name, space, corpus in lines
    ]
    notes = ["AP@all in per cent on the Medical set.", _READ]
    if not comparable:
        notes.append("This collection of abstracts is shorter than the paper's, so its rows are not comparable.")
    columns = (*FIVE, "Frequency alone", "Random", "OOV pairs")
    return PaperTable(
        "table_pubmed", "Training corpora: Medical", ("space", "corpus"), columns, tuple(body), tuple(notes)
    )


def skipgrams(run_figures: RunFigures) -> PaperTable:
    """Our skip-gram compared with gensim's on the same tokens: by itself, and as the W of the same DIVE model."""
    body: list[PaperRow] = []
    for spaces, ending in (("raw and POS", ""), ("raw alone", "-raw-only")):
        for label, names, score in (
            ("W alone", ("skipgram", "word2vec"), "C"),
            ("W·ΔS", ("dive", "dive-word2vec"), "W·ΔS"),
        ):
            if f"{names[1]}{ending}" not in run_figures:
                continue
            for whose, name in zip(("ours", "gensim"), names, strict=True):
                cells = _cells(run_figures, f"{name}{ending}", "", score, MICRO_10, ("micro10",))
                last = PaperCell(run_figures.value(f"{name}{ending}", score, "HyperLex"))
                body.append(PaperRow((f"{label}, {spaces}", whose), (*cells, last)))
            apart = [
                PaperCell(None if a.ours is None or b.ours is None else a.ours - b.ours)
                for a, b in zip(body[-2].cells, body[-1].cells, strict=True)
            ]
            body.append(PaperRow((f"{label}, {spaces}", "ours − gensim"), tuple(apart)))
    columns = (*map(heading, MICRO_10), "micro 10", heading("HyperLex"))
    notes = ("Not in the paper: both trained on the same encoded corpora.",)
    return PaperTable(
        "table_skipgram", "Our skip-gram beside gensim's", ("score", "skip-gram"), columns, tuple(body), notes
    )


TABLES: tuple[Callable[[RunFigures], PaperTable], ...] = (
    embeddings,
    precision,
    hyperlex,
    compression,
    sizes,
    scoring_functions,
    against_sbow,
    against_semisupervised,
    directionality,
)
"""The tables that need figures alone, in the order of the paper."""
