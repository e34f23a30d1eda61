"""Every stage beside what one would use instead, in one go: `make bench TEXT=FILE`.

    python bench/suite.py --text wiki.txt.xz                  # all of it
    python bench/suite.py --text wiki.txt.xz --megabytes 40   # its first 40 MB

Every stage runs on 1/16, 1/8, 1/4, 1/2 and all of the text, every alternative on a quarter of it (`--part`) beside the
stage on the same quarter, all as processes of their own with their start-up. Processor seconds (user and system) and
peak memory are those that the system counted for the process and its children. Each measurement is kept as soon as it
is there, so that an interrupted run goes on where it was; `--again` measures anew.

Writes `bench/results.json` and, with matplotlib, a plot of time and memory against the size of the text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

import common
from alternatives import PROGRAMS, available
from hyperdive.kernels.decorator import compile_all
from hyperdive.text.sources import find_sources, open_source

HERE = Path(__file__).parent
EPOCHS, BEFORE = 5, {"gensim_skipgram": "gensim_vocabulary"}
"""How many epochs are compared, of which one is measured; what comes once before them."""
STAGES = ("encode", "encode plain", "count", "train")
"""Stages of hyperdive; the plain encoding is that of the paper, with neither patterns nor terms nor the text."""
BESIDE = (
    ("encode plain", "obvious_loop", "the obvious loop (regular expression, dictionary of lemmas)", 1),
    ("encode plain", "gensim_dictionary", "gensim: simple_preprocess, Dictionary (no lemmas)", 1),
    ("encode", "spacy_hearst", "spaCy sentences, six regular expressions (patterns alone)", 1),
    ("encode plain + count", "obvious_count", "the obvious loop, a dictionary of pairs", 1),
    ("encode plain + count", "glove_cooccur", "GloVe: vocab_count, cooccur (one core)", 1),
    ("encode + train", "gensim_skipgram", "gensim: skip-gram, five epochs (one measured)", EPOCHS),
    ("train", "sklearn_nmf", "scikit-learn: NMF of the PPMI matrix, 40 iterations", 1),
)
"""What is compared: stages of hyperdive, the alternative, how it is called, and its epochs."""
PACKAGES = ("hyperdive", "numpy", "scipy", "numba", "gensim", "spacy", "scikit-learn")


class Measurements:
    """What has been measured for one text and these versions; kept after every measurement."""

    def __init__(self, place: Path, identity: dict[str, Any], *, again: bool = False) -> None:
        self._place, self.identity = place, identity
        self._done: dict[str, dict[str, float]] = {}
        if place.exists() and not again:
            kept = json.loads(place.read_text(encoding="utf-8"))
            if kept["identity"] == identity:
                self._done = kept["measurements"]

    def __contains__(self, key: str) -> bool:
        return key in self._done

    def __getitem__(self, key: str) -> dict[str, float]:
        return self._done[key]

    def keep(self, key: str, value: dict[str, float]) -> None:
        self._done[key] = value
        temporary = self._place.with_suffix(".part")
        temporary.write_text(json.dumps({"identity": self.identity, "measurements": self._done}, indent=1), "utf-8")
        temporary.replace(self._place)

    def as_dict(self) -> dict[str, dict[str, float]]:
        return dict(self._done)


def measured(command: list[str]) -> dict[str, float]:
    """Run a process; seconds, processor seconds and peak memory of it and its children."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    told = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"{' '.join(command)} failed: {told[-2000:]}")
    scale = 1e6 if sys.platform == "darwin" else 1e3
    return {
        "seconds": round(time.perf_counter() - started, 2),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_mb": round(usage.ru_maxrss / scale),
    }


