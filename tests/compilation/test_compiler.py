"""Compiling ahead: in other processes, with a message, once; what it leaves is what the process then uses."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from threading import Timer

import pytest

from hyperdive._locks import exclusive
from hyperdive._progress import Progress
from hyperdive.cli.generated_text import write_generated
from hyperdive.compilation import compiler, environment, kernel_store
from hyperdive.compilation.kernel_store import CompiledKernels, ShippedKernels, entry_name
from hyperdive.compilation.signatures import Signature, every_use, manifest, needed

TWO = [
    Signature("text._kernels.streams:add_counts", "u4[:] i8[:]", "try", 0.5),
    Signature("text._kernels.forms:renumber", "u4[:] u4[:]", "try", 0.5),
]


@pytest.fixture
def empty_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CompiledKernels]:
    """No kernel is there, and those compiled go to a folder of the test."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    environment.cache_folder.cache_clear()
    store = CompiledKernels(environment.cache_folder().path / environment.tag(environment.target()))
    monkeypatch.setattr(kernel_store, "compiled_kernels", lambda: store)
    monkeypatch.setattr(kernel_store, "shipped_kernels", lambda: ShippedKernels(tmp_path / "none.zip"))
    monkeypatch.setattr(compiler, "needed", lambda uses: TWO if "try" in uses else [])
    yield store
    environment.cache_folder.cache_clear()


def test_missing_kernels_are_compiled_once_and_announced(empty_stores: CompiledKernels) -> None:
    out = io.StringIO()
    assert compiler.prepare("other", progress=Progress("none", out)) == 0 and out.getvalue() == ""
    assert compiler.prepare("try", progress=Progress("none", out)) == 2
    assert out.getvalue() == "Compiling 2 kernels, once (about 2 s)\n"
    assert all(entry_name(one.kernel, one.types) in empty_stores for one in TWO)
    assert compiler.prepare("try", progress=Progress("none", out)) == 0


