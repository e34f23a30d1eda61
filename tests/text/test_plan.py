"""Estimates against runs that were measured: text of English Wikipedia, two cores (docs/terms.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperdive.options import EncodeOptions
from hyperdive.spaces.plan import plan_fold_in
from hyperdive.text.plan import plan_text
from hyperdive.text.sources import TextSource

MEGABYTE = 1_000_000


def source_of(tmp_path: Path, size: int) -> TextSource:
    """A file that says it is so large."""
    (tmp_path / "text.txt").write_text("text\n")
    return TextSource(str(tmp_path / "text.txt"), size=size)


@pytest.mark.parametrize(
    ("size", "terms", "disk", "disk_of_words", "seconds", "memory"),
    [
        (20 * MEGABYTE, 32_579, 27.3e6, 23e6, 6.7, 493e6),
        (60 * MEGABYTE, 85_250, 81.2e6, 66.8e6, 11.8, 657e6),
        (335 * MEGABYTE, 390_263, 457.7e6, 360.1e6, 68.8, 1762e6),
    ],
)
def test_estimates_are_near_measured_runs(
    tmp_path: Path, size: int, terms: int, disk: float, disk_of_words: float, seconds: float, memory: float
) -> None:
    source = source_of(tmp_path, size)
    found = plan_text([source], threads=2, rules=EncodeOptions())
    words = plan_text([source], threads=2)
    assert found is not None and words is not None and words.terms == 0
    assert found.terms == pytest.approx(terms, rel=0.25)
    assert found.disk == pytest.approx(disk, rel=0.15) and words.disk == pytest.approx(disk_of_words, rel=0.15)
    assert 2 * found.seconds == pytest.approx(seconds, rel=0.6)  # processor seconds of two threads
    assert found.memory == pytest.approx(memory, rel=0.35)
    assert found.seconds > words.seconds and found.memory > words.memory and found.work_disk > words.work_disk


@pytest.mark.parametrize(
    ("terms", "tokens", "seconds", "memory"), [(85_250, 5_472_430, 4.8, 182e6), (390_263, 30_609_699, 27.6, 634e6)]
)
def test_fold_in_is_near_measured_runs(terms: int, tokens: int, seconds: float, memory: float) -> None:
    found = plan_fold_in(terms, tokens, threads=1)
    assert found.seconds == pytest.approx(seconds, rel=0.2) and found.memory == pytest.approx(memory, rel=0.1)
    assert found.disk == pytest.approx(258 * terms, rel=0.05) and found.work_disk > found.disk
    assert plan_fold_in(terms, tokens, threads=2).seconds == pytest.approx(found.seconds / 2)


def test_the_command_tells_what_terms_add(hyperdive: Callable[..., Any], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("They keep dogs such as poodles.\n" * 50_000)
    told = hyperdive("plan", text).out
    assert "\n  terms " in told and "in training, the rows of terms take\n  time" in told
    words = hyperdive("plan", text, "--terms", "none").out
    assert "terms" not in words and len(words.splitlines()) == 7
    figures = json.loads(hyperdive("plan", text, "--json").out)
    assert figures["encode"]["terms"] == figures["terms"]["terms"] > 0
    assert set(json.loads(hyperdive("plan", text, "--json", "--terms", "none").out)) == {"encode"}
