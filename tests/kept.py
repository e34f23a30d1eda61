"""Compiled functions that only kernels call, for tests that call them: kept on disk from one run of the tests to the next."""

from __future__ import annotations

from typing import Any

from hyperdive.compilation.kernel import kernel


def kept(function: Any) -> Any:
    """The function with the same options of the compiler, as a kernel of its own."""
    if not hasattr(function, "py_func"):  # NUMBA_DISABLE_JIT gives the function as it is
        return function
    given = {name: value for name, value in function.targetoptions.items() if name in ("fastmath", "error_model")}
    return kernel(**given)(function.py_func)
