"""Scores, spaces and datasets of other packages: the example of the documentation is installed and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hyperdive import encode
from hyperdive.cli.arguments import reference
from hyperdive.spaces.registry import SPACES

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "plug-ins.md"


def example(language: str) -> str:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.S)[0]


def install(folder: Path, module: str, project: str) -> None:
    """What an installer leaves behind: the module, and the metadata with the entry points."""
    described = tomllib.loads(project)["project"]
    name, version = described["name"], described["version"]
    (folder / "my_plugin.py").write_text(module)
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = []
    for group, points in described["entry-points"].items():
        lines += [f"[{group}]", *(f"{point} = {value}" for point, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))


def run(folder: Path, *arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "hyperdive", *map(str, arguments)]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False
    )


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = ["Dogs bark and poodles are dogs.", "Cats sleep."] * 20
    return encode(texts=texts, output=tmp_path_factory.mktemp("plugins") / "corpus").path


def test_the_example_is_found_by_the_command_line(tmp_path: Path, corpus: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    install(site, example("python"), example("toml"))
    listed = run(site, "score", "--list")
    assert listed.returncode == 0, listed.stderr
    assert "length ratio" in listed.stdout
    trained = run(site, "train", corpus, "-o", tmp_path / "sums", "--space", "row-sums")
    assert trained.returncode == 0, trained.stderr
    scored = run(site, "score", "-", "-m", tmp_path / "sums", "-s", "length-ratio", stdin="poodle\tdog\ndog\tdog\n")
    assert scored.returncode == 0, scored.stderr
    ratio, same = (float(line.split("\t")[2]) for line in scored.stdout.splitlines()[-2:])
    assert ratio > 1
    assert same == 1
    assert "length ratio" not in run(tmp_path, "score", "--list").stdout
    evaluated = run(site, "evaluate", "-m", tmp_path / "sums", "--datasets", "pets", "-s", "length-ratio", "--json")
    assert evaluated.returncode == 0, evaluated.stderr
    figures = json.loads(evaluated.stdout)["datasets"]["pets"]
    assert (figures["n"], figures["positives"], figures["oov"]) == (2, 1, 0)
    assert figures["scores"]["length ratio"]["ap"] == 100
    assert "pets" in run(site, "datasets", "list").stdout


def test_a_broken_plugin_is_one_line_that_names_its_package(tmp_path: Path, corpus: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    install(site, "import no_such_module\n", example("toml"))
    for arguments in (
        ("score", "--list"),
        ("train", corpus, "-o", tmp_path / "m", "--space", "row-sums"),
        ("evaluate", "--datasets", "pets"),
    ):
        ran = run(site, *arguments)
        assert ran.returncode == 1
        assert ran.stderr.count("\n") == 1
        assert "of the package my-plugin 1.0 cannot be loaded: ModuleNotFoundError" in ran.stderr
    # what needs no plug-in does not suffer
    assert run(site, "train", corpus, "-o", tmp_path / "m", "--space", "sbow-freq").returncode == 0


def test_a_plugin_that_registers_nothing_or_a_name_that_is_taken_is_told(tmp_path: Path) -> None:
    taken = example("python").replace("length ratio", "cosine")
    for number, (module, said) in enumerate(
        [("length_ratio = row_sums = len\n", "is no function that hyperdive.scores.register has"), (taken, "taken")]
    ):
        site = tmp_path / str(number)
        site.mkdir()
        install(site, module, example("toml"))
        ran = run(site, "score", "--list")
        assert ran.returncode == 1
        assert said in ran.stderr
        assert "my-plugin 1.0" in ran.stderr


def test_the_help_names_every_space_of_the_package() -> None:
    written = reference()
    described = written[written.index("Vector space to train:") :].split("\n")[0]
    assert re.findall(r"[\w-]+", described.split("or one of")[0].removeprefix("Vector space to train:")) == list(SPACES)