def test_a_kernel_that_cannot_be_compiled_is_left_to_first_use(
    empty_stores: CompiledKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Signature("text._kernels.streams:no_such_kernel", "i8", "try", 0.1)
    monkeypatch.setattr(compiler, "needed", lambda uses: [wrong, TWO[1]])
    compiler.prepare("try", progress=Progress("none", io.StringIO()))
    assert entry_name(TWO[1].kernel, TWO[1].types) in empty_stores
    assert entry_name(wrong.kernel, wrong.types) not in empty_stores


def test_a_process_uses_what_another_one_compiled(empty_stores: CompiledKernels, tmp_path: Path) -> None:
    compiler.prepare("try", progress=Progress("none", io.StringIO()))
    code = (
        "import numpy as np, sys\n"
        "from hyperdive.compilation import environment, kernel_store\n"
        "kernel_store.use_shipped = False\n"
        "environment.own_process, environment.unforeseen = sys.argv[1] == 'own', print\n"
        "from hyperdive.text._kernels.streams import add_counts\n"
        "counts = np.zeros(3, dtype=np.int64)\n"
        "add_counts(np.array([1, 1, 2], dtype=np.uint32), counts)\n"
        "assert counts.tolist() == [0, 2, 1]\n"
        "add_counts(np.array([1], dtype=np.uint64), counts)\n"
    )
    for process in ("user's", "own"):  # in the user's, Numba compiles for the processor at hand, and keeps that apart
        done = subprocess.run(
            [sys.executable, "-c", code, process], env=dict(os.environ), capture_output=True, text=True
        )
        printed = "text._kernels.streams:add_counts\n"  # only the types that nobody compiled before
        assert done.stdout == printed, (process, done.stdout, done.stderr)
        assert not done.stderr


def test_subkernels_get_code_of_their_own_only_where_they_may_be_called() -> None:
    code = (
        "import sys\n"
        "from hyperdive.compilation import environment\n"
        "environment.own_process, environment.only_compiles = True, sys.argv[1] == 'compiles'\n"
        "from hyperdive.compilation.signatures import types_of\n"
        "from hyperdive.taxonomy import _kernels\n"
        "from numba import njit\n"
        "caller = njit(lambda node, group: _kernels._find(node, group))\n"
        "caller.compile(types_of('i8 i8[:]'))\n"
        "for function in (caller, _kernels._find):\n"
        "    [compiled] = function.overloads.values()\n"
        "    code = compiled.library\n"
        "    found = code.get_pointer_to_function(compiled.fndesc.llvm_func_name)\n"
        "    print(type(code).__name__, found != 0)\n"
        "import numpy as np\n"
        "print(caller(1, np.array([-1, 2, -1])))\n"
    )
    for process, callee in (("compiles", "CalleeLibrary False"), ("calls", "JITCodeLibrary True")):
        command = [sys.executable, "-c", code, process]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.stdout == f"JITCodeLibrary True\n{callee}\n2\n", (process, done.stdout, done.stderr)


def test_settings_have_the_hashes_and_are_equal_where_they_were() -> None:
    code = (
        "from numba.core.compiler import Flags\n"
        "from hyperdive.compilation.callees import spare_work\n"
        "one, other, unset = Flags(), Flags(), Flags()\n"
        "other.release_gil = True\n"
        "unset.release_gil = one.release_gil\n"  # set to what it is without that
        "def facts():\n"
        "    return hash(one), hash(other), one == other, one == unset, one != other, one == {}, one == one\n"
        "before = facts()\n"
        "spare_work()\n"
        "print(before == facts(), before[2:])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True (False, True, True, False, True)\n", (done.stdout, done.stderr)


def test_machine_code_is_the_same_with_less_work() -> None:
    """A loop and tuples; and a generator, for which live variables are worked out."""
    code = (
        "import sys\n"
        "from hyperdive.compilation import environment\n"
        "environment.only_compiles = True\n"
        "if sys.argv[1] == 'spared':\n"
        "    from hyperdive.compilation.callees import spare_work\n"
        "    spare_work()\n"
        "from numba import int64, njit\n"
        "from numba.core.types import Array, Integer, Type\n"
        "@njit\n"
        "def squares(n):\n"
        "    for i in range(n):\n"
        "        total = i * i\n"
        "        yield total\n"
        "@njit\n"
        "def summed(n):\n"
        "    total, last = 0.0, (0, 1)\n"
        "    for square in squares(n):\n"
        "        if square % 3 == 1:\n"
        "            total, last = total + square, (square, last[0])\n"
        "    return total, last\n"
        "summed.compile((int64,))\n"
        "[compiled] = summed.overloads.values()\n"
        "print(compiled.library.get_asm_str())\n"
        "print(isinstance(int64, Integer), isinstance(int64, Array), isinstance(3, Type), issubclass(Integer, Type))\n"
        "print(summed(9))\n"
    )
    told = []
    for process in ("plain", "spared"):
        command, settings = [sys.executable, "-c", code, process], {**os.environ, "PYTHONHASHSEED": "0"}
        done = subprocess.run(command, capture_output=True, text=True, env=settings)
        assert done.stdout.endswith("True False False True\n(159.0, (64, 49))\n"), (
            process,
            done.stdout[-300:],
            done.stderr,
        )
        told.append(re.sub(r"\b\d{9,}\b", "address", done.stdout))
    assert told[0] == told[1]


def test_a_process_waits_for_what_it_needs_of_what_another_one_compiles(empty_stores: CompiledKernels) -> None:
    """The other process holds the lock all the time: this one goes on as soon as its own kernels are there."""
    out = io.StringIO()
    with exclusive(environment.cache_folder().path / "lock"):
        writers = [Timer(0.3 * (1 + number), write, (empty_stores, one)) for number, one in enumerate(TWO)]
        for writer in writers:
            writer.start()
        assert compiler.prepare("try", progress=Progress("json", out)) == 0
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert lines[0] == {"note": "Waiting for 2 kernels that another process compiles"}
    assert (lines[-1]["done"], lines[-1]["total"], lines[-1]["finished"]) == (2, 2, True)
    assert not kernel_store.missing(TWO)


def test_what_another_process_leaves_out_is_compiled_after_it(empty_stores: CompiledKernels) -> None:
    """The lock becomes free with one of two kernels there."""
    out = io.StringIO()
    with ExitStack() as other:
        other.enter_context(exclusive(environment.cache_folder().path / "lock"))
        write(empty_stores, TWO[0])
        Timer(0.3, other.pop_all().close).start()
        assert compiler.prepare("try", progress=Progress("none", out)) == 1
    assert out.getvalue().splitlines() == [
        "Waiting for 1 kernel that another process compiles", "Compiling 1 kernel, once (about 2 s)",
    ]  # fmt: skip
    assert not kernel_store.missing(TWO)


def write(store: CompiledKernels, one: Signature) -> None:
    store.write(entry_name(one.kernel, one.types), b"code")


def test_kernels_are_compiled_in_the_order_of_their_uses_and_the_longest_of_each_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def feed(process: object, waiting: SimpleQueue[Signature], bar: object) -> None:
        while not waiting.empty():
            asked.append(waiting.get_nowait().kernel)

    class Nobody:
        def kill(self) -> None: ...
        def wait(self) -> None: ...

    monkeypatch.setattr(compiler, "_feed", feed)
    monkeypatch.setattr(compiler, "start_worker", Nobody)
    monkeypatch.setattr(compiler, "check_threads", lambda threads: 1)
    absent = [Signature(*one) for one in (("d", "", "first", 1), ("c", "", "first", 2), ("a", "", "then", 9))]
    compiler._compile(absent, Progress("none", io.StringIO()))
    assert asked == ["c", "d", "a"]


def test_needed_kernels_come_in_the_order_of_the_uses() -> None:
    uses = ["taxonomy", "count", "taxonomy"]
    assert [use for use, _ in groupby(one.use for one in needed(uses))] == ["taxonomy", "count"]
    assert len(needed(every_use())) == len(manifest())


TRAIN = """
import sys
from pathlib import Path
from hyperdive.compilation import compiler, environment, kernel_store
source, text, model = sys.argv[1:]
environment.own_process = True
if source == "shipped":
    kernel_store.SHIPPED = Path(text).parent
    environment.unforeseen = lambda kernel: sys.exit(f"{kernel} was not shipped")
else:
    kernel_store.use_shipped = False
compiler.in_other_processes = source == "ahead"
from hyperdive import train
train(text, model, dimensions=8, passes=3, pmi_filter="none", threads=2)
if source == "ahead":
    folder = kernel_store.compiled_kernels().folder
    kernels = {path.name: kernel_store.compiled_kernels().read(path.name) for path in folder.glob("*/*-*")}
    kernel_store.ShippedKernels.write(Path(text).parent / f"{environment.tag(environment.target())}.zip", kernels)
"""


@pytest.mark.slow
def test_models_have_the_same_bytes_wherever_kernels_come_from(tmp_path: Path) -> None:
    """Compiled ahead, shipped (then nothing is compiled), and compiled by the process that trains."""
    [text, *_] = write_generated(tmp_path)
    models = {}
    for source in ("ahead", "shipped", "itself"):
        settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / source)}
        command = [sys.executable, "-c", TRAIN, source, str(text), str(tmp_path / f"model-{source}")]
        done = subprocess.run(command, env=settings, capture_output=True, text=True)
        assert done.returncode == 0, (source, done.stderr)
        folder = tmp_path / f"model-{source}"
        models[source] = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "README.md"}
    assert models["ahead"] == models["shipped"] == models["itself"]
