"""Do the tests notice a wrong number? Change one constant, sign or border at a time and run the module's own tests.

    python tools/mutants.py                             # every module of the table; hours
    python tools/mutants.py spaces/skipgram.py          # one module; "spaces" is every module of the package
    python tools/mutants.py spaces/skipgram.py:120      # one line
    python tools/mutants.py --most 12 --seed 1          # at most so many mutants of a module, drawn by the seed
    python tools/mutants.py --record killed.tsv         # go on where the last run stopped; survivors are run again
    python tools/mutants.py --list spaces/skipgram.py   # show them without running anything

A mutant is killed when the examples in the module or the module's own tests fail; the program prints those that
survive, as a diff, and the share killed. `mutants.toml` names the tests of each module, and the survivors that are the
same program in other words, with the reason. Mutants are made on a copy of the package in a temporary folder: the
working tree is never changed. Libraries are loaded once: each mutant runs in a fork of this process. The kernels
of each copy are compiled first.
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
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "hyperdive"
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
MODULES: dict[str, list[str]] = TABLE["tests"]
"""Module → its own tests, beside the examples in it; those most likely to fail first."""
EQUIVALENT: list[dict[str, str]] = TABLE["equivalent"]
"""`module`, `line` (what the changed line begins with, or all of it) and `why` the mutant is the same program."""
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
LIBRARIES = ("numpy", "scipy.sparse", "numba", "typer", "pytest", "_pytest.doctest", "hypothesis.strategies")
PROCESSOR_SECONDS = 240
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

    @property
    def reason(self) -> str:
        """Why this is the same program; nothing when it is not."""
        known = [one for one in EQUIVALENT if one["module"] == self.module and self.after.startswith(one["line"])]
        return known[0]["why"] if known else ""


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
            places = [f"src/hyperdive/{mutant.module}", *MODULES[mutant.module]]
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


def chosen_modules(names: list[str]) -> list[tuple[str, int]]:
    """Modules of the table with the line asked for; 0 is every line."""
    if not names:
        return [(module, 0) for module in MODULES]
    found = []
    for name in names:
        module, _, line = name.partition(":")
        matching = [one for one in MODULES if one == module or one.startswith(module.rstrip("/") + "/")]
        if not matching:
            raise SystemExit(f"{module} is not in {Path(__file__).with_suffix('.toml').name}")
        found += [(one, int(line or 0)) for one in matching]
    return found


def drawn(module: str, line: int, most: int, seed: int) -> list[Mutant]:
    """The mutants of a module, or a sample of them that depends on the seed and the module only."""
    found = [one for one in mutants_of(module) if line in (0, one.line)]
    if most and len(found) > most:
        found = random.Random(f"{seed} {module}").sample(found, most)
    return sorted(found, key=lambda one: one.line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="modules or packages of the table; all of them")
    parser.add_argument("--most", type=int, default=0, help="at most so many mutants of a module; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help="file of the mutants killed so far, which are not run again")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at once")
    parser.add_argument("--list", action="store_true", help="show the mutants only")
    parser.add_argument("--show", action="store_true", help="show what the tests print")
    chosen = parser.parse_args()
    asked = chosen_modules(chosen.modules)
    wanted = [(module, drawn(module, line, chosen.most, chosen.seed)) for module, line in asked]
    if chosen.list:
        print(*(mutant for _, found in wanted for mutant in found), sep="\n")
        return 0
    known = set(chosen.record.read_text("utf-8").splitlines()) if chosen.record and chosen.record.exists() else set()
    killed, total, equivalent = Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="hyperdive-mutants-") as name:
        copies = []
        for number in range(max(1, chosen.jobs)):
            (Path(name) / str(number)).mkdir()
            copies.append(Copy(Path(name) / str(number)))
        prepare(Path(name), copies)
        sound: set[tuple[str, ...]] = set()
        broken: list[str] = []
        for module, found in wanted:
            package, tests = module.split("/")[0], tuple(MODULES[module])
            left = [mutant for mutant in found if mutant.key not in known]
            total[package] += len(found) - len(left)
            killed[package] += len(found) - len(left)
            if left and tests not in sound:
                plain = Mutant(module, 0, "", "", (PACKAGE / module).read_text(encoding="utf-8"))
                if not all(passed for _, passed in run([plain], copies[:1], shown=chosen.show)):
                    print(f"{module}: its tests fail without a change: {' '.join(tests)}", flush=True)
                    broken.append(module)
                    continue
                sound.add(tests)
            started = time.monotonic()
            for mutant, survived in run(left, copies, shown=chosen.show):
                total[package] += 1
                if not survived:
                    killed[package] += 1
                    if chosen.record:
                        with chosen.record.open("a", encoding="utf-8") as file:
                            file.write(mutant.key + "\n")
                elif mutant.reason:
                    equivalent[package] += 1
                else:
                    print(f"SURVIVED {mutant}", flush=True)
            so_far = f"{killed.total()} of {total.total() - equivalent.total()}"
            print(f"{module}: {len(found)} mutants, {time.monotonic() - started:.0f} s; so far {so_far}", flush=True)
    for package in total:
        share = 100 * killed[package] / max(total[package] - equivalent[package], 1)
        print(f"{package}: {killed[package]} of {total[package] - equivalent[package]} killed ({share:.0f} %), "
              f"{equivalent[package]} equivalent")  # fmt: skip
    if broken:
        print(f"not tested: {', '.join(broken)}")
        return 2
    return 0 if total.total() == killed.total() + equivalent.total() else 1


if __name__ == "__main__":
    raise SystemExit(main())
