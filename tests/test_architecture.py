"""Packages import leftwards only, and the package stays light to import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from hyperdive import _WHERE

ROOT = Path(__file__).parents[1] / "src" / "hyperdive"
ORDER = ("text", "counts", "patterns", "spaces", "pipeline", "scores", "discover", "taxonomy", "benchmark", "api")
ALLOWED = {package: set(ORDER[:place]) for place, package in enumerate(ORDER)}
ALLOWED["patterns"] = {"text"}  # counts and patterns stand side by side
ALLOWED["cli"] = ALLOWED["web"] = set(ORDER)
GROUND = {
    "errors",
    "_memo",
    "_quantize",
    "_resources",
    "_resume",
    "_store",
    "_types",
    "_progress",
    "_spelling",
    "table",
    "__version__",
}


def imports(path: Path) -> set[str]:
    """The parts of hyperdive a module imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [_WHERE.get(alias.name, "") if node.module == "hyperdive" else "" for alias in node.names]
            names = [name or f"{node.module}.{alias.name}" for name, alias in zip(names, node.names, strict=True)]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("hyperdive.")}
    return found


@pytest.mark.parametrize("package", sorted(p.name for p in ROOT.iterdir() if (p / "__init__.py").exists()))
def test_packages_import_leftwards_only(package: str) -> None:
    assert package in ALLOWED, f"say in this test what {package} may import"
    for path in (ROOT / package).rglob("*.py"):
        wrong = imports(path) - ALLOWED[package] - GROUND - {package}
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_the_ground_imports_no_package() -> None:
    for name in sorted(GROUND - {"__version__"}):
        assert not imports(ROOT / f"{name}.py") - GROUND


def test_importing_hyperdive_loads_nothing_heavy() -> None:
    code = (
        "import hyperdive, sys; print([m for m in ('numba', 'scipy', 'pyarrow', 'numpy', 'rich') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_the_repository_speaks_of_the_product_alone() -> None:
    words = ("pick" + "le.load", "ev" + "al(", "TO" + "DO")
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not [word for word in words if f" {word}" in text], path
