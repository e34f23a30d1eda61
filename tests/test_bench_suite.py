"""`make bench` on a tiny text: what it measures, keeps and compares, and that it goes on where it was."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SUITE = Path(__file__).parents[1] / "bench" / "suite.py"
SOME = ("encode plain", "count", "obvious_loop", "obvious_count")


def run(folder: Path, *options: str, only: tuple[str, ...] = SOME) -> str:
    command = [
        sys.executable, str(SUITE), "--text", str(folder / "text.txt"), "--shares", "1/2", "1", "--part", "1/2",
        "--work", str(folder / "work"), "--results", str(folder / "results.json"), "--plot", str(folder / "plot.svg"),
        *(["--only", *only] if only else []), *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = (
        f"dogs such as poodles and terriers bark at tree number {n}\na cat is an animal of kind {n}\n"
        for n in range(900)
    )
    (tmp_path / "text.txt").write_text("".join(lines), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_tiny_text_gives_ratios_a_plot_and_goes_on_where_it_was(folder: Path) -> None:
    first = run(folder, only=("encode plain",))
    assert re.findall(r"^(\S.*?) {2,}.*processor s", first, re.MULTILINE) == ["encode plain 1/2", "encode plain 1"]
    kept = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    second = run(folder)
    fresh = re.findall(r"^(\S.*?) {2,}.*processor s", second, re.MULTILINE)
    assert fresh == ["count 1/2", "obvious_loop 1/2", "obvious_count 1/2", "count 1"]
    result = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert result["measurements"].items() >= kept["measurements"].items()
    assert all(
        figures["processor_seconds"] > 0 and figures["peak_mb"] > 10 for figures in result["measurements"].values()
    )
    assert [row["stages"] for row in result["ratios"]] == ["encode plain", "encode plain + count"]
    measurements, row = result["measurements"], result["ratios"][1]
    ours = sum(measurements[key]["processor_seconds"] for key in ("encode plain 1/2", "count 1/2"))
    assert row["processor_seconds"] == pytest.approx(ours, abs=0.01)
    ratio = measurements["obvious_count 1/2"]["processor_seconds"] / ours
    assert row["processor_seconds_ratio"] == pytest.approx(ratio, abs=0.01)
    assert "| encode plain + count |" in second and result["text"]["part"] == "1/2"
    assert (folder / "plot.svg").read_text(encoding="utf-8").startswith("<?xml")
    (folder / "text.txt").write_text("another text altogether\n" * 2000, encoding="utf-8")
    assert "encode plain 1/2" in run(folder, only=("encode plain",)).split("\n\n")[0]


def test_epochs_are_multiplied_and_what_comes_before_them_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SUITE.parent))
    suite = importlib.import_module("suite")
    figures = {"encode 1": 2, "train 1": 8, "gensim_vocabulary 1": 3, "gensim_skipgram 1": 13}
    found = {key: {"seconds": x, "processor_seconds": 2 * x, "peak_mb": x} for key, x in figures.items()}
    (row,) = suite.ratios(found, "1")
    assert (row["seconds"], row["alternative_seconds"], row["seconds_ratio"]) == (10, 3 + 5 * 10, 5.3)
    assert (row["processor_seconds"], row["alternative_processor_seconds"], row["peak_mb"]) == (20, 106, 8)


@pytest.mark.slow
def test_all_stages_and_alternatives_run(folder: Path) -> None:
    generator, syllables = (
        np.random.default_rng(0),
        ("ba", "co", "di", "fu", "ge", "lo", "mi", "nu", "pa", "re", "so", "ti"),
    )
    topics = np.array(
        [[first + second + third for first in syllables for third in ("ka", "zo")] for second in syllables]
    )
    lines = (" ".join(generator.choice(topics[generator.integers(0, len(topics))], 12)) for _ in range(6000))
    (folder / "text.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    out = run(folder, only=())
    for name in ("train 1", "encode phrases 1", "spacy_hearst 1/2", "gensim_skipgram 1/2", "sklearn_nmf 1/2"):
        assert re.search(rf"^{name} ", out, re.MULTILINE)
    assert not (folder / "work" / "1-2").exists()
