"""Do the tests notice a wrong number? Change one constant, sign or border at a time and run the package's tests.

    python tools/mutants.py --draw 40 --seed 1          # 40 mutants of the whole package, drawn at random
    python tools/mutants.py spaces/skipgram.py          # all mutants of one module; "spaces" is a whole package
    python tools/mutants.py spaces/skipgram.py:120      # those of one line
    python tools/mutants.py --record killed.tsv         # continue where the last run stopped; survivors run again
    python tools/mutants.py --list spaces/skipgram.py   # show them without running anything

A mutant is killed if a test fails: the examples in its module, then the tests of its package. The program prints the
mutants that survive and the share killed. Mutants are made in a copy of the package in a temporary folder. Libraries
are loaded once: each mutant runs in a fork of this process. The kernels of each copy are compiled first.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import hashlib
import os
import py_compile
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "hyperdive"
TESTS = ROOT / "tests"
PUBLIC = ("test_api.py", "test_asking_a_model.py", "test_plugins.py", "test_resume.py", "test_store.py")
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
SAID = ("OptionError", "InputError", "FormatError", "OutputError", "Error", "register", "dataclass")
LIBRARIES = ("numpy", "scipy.sparse", "numba", "cyclopts", "pytest", "_pytest.doctest", "hypothesis.strategies")
PROCESSOR_SECONDS = 900
WALL_SECONDS = 3600  # a mutant that waits for ever; the machine itself may be slow
BYTES = 8 << 30


@dataclass(frozen=True)
class Mutant:
    """One change: the module, the line, what the line becomes, and the whole changed source."""

    module: str
    line: int
    before: str
    after: str
    source: str

    @property
    def key(self) -> str:
        """The module with a hash of the changed source."""
        return f"{self.module} {hashlib.sha256(self.source.encode()).hexdigest()[:20]}"

    def __str__(self) -> str:
        return f"{self.module}:{self.line}\n  - {self.before}\n  + {self.after}"


def modules() -> list[str]:
    """Every module of the package, by its path."""
    found = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    return [name for name in found if not name.endswith(("__init__.py", "__main__.py"))]


def tests_of(module: str) -> list[str]:
    """The tests of a module's package; of kernels, those of the packages that call them. Files named after it first.

    Modules outside the packages are tested by the files that import them and by those of the public functions.

    >>> tests_of("spaces/skipgram.py")[0], "tests/cli/test_options.py" in tests_of("options.py")
    ('tests/spaces/test_skipgram.py', True)
    """
    package, stem = Path(module).parent.as_posix(), Path(module).stem
    if package == ".":
        named = (f"hyperdive.{stem} ", f"hyperdive import {stem}")
        files = {path for path in TESTS.rglob("test_*.py") if _names(path, *named)} | {TESTS / name for name in PUBLIC}
    else:
        packages = {package}
        if package == "kernels":
            callers = (path for path in PACKAGE.rglob("*.py") if _names(path, f"hyperdive.kernels.{stem} "))
            packages |= {path.parent.relative_to(PACKAGE).as_posix() for path in callers}
        files = {path for name in packages for path in (TESTS / name).glob("test_*.py")}
    order = sorted(files, key=lambda path: (not path.stem.startswith(f"test_{stem.lstrip('_')}"), path))
    return [path.relative_to(ROOT).as_posix() for path in order]


def _names(path: Path, *names: str) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(name in text for name in names)


def mutants_of(module: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines.

    >>> any("1.0 - lean" in mutant.after or mutant.line for mutant in mutants_of("spaces/sbow.py"))
    True
    """
    raw = (PACKAGE / module).read_bytes()
    text = raw.decode("utf-8")
    lines = text.splitlines()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    made = []
    for node, replacement in _changes(ast.parse(text)):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        start, end = starts[first] + node.col_offset, starts[last] + (node.end_col_offset or 0)
        if raw[start:end].decode() == replacement:
            continue
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
    for node in _children(tree):
        if not _is_said(node):
            yield node
            yield from _numeric_nodes(node)


def _children(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.AnnAssign):
        return [] if node.value is None else [node.value]
    if isinstance(node, ast.FunctionDef):
        return [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None), *node.body]
    return list(ast.iter_child_nodes(node))


def _is_said(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _called(node) in SAID
    if isinstance(node, ast.keyword):
        return node.arg == "strict"  # of zip: an assertion
    return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Raise | ast.Assert)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


class Copy:
    """A copy of the package and its tests, in which one mutant at a time is tested."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.original, self.stamp = b"", 0
        for name in (
            "src",
            "tests",
            "docs",
            "notes",
            "results",
            "tools",
            "bench",
            "fuzz",
            "pyproject.toml",
            "README.md",
            "LICENSE",
            "LICENSE-model",
        ):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder)
        shared = folder / "tests" / "conftest.py"
        # kernels are compiled when a test calls them: most of a changed package's kernels are not called
        shared.write_text(shared.read_text(encoding="utf-8").replace("def pytest_sessionstart", "def _compile_ahead"))
        # by the hash of a source: a mutant of the same length in the same second is another source
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(folder, quiet=2, invalidation_mode=checked, workers=1)

    def start(self, mutant: Mutant, *, shown: bool = False) -> int:
        """Run the tests of a mutant's module in a fork of this process; its number."""
        place = self.folder / "src" / "hyperdive" / mutant.module
        self.original, self.stamp = place.read_bytes(), place.stat().st_mtime_ns
        place.write_text(mutant.source, encoding="utf-8")
        child = os.fork()
        if child:
            return child
        code = 70
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 10))
            resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
            os.chdir(self.folder)
            if not shown:
                empty = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(empty, stream)
            sys.path[:0] = [str(self.folder / "src"), str(self.folder)]
            os.environ["PYTHONPATH"] = str(self.folder / "src")
            sys.dont_write_bytecode = True
            import pytest

            options = ["-x", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "not slow", "--doctest-modules"]
            places = [f"src/hyperdive/{mutant.module}", *tests_of(mutant.module)]
            code = int(pytest.main([*options, "--rootdir", str(self.folder), *places]))
        finally:
            os._exit(code)

    def restore(self, mutant: Mutant) -> None:
        """Restore the module, with the time stamp by which its compiled code is found."""
        place = self.folder / "src" / "hyperdive" / mutant.module
        place.write_bytes(self.original)
        os.utime(place, ns=(self.stamp, self.stamp))


