"""How a process that only compiles saves time: subkernels without code of their own, and nothing worked out in vain.

Numba optimises each function by itself and makes machine code of it, and does both again when a caller takes it in.
Where nothing is ever called, the first time is wasted: a fifth of what all kernels take. A tenth goes into hashes of
its settings: half a million of them, all of the same names. Another tenth goes into which variables are alive in a
block, nine times for each function, which only generators and Python's own objects need, and into questions of what
class a type is that take the long way of classes which others may pose as.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core import codegen, compiler, postproc, targetconfig, transforms
from numba.core.types import abstract

from hyperdive.compilation import environment

_Library: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler
_canonical: Any = transforms.canonicalize_cfg
_Lifetime: Any = postproc.VariableLifetime


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


def spare_work() -> None:
    """Have Numba leave out what a process that only compiles has no use for; the machine code is the same."""
    _compare_settings_quickly()
    _find_live_variables_late()
    _check_types_plainly()


def _compare_settings_quickly() -> None:
    """Have Numba hash the names of its settings once, and compare only those that are set."""
    settings: Any = targetconfig.TargetConfig
    equal = settings.__eq__

    of_names: Any = cache(lambda kind: hash(tuple(sorted(kind.options))))

    def same(one: Any, other: Any) -> Any:
        if type(one) is not type(other):
            return equal(one, other)
        mine, theirs, known = one._values, other._values, one.options
        return mine == theirs or all(
            mine.get(name, known[name].default) == theirs.get(name, known[name].default)
            for name in mine.keys() | theirs.keys()
        )

    settings.__hash__, settings.__eq__ = lambda one: of_names(type(one)), same


def _find_live_variables_late() -> None:
    """Have Numba find out which variables are alive when it is asked for, not after each of its passes."""
    processor: Any = postproc.PostProcessor
    run = processor.run

    def run_late(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = self.func_ir
        if function.is_generator:
            run(self, emit_dels, extend_lifetimes)
            return
        function.blocks = _canonical(function.blocks)
        function.variable_lifetime = _Lifetime(function.blocks)
        function.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    processor.run = run_late


def _check_types_plainly() -> None:
    """Have Python ask for the class of one of Numba's types as of any object: no other class poses as one of them."""
    kind: Any = type(abstract.Type)
    kind.__instancecheck__, kind.__subclasscheck__ = type.__instancecheck__, type.__subclasscheck__
