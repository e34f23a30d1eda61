"""Record what must not change (vectors, counts, answers, taxonomies, figures), and compare another version with it.

    python tools/reference.py record FOLDER --text TEXT --taxonomies A.taxo B.taxo     # with the current environment
    python tools/reference.py check FOLDER --text TEXT --taxonomies A.taxo B.taxo --command OTHER/bin/hyperdive

Both encode, count and train TEXT with the given command. They read the results through the command line and the public
Python API, so a reference outlives changes of file formats. `check` prints one line per item; its exit code is 1 if
an item failed. `evaluate` runs only if HYPERDIVE_DATA names the datasets.

FOLDER contains `reference.json` (everything but vectors) and `vectors.npz` (words and one matrix per space).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Answers = dict[str, list[tuple[str, float | None]]]
Edges = dict[str, float | None]
Queries = dict[str, list[str]]

SPACES = ("dive", "contexts", "skipgram")
PACKAGED = "en-wiki"
TOP_TENS, CONFIDENCE, F1, AP = 0.98, 0.001, 0.1, 0.05
"""Tolerances: share of equal top tens, confidences and similarities, F1 and AP in per cent."""
REMOVED = {"hyper"}
"""Scores that a later version may lack."""
RENAMED = {"isa": "confidence"}
RAREST = 12_000
"""Queries are drawn from this many of the most frequent words."""

COUNTS = """
import hashlib, json, sys
from hyperdive import Cooccurrence

counts = Cooccurrence.open(sys.argv[1])
digest, cells, total = hashlib.sha256(), 0, 0.0
for word in sorted(counts.words):
    row = sorted((context, float(count)) for context, count in counts.row(word).items())
    digest.update(f"{word} {row}".encode())
    cells, total = cells + len(row), total + sum(count for _, count in row)
