"""Every option of every command: its bounds from the command line and from Python, its name, and how many there are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hyperdive import Dive, add, encode, train
from hyperdive.cli import COMMANDS
from hyperdive.cli.arguments import Command, flags, load, typed
from hyperdive.errors import OptionError
from hyperdive.options import AddCall, EncodeCall, Option, Options, TrainCall

Run = Callable[..., Any]
PYTHON = {encode: EncodeCall, train: TrainCall, add: AddCall}


def bounded(options: type[Options]) -> Iterator[tuple[str, Option, list[Any]]]:
    """Every option with values just beyond its bounds, or no choice of it."""
    for name, rule in options.described().items():
        whole = float not in rule.alternatives
        wrong: list[Any] = []
        if rule.low is not None:
            wrong.append(int(rule.low) - 1 if whole else rule.low - 1)
        if rule.high is not None:
            wrong.append(int(rule.high) + 1 if whole else rule.high * 2 + 1)
        if rule.choices and str not in rule.alternatives:
            wrong.append("nonsense")
        if wrong:
            yield name, rule, wrong


def positional(command: Command) -> list[str]:
    return ["list" if name == "action" else "x" for name in command.positional]


def required(command: Command, without: str) -> list[str]:
    rules = command.options.described().items()
    return [
        part
        for name, rule in rules
        if rule.default is dataclasses.MISSING and name != without
        for part in (flags(name, rule)[0], "y")
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_bound_holds_on_the_command_line(hyperdive: Run, name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    command = load(name)
    for option, rule, values in bounded(command.options):
        flag = flags(option, rule)[0]
        for value in values:
            given = ["--set", f"{flag[6:]}={value}"] if rule.rare else [f"{flag}={value}"]
            ran = hyperdive(name, *positional(command), *required(command, option), *given)
            assert ran.code == 2, (option, value, ran)
            assert ran.err.count("\n") == 1 and ran.out == "", ran.err
            assert flag.replace("--set.", "--set ") in ran.err, ran.err
            limits = [rule.allowed] if not rule.choices else [str(choice) for choice in rule.choices]
            assert all(limit in ran.err for limit in limits), ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", PYTHON, ids=lambda call: call.__name__)
def test_every_bound_holds_in_python(call: Any, tmp_path: Path) -> None:
    before = ["model"] if call is add else []
    for option, _, values in bounded(PYTHON[call]):
        for value in values:
            with pytest.raises(OptionError, match=f"^{option} is"):
                call(*before, "text.txt", tmp_path / "out", **{option: value})
    with pytest.raises(OptionError, match=r"no option .force_.* .did you mean force"):
        call(*before, "text.txt", tmp_path / "out", force_=True)
    assert list(tmp_path.iterdir()) == []


def test_the_estimator_checks_when_it_is_fitted() -> None:
    for option, rule, values in bounded(TrainCall):
        if option not in ("space", "force", "restart"):
            with pytest.raises(OptionError, match=f"^{option} is"):
                Dive(**{option: values[0]}).fit([["dog"]])
            assert getattr(Dive(), option) == rule.default


def test_there_are_few_options() -> None:
    commands = [load(name) for name in COMMANDS]
    named = [len(command.named) + bool(command.rare) for command in commands]
    assert max(named) <= 14 and sum(named) <= 130, dict(zip(COMMANDS, named, strict=True))
    classes = {kind for command in commands for kind in command.options.__mro__ if issubclass(kind, Options)}
    fields = [
        name
        for kind in classes
        for name in vars(kind).get("__annotations__", ())
        if name in kind.described() and not any(name in base.described() for base in kind.__bases__)  # a narrower type
    ]
    assert len(fields) <= 170


@pytest.mark.parametrize("name", COMMANDS)
def test_a_misspelt_option_is_suggested(hyperdive: Run, name: str) -> None:
    command = load(name)
    arguments = [name, *positional(command), *required(command, "")]
    option, rule = next(iter(command.named.items()))
    flag = flags(option, rule)[0]
    ran = hyperdive(*arguments, f"{flag}x=1" if typed(rule) is not bool else f"{flag}x")
    assert ran.code == 2 and f"Did you mean {flag}?" in ran.err, ran.err
    if command.rare:
        setting = next(iter(command.rare)).removesuffix("_")
        ran = hyperdive(*arguments, "--set", f"{setting}x=1")
        assert ran.code == 2 and f"did you mean {setting}?" in ran.err, ran.err
        assert hyperdive(*arguments, "--set", setting).code == 2


def test_signatures_name_every_option() -> None:
    import inspect

    for call, options in {**PYTHON, Dive: TrainCall}.items():
        parameters = inspect.signature(call).parameters
        missing = set(options.described()) - set(parameters)
        assert missing <= {"space", "force", "restart"} and (call is Dive or not missing)
        assert not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
