"""The `hyperdive` command: finds the verb, turns every error into one line and an exit code."""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import importlib
import keyword
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from hyperdive import __version__, kernels
from hyperdive.cli._values import sparing
from hyperdive.cli.common import quiet_stdout
from hyperdive.errors import Error

try:  # typer carries its own copy of click in newer releases; older ones use the package
    from typer._click import exceptions as usage
except ImportError:
    from click import exceptions as usage  # type: ignore[no-redef]

VERBS = {
    "demo": "Train on a small real corpus and show the results.",
    "encode": "Text → encoded corpus.",
    "count": "Encoded corpus → co-occurrence counts; also merges counts.",
    "train": "Text, a corpus or counts → a model.",
    "add": "Add terms and evidence of new text to a model, without training again.",
    "hypernyms": "Hypernyms (broader terms) of a word, ranked, with the supporting signals.",
    "hyponyms": "Hyponyms (narrower terms) of a word, ranked.",
    "similar": "Nearest neighbours of a word.",
    "explain": "A pair dimension by dimension, and what every score says.",
    "evidence": "Sentences in which the text states that one term is a kind of another.",
    "compare": "Words side by side, dimension by dimension, as a table or a plot.",
    "general": "The most general words of a model.",
    "topics": "The dimensions of a model: label, top words and quality checks.",
    "taxonomy": "Build a taxonomy: an acyclic is-a tree over terms.",
    "serve": "Explore models in the browser, and an HTTP API.",
    "score": "Score pairs of terms: is the first a kind of the second?",
    "evaluate": "Evaluate a model on eleven datasets, next to the paper's figures.",
    "reproduce": "Reproduce every table of the paper from raw text.",
    "datasets": "List, download or verify the evaluation datasets.",
    "export": "Export vectors to the formats of other tools.",
    "import": "Import vectors from other tools as a hyperdive model.",
    "info": "Describe a corpus, counts or model folder.",
    "plan": "Estimate the time, memory and disk of a run.",
    "doctor": "Check the installation and this machine.",
}
"""Every verb, in the order of a typical session; each lives in a module of its name, imported on first use."""


_ONE_BLAS_THREAD = frozenset(
    "hypernyms hyponyms similar explain evidence compare general topics serve score evaluate".split()
)
_INTERRUPTED = "interrupted; no partial output was left behind"


class _Verb(TyperCommand):
    """A verb whose plain values are taken as they are."""

    def get_params(self, ctx: Any) -> Any:
        return sparing(super().get_params(ctx))


class _LazyGroup(TyperGroup):
    """Loads a verb's module only when the verb is used, so that the command starts at once."""

    def get_params(self, ctx: Any) -> Any:
        return sparing(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in VERBS:
            return None
        if cmd_name in _ONE_BLAS_THREAD and kernels.own_process:
            # their products are done by one thread; others take time to start, and wait for work in a loop
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        module = importlib.import_module(f"hyperdive.cli.{name}")
        if hasattr(module, "app"):  # a verb with sub-commands
            return typer.main.get_command(module.app)
        verb = typer.Typer(add_completion=False, rich_markup_mode=None)
        verb.command(name=cmd_name, cls=_Verb, help=module.__doc__, no_args_is_help=False)(getattr(module, name))
        return typer.main.get_command(verb)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


app = typer.Typer(cls=_LazyGroup, add_completion=False, rich_markup_mode=None, no_args_is_help=True)


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"hyperdive {__version__}\n")
        raise typer.Exit


@app.callback()
def hyperdive(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Raw text in, is-a knowledge out: learn from plain text which words are kinds of which."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns 0 (success), 1 (failure) or 2 (usage error)."""
    try:
        code = app(arguments, standalone_mode=False, prog_name="hyperdive")
        sys.stdout.flush()
    except Error as error:
        return _fail(str(error), 1)
    except getattr(usage, "NoArgsIsHelpError", ()) as error:  # missing in older releases
        sys.stderr.write(error.format_message() + "\n")
        return 2
    except usage.UsageError as error:
        where = f" (type: {error.ctx.command_path} --help)" if error.ctx is not None else ""
        return _fail(" ".join(error.format_message().replace("Value error, ", "").split()) + where, 2)
    except usage.ClickException as error:
        return _fail(error.format_message(), 1)
    except (KeyboardInterrupt, typer.Abort):
        return _fail(_INTERRUPTED, 1)
    except MemoryError:
        return _fail("out of memory (type: hyperdive plan --help)", 1)
    except BrokenPipeError:
        quiet_stdout()
        return 0
    except OSError as error:
        if error.errno == errno.ENOMEM:
            return _fail("out of memory (type: hyperdive plan --help)", 1)
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", 1)
    if code == 130:  # newer releases of typer turn Ctrl-C into this code
        return _fail(_INTERRUPTED, 1)
    return int(code or 0)


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"hyperdive: {message}\n")
    return code


def _open_closed_streams() -> None:
    """Where the shell closed stdout or stderr (`>&-`), the null device: else the next file would get its number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


def run() -> None:
    """Entry point of the console script."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # replace characters that the console cannot show, instead of failing
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    kernels.claim_process()
    gc.set_threshold(100_000, 50, 50)  # opening a model makes many lists and no garbage
    try:
        code = main()
    except KeyboardInterrupt:  # Ctrl-C again, while the first one is being reported
        code = 1
    # the run is over: Ctrl-C while the interpreter shuts down must not change its exit code, nor print a trace
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _leave(code)


def _leave(code: int) -> None:
    """End the process: what was registered for the end is done, and the memory of a model is not taken down first."""
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads any more: `main` has told
            stream.flush()
    os._exit(code)
