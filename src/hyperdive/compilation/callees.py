"""How a process that only compiles saves time: subkernels without code of their own, and settings compared quickly.

Numba optimises each function by itself and makes machine code of it, and does both again when a caller takes it in.
Where nothing is ever called, the first time is wasted: a fifth of what all kernels take. A tenth goes into hashes of
its settings: half a million of them, all of the same names.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core import codegen, compiler, targetconfig

from hyperdive.compilation import environment

_Library: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler


class CalleeLibrary(_Library):  # type: ignore[misc]
    """Code as it was written down, to be optimised and translated with that of its callers."""

    @property
    def codegen(self) -> CalleeLibrary:
        """What is told about code that is ready to run; there is none."""
        return self

    def set_env(self, name: str, values: object) -> None:
        """The values that code would look up while it runs."""

    def get_pointer_to_function(self, name: str) -> int:
        """No address: nobody can call it."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class CalleeCompiler(_Compiler):  # type: ignore[misc]
    """Numba's compiler; where this process only compiles, into a `CalleeLibrary`."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        if environment.only_compiles:
            self.state.library = CalleeLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


def hash_settings_once() -> None:
    """Have Numba hash the names of its settings once, and compare all values only where those that are set differ."""
    settings: Any = targetconfig.TargetConfig
    equal = settings.__eq__

    of_names: Any = cache(lambda kind: hash(tuple(sorted(kind.options))))

    def same(one: Any, other: object) -> Any:
        alike = one is other or (isinstance(other, type(one)) and one._values == other._values)
        return alike or equal(one, other)

    settings.__hash__, settings.__eq__ = lambda one: of_names(type(one)), same