print(json.dumps({"words": len(counts.words), "cells": cells, "total": total, "sha256": digest.hexdigest()}))
"""


@dataclass
class Version:
    """One installed version of hyperdive: its command, and the Python interpreter next to it."""

    command: Path

    def run(self, *arguments: object, stdin: str | None = None, may_fail: bool = False) -> str:
        """Return the output of a command."""
        return self._run(self.command, *arguments, stdin=stdin, may_fail=may_fail)

    def python(self, program: str, *arguments: object) -> str:
        """Return the output of a Python program."""
        return self._run(self.command.with_name("python" + self.command.suffix), "-c", program, *arguments)

    @staticmethod
    def _run(*arguments: object, stdin: str | None = None, may_fail: bool = False) -> str:
        words = [str(argument) for argument in arguments]
        done = subprocess.run(words, input=stdin, capture_output=True, encoding="utf-8")
        if done.returncode and not may_fail:
            raise SystemExit(f"{' '.join(words)} failed:\n{done.stderr.strip()[-2000:]}")
        return done.stdout

    def vectors(self, model: str, space: str, folder: Path) -> tuple[list[str], Any]:
        """Return the words of a model, most frequent first, and their rows in a space."""
        file = folder / f"{space}.vec"
        self.run("export", model, file, "--space", space, "--force")
        with file.open(encoding="utf-8") as lines:
            words, dimensions = map(int, next(lines).split())
            names, rows = [], np.empty((words, dimensions), dtype=np.float32)
            for row, line in enumerate(lines):
                name, *values = line.rstrip("\n").split(" ")
                names.append(name)
                rows[row] = np.array(values, dtype=np.float32)
        return names, rows

    def answers(self, command: str, model: str, queries: Sequence[str]) -> Answers:
        """Return the top ten answers to each query of `hypernyms`, `hyponyms` or `similar`, best first."""
        lines = "".join(f"{query}\n" for query in queries)
        arguments = (command, "-", "-m", model, "--top", 10, "--json")
        replies = list(json_values(self.run(*arguments, stdin=lines, may_fail=True)))
        if len(replies) != len(queries):
            raise SystemExit(f"hyperdive {command} answered {len(replies)} of {len(queries)} queries")
        value = "similarity" if command == "similar" else "confidence"
        return {
            query: [(answer["term"], rounded(answer[value])) for answer in reply["answers"]]
            for query, reply in zip(queries, replies, strict=True)
        }

    def taxonomy(self, model: str, gold: Path, folder: Path) -> Edges:
        """Return the edges, "child < parent", of the taxonomy of a gold file's terms, and their confidences."""
        terms, tree = folder / "terms.txt", folder / "tree.tsv"
        names = {name for pair in gold_pairs(gold) for name in pair.split(" < ")}
        terms.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
        self.run("taxonomy", "--terms", terms, "-m", model, "-f", "tsv", "-o", tree, "--force")
        header, *rows = (line.split("\t") for line in tree.read_text(encoding="utf-8").splitlines())
        child, parent, confidence = (header.index(name) for name in ("child", "parent", "confidence"))
        return {f"{row[child]} < {row[parent]}": rounded(float(row[confidence])) for row in rows if row[parent]}

    def figures(self, model: str) -> dict[str, float]:
        """Return every figure of `evaluate` by "dataset score", in per cent."""
        reply = self.run("evaluate", "-m", model, "-s", "all", "--json", may_fail=True)
        reply = json.loads(reply or self.run("evaluate", "-m", model, "--json"))
        tables = {name: reply[name] for name in ("micro10", "micro4", "hyperlex")}
        for name, dataset in reply["datasets"].items():
            tables[name] = {score: values["ap"] for score, values in dataset["scores"].items()}
        figures = ((name, score, value) for name, table in tables.items() for score, value in table.items())
        return {f"{name} {RENAMED.get(score, score)}": value for name, score, value in figures}


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON objects of a text, whether one per line, indented, or in a list."""
    decoder, start = json.JSONDecoder(), 0
    while text[start:].strip():
        start += len(text[start:]) - len(text[start:].lstrip())
        value, start = decoder.raw_decode(text, start)
        yield from value if isinstance(value, list) else [value]


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


def gold_pairs(file: Path) -> set[str]:
    """Return the "child < parent" pairs of a gold taxonomy (number, child, parent, separated by tabs)."""
    rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
    return {f"{row[1].strip()} < {row[2].strip()}" for row in rows}


def draw(version: Version, model: str, words: Sequence[str], hypernyms: int, hyponyms: int) -> dict[str, list[str]]:
    """Return the queries to a model: words at even distances and multi-word answers to them, both ways, and similar."""
    pool = words[:RAREST]
    singles = list(pool[:: max(1, len(pool) // (hypernyms * 2 // 3))])[: hypernyms * 2 // 3]
    answers = version.answers("hypernyms", model, singles)
    terms = Counter(term for rows in answers.values() for term, _ in rows)
    multi = [term for term in terms if " " in term][: hypernyms - len(singles)]
    common = sorted(terms, key=lambda term: (-terms[term], term))[:hyponyms]
    return {"hypernyms": singles + multi, "hyponyms": common, "similar": singles[::6] + multi[::3]}


def measure(
    version: Version,
    text: Path,
    taxonomies: Sequence[Path],
    train: str,
    queries: Callable[[str, str, list[str]], Queries],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return everything a reference contains: values for JSON, and arrays."""
    with tempfile.TemporaryDirectory(prefix="hyperdive-reference-") as name:
        folder = Path(name)
        corpus, counts, model = (folder / part for part in ("corpus", "counts", "model"))
        version.run("encode", text, "-o", corpus)
        version.run("count", corpus, "-o", counts)
        version.run("train", corpus, "-o", model, *train.split())
        values: dict[str, Any] = {"text": hashlib.sha256(text.read_bytes()).hexdigest(), "train": train}
        values["counts"] = json.loads(version.python(COUNTS, counts))
        arrays: dict[str, Any] = {}
        for space in SPACES:
            arrays["words"], arrays[space] = version.vectors(str(model), space, folder)
        vocabularies = {"trained": arrays["words"], "packaged": version.vectors(PACKAGED, "dive", folder)[0]}
        for side, source in {"trained": str(model), "packaged": PACKAGED}.items():
            for command, asked in queries(side, source, vocabularies[side]).items():
                values[f"{command}, {side}"] = version.answers(command, source, asked)
            for gold in taxonomies:
                values[f"taxonomy {gold.stem}, {side}"] = version.taxonomy(source, gold, folder)
            if os.environ.get("HYPERDIVE_DATA"):
                values[f"evaluate, {side}"] = version.figures(source)
    return values, arrays