def run(mutants: list[Mutant], copies: list[Copy], *, shown: bool = False) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant with whether it survives, as they end."""
    waiting, free = list(reversed(mutants)), list(copies)
    busy: dict[int, tuple[Mutant, Copy, float]] = {}
    try:
        while waiting or busy:
            while waiting and free:
                copy, mutant = free.pop(), waiting.pop()
                busy[copy.start(mutant, shown=shown)] = (mutant, copy, time.monotonic())
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                time.sleep(0.02)
                for late, (_, _, since) in busy.items():
                    if time.monotonic() - since > WALL_SECONDS:
                        os.killpg(late, signal.SIGKILL)
                continue
            if child not in busy:
                continue
            mutant, copy, _ = busy.pop(child)
            copy.restore(mutant)
            free.append(copy)
            yield mutant, os.waitstatus_to_exitcode(status) == 0
    finally:
        for child in busy:
            os.killpg(child, signal.SIGKILL)


def prepare(folder: Path, copies: list[Copy]) -> None:
    """Load the libraries that every test needs, and compile the kernels of each copy."""
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    os.environ["NUMBA_CACHE_DIR"] = str(folder / "kernels")
    compiled = "from hyperdive.kernels import decorator as d; d.compile_all(); print(d.processor_level()[0])"
    for copy in copies:
        environment = {**os.environ, "PYTHONPATH": str(copy.folder / "src")}
        level = subprocess.check_output([sys.executable, "-c", compiled], env=environment, text=True).strip()
    os.environ.update(NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="")  # changed kernels are compiled at first use only
    sys.path[:] = [place for place in sys.path if Path(place).resolve() not in (ROOT / "tools", ROOT / "src")]
    for name in LIBRARIES:
        __import__(name)


def chosen(names: list[str]) -> list[Mutant]:
    """The mutants of these modules, packages or lines; of the whole package if none are named."""
    found: list[Mutant] = []
    for name in names or [""]:
        place, _, line = name.partition(":")
        matching = [one for one in modules() if not place or one == place or one.startswith(place.rstrip("/") + "/")]
        if not matching:
            raise SystemExit(f"{place}: no such module or package in {PACKAGE}")
        found += [one for module in matching for one in mutants_of(module) if int(line or 0) in (0, one.line)]
    return found


def drawn(mutants: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """Return a sample in the order of the mutants; all of them if `number` is 0."""
    if not number or len(mutants) <= number:
        return mutants
    return [mutants[place] for place in sorted(random.Random(seed).sample(range(len(mutants)), number))]


def passes_unchanged(module: str, copy: Copy, *, shown: bool) -> bool:
    """Whether the tests of a module pass without a change."""
    plain = Mutant(module, 0, "", "", (PACKAGE / module).read_text(encoding="utf-8"))
    return all(passed for _, passed in run([plain], [copy], shown=shown))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="modules or packages; the whole package by default")
    parser.add_argument("--draw", type=int, default=0, help="so many mutants, drawn at random; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help="file of the mutants killed so far, which are not run again")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at once")
    parser.add_argument("--list", action="store_true", help="show the mutants only")
    parser.add_argument("--show", action="store_true", help="show what the tests print")
    asked = parser.parse_args()
    wanted = drawn(chosen(asked.modules), asked.draw, asked.seed)
    if asked.list:
        print(*wanted, sep="\n")
        return 0
    record = asked.record
    known = set(record.read_text("utf-8").splitlines()) if record and record.exists() else set()
    left = [mutant for mutant in wanted if mutant.key not in known]
    killed, total = len(wanted) - len(left), len(wanted)
    with tempfile.TemporaryDirectory(prefix="hyperdive-mutants-") as name:
        copies = []
        for number in range(max(1, asked.jobs)):
            (Path(name) / str(number)).mkdir()
            copies.append(Copy(Path(name) / str(number)))
        prepare(Path(name), copies)
        groups = {tuple(tests_of(mutant.module)): mutant.module for mutant in left}
        broken = {tests for tests, one in groups.items() if not passes_unchanged(one, copies[0], shown=asked.show)}
        for tests in broken:
            print(f"not tested: {groups[tests]}: its tests fail without a change: {' '.join(tests)}", flush=True)
        tested = [mutant for mutant in left if tuple(tests_of(mutant.module)) not in broken]
        total -= len(left) - len(tested)
        for done, (mutant, survived) in enumerate(run(tested, copies, shown=asked.show), 1):
            killed += not survived
            if survived:
                print(f"SURVIVED {mutant}", flush=True)
            elif record:
                with record.open("a", encoding="utf-8") as file:
                    file.write(mutant.key + "\n")
            if done % 10 == 0:
                print(f"{done} of {len(tested)} run", flush=True)
    print(f"{killed} of {total} killed ({100 * killed / max(total, 1):.0f} %)")
    if broken:
        return 2
    return 0 if total == killed else 1


if __name__ == "__main__":
    raise SystemExit(main())
