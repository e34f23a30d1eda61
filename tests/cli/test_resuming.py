"""`--resume`, which older scripts name, is the default."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_resume_is_accepted_and_excludes_restart(hyperdive: Run, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the dog is an animal that sleeps\n" * 30)
    assert hyperdive("encode", text, "-o", tmp_path / "corpus", "--min-count", 1).code == 0
    assert hyperdive("count", tmp_path / "corpus", "-o", tmp_path / "counts", "--resume").code == 0
    refused = hyperdive("count", tmp_path / "corpus", "-o", tmp_path / "other", "--resume", "--restart")
    assert refused.code == 1 and "exclude each other" in refused.err
    assert "--resume" not in hyperdive("count", "--help").out
