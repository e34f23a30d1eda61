"""Borders and defaults of counting where a `<` for a `<=`, or a number more, would show."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hyperdive._progress import Progress
from hyperdive.counts import _packing_kernels
from hyperdive.counts.association import Margins
from hyperdive.counts.count import _warn_of_little_disk


def test_rows_without_edges_read_none() -> None:
    """Behind the empty array lie numbers that must not be read."""
    lengths, indices = np.array([2, 1], dtype=np.uint32), np.array([1, 4, 2], dtype=np.uint32)
    counts = np.array([1, 3, 20], dtype=np.uint32)
    packed = []
    for edges in (np.full(8, 7, dtype=np.uint32)[:0], np.zeros(3, dtype=np.uint32)):
        data = np.zeros(64, dtype=np.uint8)
        used = int(_packing_kernels.pack_rows(lengths, indices, counts, edges, data))
        packed.append(data[:used].tobytes())
    assert packed[0] == packed[1]


def test_a_single_entry_has_its_edge() -> None:
    one = np.ones(1, dtype=np.uint32)
    data = np.zeros((2, 64), dtype=np.uint8)
    with_edge = _packing_kernels.pack_rows(one, one, 3 * one, 2 * one, data[0])
    without = _packing_kernels.pack_rows(one, one, 3 * one, one[:0], data[1])
    assert with_edge == without and data[0].tolist() != data[1].tolist()


def test_a_meeting_next_door_counts_once() -> None:
    ones = np.ones(2, dtype=np.int64)
    assert Margins(ones, ones, total=2, words=2).scale == 1


@pytest.mark.parametrize(("free", "notes"), [(10, 0), (9, 1)])
def test_little_disk_is_less_than_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, notes: int
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free))
    told: list[str] = []
    progress = Progress("none")
    monkeypatch.setattr(progress, "note", told.append)
    plan = SimpleNamespace(disk=6, work_disk=4)
    _warn_of_little_disk(tmp_path / "counts", plan, progress)  # type: ignore[arg-type]
    assert len(told) == notes
