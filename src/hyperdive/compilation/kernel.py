"""The decorators of compiled functions: `@kernel()` for those that Python calls, `@subkernel()` for those kernels call.

Functions that only kernels call become part of their callers, and are not kept by themselves.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

from numba import config, njit
from numba.core import compiler, serialize
from numba.core.caching import NullCache

from hyperdive.compilation import environment, kernel_store
from hyperdive.compilation.callees import CalleeCompiler
from hyperdive.compilation.signatures import text_of

if environment.own_process:
    config.CPU_NAME, config.CPU_FEATURES = environment.target()  # type: ignore[attr-defined]


_njit: Any = partial(njit, nogil=True, no_cfunc_wrapper=True)
_rebuilt: Any = compiler.CompileResult._rebuild
_serialised: Any = serialize.dumps


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on first call; compiled code is kept, or came with the package."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled: Any = _njit(**options)(function)
        if hasattr(compiled, "_cache"):  # NUMBA_DISABLE_JIT gives the function as it is
            compiled._cache = KernelCache(f"{function.__module__.removeprefix('hyperdive.')}:{function.__name__}")
        return compiled

    return decorate


def subkernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that only kernels call: without what Python, or C, would need to call it.

    That is one part in eight of what compiling takes. Python cannot call such a function.
    """
    decorate: Callable[[Callable[..., Any]], Any] = _njit(
        no_cpython_wrapper=True, pipeline_class=CalleeCompiler, **options
    )
    return decorate


class KernelCache(NullCache):
    """Where Numba looks for a compiled kernel before it compiles, and keeps it afterwards.

    Code that cannot be read or written is compiled again; that is never an error.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for these types; None has Numba compile it."""
        types = text_of(sig)
        if types is not None:
            target_context.refresh()
            entry = kernel_store.entry_name(self.name, types)
            for store in (kernel_store.shipped_kernels(), kernel_store.compiled_kernels(), _own_store(target_context)):
                content = None if store is None else store.read(entry)
                if content is not None:
                    try:
                        # code of this package: from its own folder, or from one that only this user can write
                        return _rebuilt(target_context, *pickle.loads(content))  # noqa: S301
                    except Exception:
                        continue
        if environment.unforeseen is not None:
            environment.unforeseen(self.name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what Numba has compiled, with the processor it was compiled for."""
        types = text_of(sig)
        if types is None or data.lifted or data.library.has_dynamic_globals:
            return
        store = _own_store(data.target_context) or kernel_store.compiled_kernels()
        store.write(kernel_store.entry_name(self.name, types), _serialised(data._reduce()))


def _own_store(target_context: Any) -> kernel_store.CompiledKernels | None:
    """Where this process keeps its kernels when Numba compiles for another processor than `target()` in it."""
    _, cpu, features = target_context.codegen().magic_tuple()
    chosen = environment.Target(cpu, features)
    if chosen == environment.target():
        return None
    return kernel_store.CompiledKernels(environment.cache_folder().path / environment.tag(chosen))
