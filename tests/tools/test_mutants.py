"""Mutants: what is changed, which tests run, and that a sample depends on its seed only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools import load


@pytest.fixture(scope="module")
def tool() -> Any:
    return load("mutants")


def test_every_module_has_tests(tool: Any) -> None:
    modules = tool.modules()
    assert {"spaces/dive.py", "kernels/counts.py", "model.py"} <= set(modules)
    for module in modules:
        assert tool.tests_of(module), module
    assert "tests/counts/test_count.py" in tool.tests_of("kernels/counts.py")


def test_numbers_signs_and_borders_are_changed_and_messages_are_not(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.py").write_text(
        '"""Says 7."""\n'
        "def f(x: int = 3) -> float:\n"
        '    """At most 9."""\n'
        "    if x < 0 and x != -5:\n"
        '        raise ValueError(f"{x + 1} é")\n'
        "    assert x > 4\n"
        "    return dict(zip([x], [min(x, 2.0) * 'é'.count('é')], strict=True))[x] - x\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(tool, "PACKAGE", tmp_path)
    found = [(mutant.line, mutant.after) for mutant in tool.mutants_of("small.py")]
    assert found == sorted(found)
    changed = {after for _, after in found}
    assert "def f(x: int = 4) -> float:" in changed
    assert {"if x <= 0 and x != -5:", "if x < 1 and x != -5:", "if x < 0 and x == -5:"} <= changed
    assert "if (x < 0 or x != -5):" in changed
    assert {line for line, _ in found} == {2, 4, 7}
    assert any("max(x, 2.0) * 'é'" in after for after in changed) and any("4.0" in after for after in changed)
    assert not any("strict=False" in after for after in changed)
    assert len({mutant.key for mutant in tool.mutants_of("small.py")}) == len(found)


def test_a_sample_depends_on_the_seed_alone(tool: Any) -> None:
    every = tool.chosen(["spaces/skipgram.py"])
    first, again, other = (tool.drawn(every, 5, seed) for seed in (0, 0, 1))
    assert [one.key for one in first] == [one.key for one in again] != [one.key for one in other]
    assert len(first) == 5 and [one.line for one in first] == sorted(one.line for one in first)
    line = first[0].line
    assert {one.line for one in tool.chosen([f"spaces/skipgram.py:{line}"])} == {line}
    assert {one.module.split("/")[0] for one in tool.chosen(["counts"])} == {"counts"}
    assert tool.drawn(every, 0, 0) == every
    with pytest.raises(SystemExit, match="no such module"):
        tool.chosen(["web/nothing.py"])