def record(
    folder: Path, version: Version, text: Path, taxonomies: Sequence[Path], train: str, hypernyms: int, hyponyms: int
) -> None:
    """Write a reference."""

    def queries(_: str, model: str, words: list[str]) -> Queries:
        return draw(version, model, words, hypernyms, hyponyms)

    values, arrays = measure(version, text, taxonomies, train, queries)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(item)}: {json.dumps(value, ensure_ascii=False)}" for item, value in values.items())
    (folder / "reference.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    np.savez_compressed(folder / "vectors.npz", **arrays)


@dataclass
class Line:
    """The comparison of one item."""

    item: str
    passed: bool | None
    figures: str

    def __str__(self) -> str:
        return f"{self.item:36} {({True: 'equal', False: 'DIFFERS', None: 'skipped'})[self.passed]:8} {self.figures}"


def compare_vectors(space: str, before: Any, after: Any, tolerance: float) -> Line:
    """Compare two matrices; the words of their rows are equal."""
    difference = float(np.abs(before - after).max()) if before.shape == after.shape else float("inf")
    size = f"{after.shape[0]:,} × {after.shape[1]}"
    return Line(f"vectors {space}", difference <= tolerance, f"{size}, largest difference {difference:.2g}")


def compare_answers(item: str, before: Answers, after: Answers) -> Line:
    """Compare first answers, top tens (as sets) and the confidences of the answers that both contain."""
    first = sum([term for term, _ in before[query][:1]] == [term for term, _ in after[query][:1]] for query in before)
    tens = sum({term for term, _ in before[query]} == {term for term, _ in after[query]} for query in before)
    gap = max((largest_gap(dict(before[query]), dict(after[query])) for query in before), default=0.0)
    passed = first == len(before) and tens >= TOP_TENS * len(before) and gap <= CONFIDENCE
    return Line(item, passed, f"{first} first answers and {tens} top tens of {len(before)} equal, gap {gap:.5f}")


def compare_taxonomies(item: str, before: Edges, after: Edges, gold: Path | None) -> Line:
    """Compare the edges of two taxonomies with each other and with the gold file."""
    if gold is None:
        return Line(item, None, "no gold file given")
    pairs, gap = gold_pairs(gold), largest_gap(before, after)
    scores = f1(set(before), pairs), f1(set(after), pairs)
    lost, new = len(set(before) - set(after)), len(set(after) - set(before))
    passed = abs(scores[0] - scores[1]) <= F1 and gap <= CONFIDENCE
    same = f"{f1(set(after), set(before)):.2f} with the recorded edges ({lost} lost, {new} new)"
    return Line(item, passed, f"F1 {scores[0]:.2f} → {scores[1]:.2f}; {same}, gap {gap:.5f}")


def compare_figures(item: str, before: dict[str, float], after: dict[str, float]) -> Line:
    """Compare the figures of `evaluate`."""
    lost = [name for name in before if name not in after and name.rpartition(" ")[2] not in REMOVED]
    gaps = {name: abs(after[name] - before[name]) for name in before if name in after}
    worst = max(gaps, key=lambda name: gaps[name], default="")
    figures = f"{len(gaps)} figures, largest difference {gaps.get(worst, 0):.4f} {worst}"
    missing = f"; missing: {', '.join(lost[:5])}" if lost else ""
    return Line(item, not lost and gaps.get(worst, 0) <= AP, figures + missing)


def largest_gap(before: Edges, after: Edges) -> float:
    """Return the largest difference of two values with the same key; a missing value differs by 1 from a number."""
    shared = [(before[key], after[key]) for key in before if key in after]
    gaps = (float(one is not other) if one is None or other is None else abs(one - other) for one, other in shared)
    return round(max(gaps, default=0.0), 5)  # as the values are


def f1(found: set[str], wanted: set[str]) -> float:
    return 200 * len(found & wanted) / ((len(found) + len(wanted)) or 1)


def check(folder: Path, version: Version, text: Path, taxonomies: Sequence[Path], tolerance: float) -> list[Line]:
    """Compare a version with a reference."""
    before = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    if before["text"] != hashlib.sha256(text.read_bytes()).hexdigest():
        raise SystemExit(f"{text} is not the text of {folder}")
    asked = {
        side: {name: list(before[f"{name}, {side}"]) for name in ("hypernyms", "hyponyms", "similar")}
        for side in ("trained", "packaged")
    }
    after, arrays = measure(version, text, taxonomies, before["train"], lambda side, *_: asked[side])
    recorded = np.load(folder / "vectors.npz")
    same_words = recorded["words"].tolist() == arrays["words"]
    lines = [Line("words", same_words, f"{len(arrays['words']):,}")]
    if same_words:
        lines += [compare_vectors(space, recorded[space], arrays[space], tolerance) for space in SPACES]
    counts = after["counts"]
    lines.append(Line("counts", counts == before["counts"], f"{counts['cells']:,} cells, total {counts['total']:,.0f}"))
    gold = {file.stem: file for file in taxonomies}
    for item in before:
        kind = item.partition(",")[0].partition(" ")[0]
        if kind == "taxonomy":
            file = gold.get(item.partition(",")[0].removeprefix("taxonomy "))
            lines.append(compare_taxonomies(item, before[item], after.get(item, {}), file))
        elif kind == "evaluate":
            if item in after:
                lines.append(compare_figures(item, before[item], after[item]))
            else:
                lines.append(Line(item, None, "HYPERDIVE_DATA is not set"))
        elif "," in item:
            lines.append(compare_answers(item, before[item], after[item]))
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("record", "check"))
    parser.add_argument("folder", type=Path, help="the reference")
    parser.add_argument("--text", type=Path, required=True, help="plain text, one document per line")
    parser.add_argument("--taxonomies", type=Path, nargs="*", default=[], help="gold taxonomies (.taxo)")
    parser.add_argument("--command", type=Path, default=Path(sys.executable).with_name("hyperdive"), help="hyperdive")
    parser.add_argument("--train", default="", help="record: options of train, such as '--dimensions 10'")
    parser.add_argument("--hypernyms", type=int, default=300, help="record: number of queries to each model")
    parser.add_argument("--hyponyms", type=int, default=50, help="record: number of queries to each model")
    parser.add_argument("--tolerance", type=float, default=0.0, help="check: largest difference of a vector's value")
    given = parser.parse_args(arguments)
    version = Version(given.command.absolute())
    if given.action == "record":
        record(given.folder, version, given.text, given.taxonomies, given.train, given.hypernyms, given.hyponyms)
        return 0
    lines = check(given.folder, version, given.text, given.taxonomies, given.tolerance)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return int(any(line.passed is False for line in lines))


if __name__ == "__main__":
    raise SystemExit(main())
