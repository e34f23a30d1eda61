"""Healthy folders of every kind, made once; tests damage copies of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz import folders


@pytest.fixture(scope="session")
def healthy(made_once: Callable[[str, Callable[[Path], object]], Path]) -> dict[str, Path]:
    return folders.make(made_once("healthy", folders.make))


@pytest.fixture
def copy(healthy: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of one of the folders, to be damaged."""

    def made(name: str) -> Path:
        shutil.copytree(healthy[name], tmp_path / name)
        return tmp_path / name

    return made
