"""Do the tests notice a wrong number? Change one constant, sign or border at a time and run the module's own tests.

    python tools/mutants.py                             # every module of the table; hours
    python tools/mutants.py spaces/skipgram.py          # one module
    python tools/mutants.py --most 12 --seed 1          # at most so many mutants of a module, drawn by the seed
    python tools/mutants.py --list spaces/skipgram.py   # show them without running anything

A mutant is killed when the tests of its own module fail; the program prints those that survive, as a diff, and the
share killed. Mutants are made on a copy of the package in a temporary folder: the working tree is never changed.
Survivors that are equivalent are listed with the reason in `EQUIVALENT`, by the text of the changed line.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "hyperdive"
MODULES = {
    "text/term_names.py": ("tests/text/test_term_names.py",),
    "text/lemmas.py": ("tests/text/test_lemmas.py",),
    "counts/association.py": ("tests/counts/test_association.py",),
    "counts/pmi_filter.py": ("tests/counts/test_pmi_filter.py",),
    "patterns/svd.py": ("tests/patterns/test_svd.py",),
    "spaces/dive.py": ("tests/spaces/test_dive.py",),
    "spaces/dive_objective.py": ("tests/spaces/test_dive.py", "tests/spaces/test_residuals.py"),
    "spaces/dive_options.py": ("tests/spaces/test_dive.py", "tests/spaces/test_dive_paper.py"),
    "spaces/dive_paper.py": ("tests/spaces/test_dive_paper.py",),
    "spaces/skipgram.py": ("tests/spaces/test_skipgram.py",),
    "spaces/inputs.py": ("tests/spaces/test_skipgram.py", "tests/pipeline/test_train.py"),
    "spaces/sbow.py": ("tests/spaces/test_sbow.py",),
    "scores/paper_scores.py": ("tests/scores/test_kernels.py", "tests/scores/test_registry.py"),
    "scores/other_scores.py": ("tests/scores/test_kernels.py",),
    "scores/pattern_scores.py": ("tests/scores/test_pattern_scores.py",),
    "scores/combined_score.py": ("tests/scores/test_combined_score.py",),
    "benchmark/measures.py": ("tests/benchmark/test_measures.py",),
    "benchmark/reproduce/verdicts.py": ("tests/benchmark/test_verdicts.py",),
    "benchmark/reproduce/printed.py": ("tests/benchmark/test_verdicts.py", "tests/benchmark/test_paper.py"),
}
"""Numeric modules → their own tests."""
EQUIVALENT: dict[tuple[str, str], str] = {
    ("benchmark/measures.py", "best = int(np.argmax(np.where(test_hits > 0, train_f1, -2.0)))"): (
        "F1 is never negative, so any negative number leaves a cut out"
    ),
}
"""(module, changed line without indentation) → why the mutant is the same program."""
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = {"maximum": "minimum", "minimum": "maximum", "max": "min", "min": "max", "any": "all", "all": "any"}
SECONDS = 300


@dataclass(frozen=True)
class Mutant:
    """One change: the module, the line, what the line becomes, and the whole changed source."""

    module: str
    line: int
    before: str
    after: str
    source: str


def mutants_of(module: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines.

    >>> any("1.0 - lean" in mutant.after or mutant.line for mutant in mutants_of("spaces/sbow.py"))
    True
    """
    text = (PACKAGE / module).read_text(encoding="utf-8")
    lines = text.splitlines()
    made = []
    for node, replacement in _changes(ast.parse(text)):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        old = ast.get_source_segment(text, node)
        if old is None or old == replacement:
            continue
        start = sum(len(line.encode()) + 1 for line in lines[:first]) + node.col_offset
        end = sum(len(line.encode()) + 1 for line in lines[:last]) + (node.end_col_offset or 0)
        raw = text.encode()
        changed = (raw[:start] + replacement.encode() + raw[end:]).decode()
        try:
            compile(changed, module, "exec")
        except SyntaxError:
            continue
        after = changed.splitlines()[first]
        made.append(Mutant(module, first + 1, lines[first].strip(), after.strip(), changed))
    return sorted(made, key=lambda one: (one.line, one.after))


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Expressions and what to put in their place; never in docstrings, annotations, messages or imports."""
    for node in _numeric_nodes(tree):
        if isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes) and node.value is not None:
            value = node.value
            if isinstance(value, bool):
                yield node, str(not value)
            elif isinstance(value, int):
                yield node, str(value + 1)
            elif isinstance(value, float):
                yield node, repr(value * 2 if value else 1.0)
        elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            yield node, ast.unparse(ast.BinOp(node.left, SWAPS[type(node.op)](), node.right))  # type: ignore[arg-type]
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
            yield node, ast.unparse(ast.Compare(node.left, [SWAPS[type(node.ops[0])]()], node.comparators))  # type: ignore[list-item]
        elif isinstance(node, ast.BoolOp):
            yield node, f"({ast.unparse(ast.BoolOp(SWAPS[type(node.op)](), node.values))})"  # type: ignore[arg-type]
        elif (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and not isinstance(node.operand, ast.Constant)
        ):
            yield node, f"({ast.unparse(node.operand)})"
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node, f"{ast.unparse(node.value)}.{NAMES[node.attr]}"
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield node, NAMES[node.id]


def _numeric_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes that compute: what is only said or typed is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Raise | ast.Assert):
            continue
        if isinstance(node, ast.Call) and _called(node) in (
            "OptionError",
            "InputError",
            "Error",
            "register",
            "dataclass",
        ):
            continue
        if isinstance(node, ast.AnnAssign):
            children: list[ast.AST] = [node.value] if node.value is not None else []
        elif isinstance(node, ast.FunctionDef):
            children = [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None), *node.body]
        else:
            children = [node]
        for child in children:
            if child is node:
                yield node
                yield from _numeric_nodes(node)
            else:
                yield child
                yield from _numeric_nodes(child)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def survives(mutant: Mutant, folder: Path) -> bool:
    """Whether the module's own tests pass with the mutant in a copy of the package."""
    place = folder / "src" / "hyperdive" / mutant.module
    original = place.read_text(encoding="utf-8")
    place.write_text(mutant.source, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "-m",
        "not slow",
    ]
    command += ["--rootdir", str(folder), *MODULES[mutant.module]]
    try:
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False)
        return ran.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        place.write_text(original, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="modules of the table; all of them")
    parser.add_argument("--most", type=int, default=0, help="at most so many mutants of a module; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="show the mutants only")
    chosen = parser.parse_args()
    killed = total = equivalent = 0
    with tempfile.TemporaryDirectory(prefix="hyperdive-mutants-") as name:
        folder = Path(name)
        if not chosen.list:
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / "src", folder / "src", ignore=ignore)
            shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignore)
            shutil.copytree(ROOT / "docs", folder / "docs", ignore=ignore)
            shutil.copy(ROOT / "pyproject.toml", folder)
        for module in chosen.modules or MODULES:
            found = mutants_of(module)
            source = (PACKAGE / module).read_text(encoding="utf-8")
            if not chosen.list and not survives(Mutant(module, 0, "", "", source), folder):
                print(f"{module}: its tests fail without a change: {' '.join(MODULES[module])}")
                return 2
            if chosen.most and len(found) > chosen.most:
                found = sorted(
                    random.Random(f"{chosen.seed} {module}").sample(found, chosen.most), key=lambda one: one.line
                )
            for mutant in found:
                shown = f"{module}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}"
                if chosen.list:
                    print(shown)
                    continue
                total += 1
                if not survives(mutant, folder):
                    killed += 1
                elif (module, mutant.after) in EQUIVALENT:
                    equivalent += 1
                else:
                    print(f"SURVIVED {shown}", flush=True)
            if not chosen.list:
                print(f"{module}: {len(found)} mutants; so far {killed} of {total} killed", flush=True)
    if total:
        share = 100 * killed / max(total - equivalent, 1)
        print(f"{killed} of {total - equivalent} killed ({share:.0f} %), {equivalent} equivalent")
    return 0 if total == killed + equivalent else 1


if __name__ == "__main__":
    raise SystemExit(main())
