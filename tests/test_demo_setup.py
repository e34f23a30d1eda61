"""`make demo` sets up no more than it needs: which commands `tools/demo.py` runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools import ROOT, load


@pytest.fixture
def setup(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = load("demo")
    module.commands = []
    monkeypatch.setattr(module, "run", module.commands.append)
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    return module


@pytest.mark.parametrize("pip", [True, False])
def test_an_environment_gets_its_pip_as_a_package_where_this_python_has_one(
    setup: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip: bool
) -> None:
    monkeypatch.setattr(setup, "has_pip", lambda python: pip and python == sys.executable)
    environment = setup.Environment(tmp_path / "venv")
    environment.create()
    made = [sys.executable, "-m", "venv", *(["--without-pip"] if pip else []), str(tmp_path / "venv")]
    assert setup.commands == [made]
    monkeypatch.setattr(setup, "has_pip", lambda python: not pip)
    environment.install("numba>=0.59", pip=False)
    assert "pip" not in setup.commands.pop()[4:]
    environment.install("numba>=0.59")
    command = setup.commands[1]
    assert command[: command.index("install")] == (
        [sys.executable, "-m", "pip", "--python", str(environment.python)]
        if pip
        else [str(environment.python), "-m", "pip"]
    )
    assert {"--no-compile", "--no-build-isolation", "numba>=0.59"} <= set(command)
    assert ("pip" in command[command.index("install") :]) == pip


def test_uv_installs_where_it_is_there(setup: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/bin/uv" if name == "uv" else None)
    environment = setup.Environment(tmp_path / "venv")
    environment.create()
    environment.install("-e", ".[demo]")
    assert [command[0] for command in setup.commands] == ["/bin/uv", "/bin/uv"]
    assert setup.commands[1][-2:] == ["-e", ".[demo]"]


def test_a_changed_project_is_installed_again(setup: Any, tmp_path: Path) -> None:
    environment = setup.Environment(tmp_path)
    assert not environment.finished()
    environment.stamp.touch()
    assert environment.finished()
    before = (ROOT / "pyproject.toml").stat().st_mtime - 10
    os.utime(environment.stamp, (before, before))
    assert not environment.finished()


@pytest.mark.parametrize("forbidden", [True, False])
def test_bytecode_is_kept_in_the_environment_where_the_shell_forbids_it(
    setup: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forbidden: bool
) -> None:
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1" if forbidden else "")
    setup.Environment(tmp_path / "venv").keep_bytecode()
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    kept = str(tmp_path / "venv" / "bytecode") if forbidden else None
    assert os.environ.get("PYTHONPYCACHEPREFIX") == kept


def test_kernels_are_compiled_once_before_the_first_demo(
    setup: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup.sys, "argv", ["demo.py", str(tmp_path)])
    monkeypatch.setattr(setup, "has_pip", lambda python: True)
    setup.main()
    verbs = [command[1] for command in setup.commands if command[0].endswith("hyperdive")]
    assert verbs == ["doctor", "demo"]
    assert "packages 0 s, kernels 0 s, demo 0 s" in capsys.readouterr().out
    setup.commands.clear()
    setup.main()
    assert [command[1] for command in setup.commands] == ["demo"]


def test_the_commands_of_the_demo_have_their_options(
    setup: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hyperdive: Any
) -> None:
    monkeypatch.setattr(sys, "argv", ["demo.py", str(tmp_path / "venv")])
    monkeypatch.setattr(setup.Environment, "create", lambda environment: (tmp_path / "venv").mkdir())
    monkeypatch.setattr(setup.Environment, "install", lambda *_, **__: None)
    monkeypatch.setattr(setup.Environment, "keep_bytecode", lambda environment: None)
    setup.main()
    commands = [command[1:] for command in setup.commands if command[0].endswith("hyperdive")]
    assert [name for name, *_ in commands] == ["doctor", "demo"]
    for name, *options in commands:
        written = hyperdive(name, "--help").out
        assert all(option in written for option in options if option.startswith("-")), (name, options)
