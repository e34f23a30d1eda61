"""The table of mutants is whole: every module has tests, and every mutant that is called equivalent exists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools import ROOT, load


@pytest.fixture(scope="module")
def tool() -> Any:
    return load("mutants")


def test_every_module_of_four_packages_has_its_own_tests(tool: Any) -> None:
    package = ROOT / "src" / "hyperdive"
    modules = {
        path.relative_to(package).as_posix()
        for name in ("text", "counts", "spaces", "scores")
        for path in (package / name).rglob("*.py")
        if path.name != "__init__.py"
    }
    assert modules - set(tool.MODULES) == set()
    assert all((package / module).is_file() for module in tool.MODULES)
    assert all((ROOT / test).is_file() for tests in tool.MODULES.values() for test in tests)


def test_what_is_called_equivalent_is_a_mutant_with_a_reason(tool: Any) -> None:
    reasons = {
        module: {mutant.reason for mutant in tool.mutants_of(module)}
        for module in {one["module"] for one in tool.EQUIVALENT}
    }
    for one in tool.EQUIVALENT:
        assert len(one["why"]) > 20, one
        assert one["why"] in reasons[one["module"]], one


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
    first, again, other = (tool.drawn("spaces/skipgram.py", 0, 5, seed) for seed in (0, 0, 1))
    assert [one.key for one in first] == [one.key for one in again] != [one.key for one in other]
    assert len(first) == 5 and [one.line for one in first] == sorted(one.line for one in first)
    line = first[0].line
    assert all(one.line == line for one in tool.drawn("spaces/skipgram.py", line, 0, 0))
    assert [module for module, _ in tool.chosen_modules(["counts"])] == [
        m for m in tool.MODULES if m.startswith("counts/")
    ]
    assert tool.chosen_modules(["spaces/dive.py:7"]) == [("spaces/dive.py", 7)]
    with pytest.raises(SystemExit, match=r"web/app\.py is not in mutants\.toml"):
        tool.chosen_modules(["web/app.py"])
