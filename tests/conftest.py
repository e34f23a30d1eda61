"""What all tests share: a way to run the command line, and the folder with the datasets where there is one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from hyperdive._locks import exclusive
from hyperdive.cli.main import main
from hyperdive.kernels.decorator import compile_all

# a busy machine and a kernel that is compiled first are no failures
settings.register_profile("hyperdive", deadline=None)
settings.load_profile("hyperdive")


def pytest_sessionstart() -> None:
    """Compile ahead, so that no test waits for the compiler or finds its message on stderr."""
    compile_all()


_LONGEST_FIRST = (
    "web/test_page_tree", "web/test_page_views", "engines/test_spark", "web/", "engines/", "robustness/",
    "text/test_bad_input", "benchmark/", "pipeline/", "test_",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first, so that no process of `make test` is still at one when the others are done."""

    def rank(item: pytest.Item) -> int:
        path = item.path.as_posix().rpartition("/tests/")[2]
        return next((at for at, start in enumerate(_LONGEST_FIRST) if path.startswith(start)), len(_LONGEST_FIRST))

    items.sort(key=rank)


def hear_ctrl_c() -> None:
    """For the start of a child process: background jobs of a shell inherit a handler that ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Ran(NamedTuple):
    """What a command gave."""

    code: int
    out: str
    err: str


@pytest.fixture
def hyperdive(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command line in this process: `hyperdive("encode", path, "-o", folder)`."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """A folder that the first process of tests makes, and the others read: `made_once("healthy", folders.make)`."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], object]) -> Path:
        with exclusive(base / f"{name}.lock"):
            if not (base / f"{name}.made").exists():
                (base / name).mkdir(exist_ok=True)
                make(base / name)
                (base / f"{name}.made").touch()
        return base / name

    return made


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The datasets, from HYPERDIVE_DATA; tests that need them are skipped, saying so, where it is not set."""
    folder = os.environ.get("HYPERDIVE_DATA")
    if not folder:
        pytest.skip("HYPERDIVE_DATA is not set, so the datasets are not at hand")
    return Path(folder)