def stage_command(stage: str, text: Path, folder: Path) -> list[str]:
    """The command of a stage; later stages read what earlier ones wrote into the folder."""
    corpus, plain = str(folder / "corpus"), str(folder / "plain")
    lean = ["--preset", "paper", "--set", "patterns=no", "--terms", "none", "--no-keep-text"]
    arguments = {
        "encode": ["encode", str(text), "-o", corpus],
        "encode plain": ["encode", str(text), "-o", plain, *lean],
        "count": ["count", plain, "-o", str(folder / "counts")],
        "train": ["train", corpus, "-o", str(folder / "model")],
    }[stage]
    return [sys.executable, "-m", "hyperdive", *arguments, "--force", "--set", "progress=none"]


def plain_text(text: str, most: int) -> bytes:
    """The first bytes of a text, decompressed, cut at the end of a line."""
    chunks, size = [], 0
    for source in find_sources([text], lambda path, reason: None):
        with open_source(source) as stream:
            while size < most and (chunk := stream.read(min(1 << 24, most - size))):
                chunks.append(chunk)
                size += len(chunk)
    data = b"".join(chunks)
    return data[: data.rfind(b"\n") + 1]


def ratios(found: Measurements, part: str) -> list[dict[str, Any]]:
    """Each alternative beside the stages that do its work, on the same part of the text."""
    rows = []
    for stages, name, title, times in BESIDE:
        keys = [f"{stage} {part}" for stage in stages.split(" + ")]
        if f"{name} {part}" not in found or not all(key in found for key in keys):
            continue
        other = found[f"{name} {part}"]
        once = found[f"{BEFORE[name]} {part}"] if f"{BEFORE.get(name)} {part}" in found else dict.fromkeys(other, 0.0)
        row: dict[str, Any] = {"stages": stages, "alternative": title, "epochs": times}
        for figure in ("seconds", "processor_seconds"):
            ours = sum(found[key][figure] for key in keys)
            theirs = once[figure] + (other[figure] - once[figure]) * times
            row[figure], row[f"alternative_{figure}"] = round(ours, 2), round(theirs, 2)
            row[f"{figure}_ratio"] = round(theirs / max(ours, 0.01), 2)
        row["peak_mb"], row["alternative_peak_mb"] = max(found[key]["peak_mb"] for key in keys), other["peak_mb"]
        rows.append(row)
    return rows


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The comparison as a table of Markdown."""
    lines = [
        "| hyperdive | processor s | alternative | processor s | ratio | wall ratio | memory, MB |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        lines.append(
            f"| {row['stages']} | {row['processor_seconds']:.1f} | {row['alternative']} "
            f"| {row['alternative_processor_seconds']:.1f} | {row['processor_seconds_ratio']:.1f} "
            f"| {row['seconds_ratio']:.1f} | {row['peak_mb']:.0f}, {row['alternative_peak_mb']:.0f} |"
        )
    return lines


def stage_table(found: Measurements, shares: list[str], sizes: dict[str, float]) -> list[str]:
    """Processor seconds and peak memory of every stage at every size."""
    lines = ["| stage | " + " | ".join(f"{sizes[share]:.1f} MB" for share in shares) + " |"]
    lines.append("| --- |" + " --- |" * len(shares))
    for stage in STAGES:
        cells = [found[f"{stage} {share}"] for share in shares if f"{stage} {share}" in found]
        if len(cells) == len(shares):
            shown = (f"{cell['processor_seconds']:.1f} s, {cell['peak_mb']:.0f} MB" for cell in cells)
            lines.append(f"| {stage} | " + " | ".join(shown) + " |")
    return lines


def plot(found: Measurements, shares: list[str], sizes: dict[str, float], place: Path) -> bool:
    """Processor time and peak memory against the size of the text; False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "hyperdive"
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for axis, key, title in (
        (axes[0], "processor_seconds", "processor seconds"),
        (axes[1], "peak_mb", "peak memory, MB"),
    ):
        for stage in STAGES:
            points = [(sizes[share], found[f"{stage} {share}"][key]) for share in shares if f"{stage} {share}" in found]
            axis.plot(*zip(*points, strict=True), marker="o", label=stage) if points else None
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks([sizes[share] for share in shares], [f"{sizes[share]:.3g}" for share in shares])
        axis.minorticks_off()
        axis.set_xlabel("text, MB")
        axis.set_title(title)
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place, metadata={"Date": None})
    plt.close(figure)
    return True


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    if available("glove_cooccur"):
        found["glove"] = str(shutil.which("cooccur"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", required=True, help="a large text, one document a line, possibly compressed")
    parser.add_argument("--megabytes", type=float, default=1e6, help="only so much of the text")
    parser.add_argument("--shares", nargs="+", default=["1/16", "1/8", "1/4", "1/2", "1"])
    parser.add_argument("--part", default="1/4", help="the share that alternatives run on; one of the shares")
    parser.add_argument("--only", nargs="+", help="only these stages and alternatives")
    parser.add_argument("--work", type=Path, default=Path("bench-output"), help="folder for texts, corpora and models")
    parser.add_argument("--results", type=Path, default=HERE / "results.json")
    parser.add_argument("--plot", type=Path, default=HERE.parent / "docs" / "pictures" / "bench.svg")
    parser.add_argument("--again", action="store_true", help="measure what has been measured already")
    options = parser.parse_args()
    if options.part not in options.shares:
        parser.error(f"--part {options.part} is none of the shares {' '.join(options.shares)}")

    data = plain_text(options.text, int(options.megabytes * 1e6))
    if not data:
        raise SystemExit(f"{options.text}: no line of text")
    options.work.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(data).hexdigest()
    identity = {"sha256": digest, "bytes": len(data), "versions": versions(), "cores": os.cpu_count()}
    found = Measurements(options.work / "measurements.json", identity, again=options.again)
    sizes = {share: float(Fraction(share)) * len(data) / 1e6 for share in options.shares}
    chosen = set(options.only or (*STAGES, *PROGRAMS))
    print(common.machine(), flush=True)
    compile_all()  # compiling is not what is measured

    for share in sorted(options.shares, key=Fraction):
        folder = options.work / share.replace("/", "-")
        jobs = [(stage, f"{stage} {share}") for stage in STAGES if stage in chosen]
        if share == options.part:
            jobs += [(name, f"{name} {share}") for name in PROGRAMS if name in chosen and available(name)]
        if all(key in found for _, key in jobs):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        text = folder / "text.txt"
        cut = data[: int(len(data) * Fraction(share))]
        text.write_bytes(cut[: cut.rfind(b"\n") + 1])
        for job, key in jobs:
            needs = {"count": "plain", "train": "corpus", "sklearn_nmf": "counts"}.get(job)
            if key in found:
                continue
            if needs is not None and not (folder / needs).exists():  # its measurement was kept, its result was not
                stage = {"plain": "encode plain", "corpus": "encode", "counts": "count"}[needs]
                measured(stage_command(stage, text, folder))
            program = [sys.executable, str(HERE / "alternatives.py"), job, str(text), str(folder)]
            found.keep(key, measured(stage_command(job, text, folder) if job in STAGES else program))
            figures = found[key]
            print(
                f"{key:<24} {figures['processor_seconds']:8.1f} processor s  {figures['seconds']:8.1f} s  "
                f"{figures['peak_mb']:6.0f} MB",
                flush=True,
            )
        if not options.only:
            shutil.rmtree(folder)  # large; the measurements are kept

    rows = ratios(found, options.part)
    result = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": identity["versions"],
        "text": {"bytes": len(data), "sha256": digest, "part": options.part},
        "measurements": found.as_dict(),
        "ratios": rows,
    }
    options.results.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    told = ", ".join(f"{name} {version}" for name, version in identity["versions"].items())
    print(f"\n{result['machine']}; {told}")
    print(f"text: {len(data) / 1e6:.1f} MB; alternatives on {sizes[options.part]:.1f} MB\n")
    print("\n".join([*table(rows), "", *stage_table(found, options.shares, sizes)]))
    print(f"\n{options.results}" + (f", {options.plot}" if plot(found, options.shares, sizes, options.plot) else ""))


if __name__ == "__main__":
    main()
