"""Healthy folders of every kind, made once; tests damage copies of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz import folders


@pytest.fixture(scope="session")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return folders.make(tmp_path_factory.mktemp("healthy"))


@pytest.fixture
def copy(healthy: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of one of the folders, to be damaged."""

    def made(name: str) -> Path:
        shutil.copytree(healthy[name], tmp_path / name)
        return tmp_path / name

    return made
