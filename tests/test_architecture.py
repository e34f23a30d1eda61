"""Packages import leftwards only, no imports go round in circles, and the package stays light to import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from hyperdive import _WHERE

ROOT = Path(__file__).parents[1] / "src" / "hyperdive"
ORDER = (
    "engines",
    "text",
    "counts",
    "patterns",
    "spaces",
    "pipeline",
    "scores",
    "ask",
    "taxonomy",
    "benchmark",
    "paper",
    "api",
    "estimator",
)
ALLOWED = {package: set(ORDER[:place]) for place, package in enumerate(ORDER)}
ALLOWED["kernels"] = set()
ALLOWED["patterns"] = {"engines", "text"}  # counts and patterns stand side by side
ALLOWED["web"] = set(ORDER)
ALLOWED["cli"] = {*ORDER, "web"}
GROUND = {
    "kernels",
    "errors",
    "_engine",
    "_lines",
    "_locks",
    "_memo",
    "_plugins",
    "_quantize",
    "_resources",
    "_resume",
    "_atomic",
    "_checks",
    "_store",
    "_types",
    "_progress",
    "_spelling",
    "options",
    "table",
    "__version__",
}
EXEMPT = {"model"}
"""A model answers questions, for which it imports packages to its right; what makes models imports it."""

LATE = {
    # a model that is only asked one question does not load the other questions, nor what training needs
    "api": {"_resources", "pipeline.add", "pipeline.train", "pipeline.encode", "pipeline.inputs", "text.sources"},
    "model": {
        "ask.explain",
        "ask.hypernyms",
        "ask.options",
        "ask.question",
        "ask.ranking",
        "ask.similar",
        "ask.statements",
        "ask.topics",
        "taxonomy.build",
        "taxonomy.options",
    },
    "text.term_names": {"text.lemmas"},
    "text.vocabulary": {"text.lemmas"},
    # compiled kernels: numba takes a second to load, and a store that is only looked into needs none
    "counts.cooccurrence": {"counts.count", "kernels.counts"},
    "counts.rows": {"kernels.counts"},
    "counts.term_counts": {"kernels.counts"},
    "spaces.dive": {"kernels.dive"},
    "spaces.dive_objective": {"kernels.dive"},
    "spaces.dive_paper": {"kernels.dive"},
    "spaces.fold_in": {"kernels.dive"},
    "spaces.gaussian": {"kernels.gaussian"},
    "spaces.skipgram": {"kernels.dive"},
    "text.forms": {"kernels.forms"},
    # the tagger's process pool is for --pos only
    "text.encoder": {"text.tagging"},
    "text.parts": {"text.tagging"},
}
"""Every import inside a function, with the reason; each saves start-up time. Verbs import all they need when called."""
HEAVY = {
    "csv", "difflib", "gensim", "hashlib", "importlib", "json", "llvmlite", "matplotlib", "networkx", "numba", "pandas", "polars",
    "pyarrow", "pyspark", "rdflib", "rich", "safetensors", "scipy", "simplemma", "sklearn", "spacy", "textblob", "threadpoolctl",
}  # fmt: skip
"""Other packages that are imported when first needed: slow to load, or optional."""
MOST_LINES, MOST_PARAMETERS = 600, 7
MANY_PARAMETERS = {
    # the public door names every option, so that help and completion show them
    "pipeline.encode:encode",
    "pipeline.train:train",
    "api:train",
    "model:hypernyms",
    "model:taxonomy",
    "estimator:__init__",
}
"""Functions outside kernels and verbs with more than seven parameters."""


class Import(NamedTuple):
    """One imported module, and whether it is imported inside a function or for type checkers only."""

    name: str
    late: bool
    typing: bool


def modules() -> dict[str, Path]:
    """All modules by their name without `hyperdive.`; a package by its own."""
    names = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        names[".".join(part for part in parts if part != "__init__")] = path
    return names


MODULES = modules()


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


@cache
def imports(name: str) -> tuple[Import, ...]:
    """Everything a module imports, wherever in the file."""
    inside: dict[ast.AST, str] = {}
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside |= dict.fromkeys(ast.walk(node), "late")
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            inside |= dict.fromkeys(ast.walk(node), "typing")
    return tuple(
        Import(module, inside.get(node) == "late", inside.get(node) == "typing")
        for node in ast.walk(tree(name))
        for module in _modules_of(node)
    )


def _modules_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        assert not node.level, "imports are absolute"
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            if node.module == "hyperdive" and alias.name in _WHERE:
                yield _WHERE[alias.name]
            elif whole.removeprefix("hyperdive.") in MODULES and node.module.startswith("hyperdive"):
                yield whole
            else:
                yield node.module


def own_imports(name: str, *, late: bool | None = None) -> set[str]:
    """The modules of this package that a module imports when it runs."""
    return {
        imported.name.removeprefix("hyperdive.")
        for imported in imports(name)
        if imported.name.startswith("hyperdive.") and not imported.typing and (late is None or imported.late is late)
    }


def package_of(name: str) -> str:
    return name.split(".")[0]


@pytest.mark.parametrize("package", sorted(p.name for p in ROOT.iterdir() if (p / "__init__.py").exists()))
def test_packages_import_leftwards_only(package: str) -> None:
    assert package in ALLOWED, f"say in this test what {package} may import"
    for name in MODULES:
        if package_of(name) == package:
            named = {imported.name for imported in imports(name) if imported.name.startswith("hyperdive.")}
            wrong = {package_of(module.removeprefix("hyperdive.")) for module in named}
            wrong -= ALLOWED[package] | GROUND | EXEMPT | {package}
            assert not wrong, f"{name} imports {wrong}"


def test_the_ground_imports_no_package() -> None:
    for name in sorted(GROUND - {"__version__"}):
        assert not {package_of(module) for module in own_imports(name)} - GROUND, name


def test_no_imports_go_round_in_circles() -> None:
    """Late imports too: they would only hide a circle."""
    graph = {name: own_imports(name) & MODULES.keys() for name in MODULES}
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, f"a circle of imports: {' → '.join((*way[way.index(name) :], name))}"
        if name not in done:
            for other in sorted(graph[name] - {name}):
                visit(other, (*way, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def test_late_imports_are_those_of_the_list() -> None:
    late = {name: own_imports(name, late=True) for name in MODULES if name and package_of(name) != "cli"}
    assert {name: named for name, named in late.items() if named} == LATE


def test_late_imports_of_other_packages_are_heavy_ones() -> None:
    for name in MODULES:
        if package_of(name) != "cli":
            others = {package_of(imported.name) for imported in imports(name) if imported.late} - {"hyperdive"}
            assert others <= HEAVY, name


def test_a_class_name_exists_once() -> None:
    places = defaultdict(list)
    for name in MODULES:
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)
    assert not {known: where for known, where in places.items() if len(where) > 1}


def test_a_module_fits_in_one_reading() -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert not {name: many for name, many in lines.items() if many > MOST_LINES and package_of(name) != "kernels"}


def test_functions_have_few_parameters() -> None:
    many = set()
    for name in MODULES:
        if "kernels" in name or package_of(name) == "cli":
            continue
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args
                named = [one for one in given.posonlyargs + given.args if one.arg not in ("self", "cls")]
                several = [one for one in (given.vararg, given.kwarg) if one is not None]
                if len(named) + len(given.kwonlyargs) + len(several) > MOST_PARAMETERS:
                    many.add(f"{name}:{node.name}")
    assert many <= MANY_PARAMETERS


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
