"""A model on the gold files of two shared tasks: `evaluate --taxonomy` and `evaluate --discovery`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperdive.cli.common import write, write_json
from hyperdive.errors import OptionError


@dataclass(frozen=True)
class GoldTasks:
    """The gold files a user named: taxonomies, and the three files of a discovery task."""

    taxonomies: tuple[Path, ...]
    discovery: tuple[Path, ...]


def gold_tasks(
    taxonomies: Sequence[Path] | None, discovery: Sequence[str] | None, files: Sequence[Path] | None
) -> GoldTasks:
    """Assign files to tasks: files without an option belong to the discovery task if there is one.

    >>> gold_tasks([Path("a.taxo")], None, [Path("b.taxo")]).taxonomies == (Path("a.taxo"), Path("b.taxo"))
    True
    >>> len(gold_tasks([Path("a.taxo")], ["data.txt"], [Path("gold.txt"), Path("vocabulary.txt")]).discovery)
    3
    """
    named, rest = tuple(taxonomies or ()), tuple(files or ())
    if not discovery:
        if not named:
            raise OptionError(f"{rest[0]}: a file without an option", hint="name what it is: --taxonomy or --discovery")
        return GoldTasks(named + rest, ())
    three = tuple(Path(name) for name in discovery) + rest
    if len(three) != 3:
        raise OptionError(
            f"--discovery takes three files, DATA GOLD VOCABULARY, not {len(three)}",
            hint="write --taxonomy before each gold taxonomy",
        )
    return GoldTasks(named, three)


def evaluate_tasks(model: str, tasks: GoldTasks, scores: list[str] | None, as_json: bool, shown: Any) -> None:
    """Measure a model on gold files and print the figures."""
    from hyperdive import __version__, load
    from hyperdive.benchmark.discovery import evaluate_discovery, read_discovery
    from hyperdive.benchmark.gold_taxonomy import evaluate_taxonomy, read_taxonomy

    if scores and len(scores) > 1:
        raise OptionError("gold files are evaluated by one score", hint="name one with --scores, or none for the best")
    score = scores[0] if scores else None
    golds = [read_taxonomy(path) for path in tasks.taxonomies]
    task = read_discovery(*tasks.discovery) if tasks.discovery else None
    opened = load(model)
    taxonomies = [evaluate_taxonomy(opened, gold, score=score, progress=shown) for gold in golds]
    discovery = None if task is None else evaluate_discovery(opened, task, score=score, progress=shown)
    if as_json:
        figures: dict[str, Any] = {}
        if taxonomies:
            figures["taxonomies"] = {result.name: result.as_json() for result in taxonomies}
        if discovery is not None:
            figures["discovery"] = {discovery.name: discovery.as_json()}
        write_json({**figures, "model": Path(model).name or model, "version": __version__})
        return
    if taxonomies:
        _print_taxonomies(taxonomies)
    if discovery is not None:
        _print_discovery(discovery)


def _print_taxonomies(results: Sequence[Any]) -> None:
    width = max(len("gold taxonomy"), *(len(result.name) for result in results))
    write(f"{'':<{width}}  {'':<6}  direct edges in per cent   ancestors in per cent")
    write(f"{'gold taxonomy':<{width}}  {'by':<6}      P      R     F1        P      R     F1  edges  unplaced")
    for result in results:
        for name, by in (("model", result.model), ("suffix", result.suffix)):
            figures = "   ".join(
                " ".join(f"{100 * value:6.1f}" for value in (one.precision, one.recall, one.f1))
                for one in (by.direct, by.ancestors)
            )
            title = result.name if name == "model" else ""
            write(f"{title:<{width}}  {name:<6} {figures}  {by.direct.stated:5d}  {by.unplaced:8d}")
    for result in results:
        write(f"{result.name}: {result.terms} terms, {result.multiword} of several words, {result.edges} edges")


def _print_discovery(result: Any) -> None:
    write(f"discovery on {result.name} by {result.score}, the first 15 answers, in per cent")
    write(f"{'':<12} {'':>6} {'':>8}                         by the task's scorer")
    write(f"{'questions':<12} {'number':>6} {'answered':>8}    MAP    MRR    P@5       MAP    MRR    P@5")
    for name, figures in (("all", result.all), *result.by_type.items()):
        values = "    ".join(
            " ".join(f"{100 * value:6.1f}" for value in (by.map, by.mrr, by.p_at_5)) for by in (figures, figures.scorer)
        )
        write(f"{name:<12} {figures.questions:6d} {100 * figures.coverage:8.1f} {values}")
    gold = result.gold
    reachable = _share(gold.reachable, gold.answers)
    several = _share(gold.multiword_reachable, gold.multiword)
    write(f"{result.known_candidates} of {result.candidates} candidates are known")
    write(f"{reachable} of the right answers are among them, {several} of those of several words")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"
