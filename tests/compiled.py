"""Calling from Python what only kernels call."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from numba import njit


def from_python(subkernel: Any) -> Callable[..., Any]:
    """A compiled function that calls a subkernel and nothing else."""
    called: Callable[..., Any] = njit(lambda *arguments: subkernel(*arguments))
    return called


def subkernels(module: ModuleType, *names: str) -> Any:
    """Some subkernels of a module, as functions that Python can call."""
    return SimpleNamespace(**{name: from_python(getattr(module, name)) for name in names})
