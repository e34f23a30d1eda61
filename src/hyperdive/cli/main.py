"""The `hyperdive` command: finds the command asked for, and turns every error into one line and an exit code."""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import os
import signal
import sys
import threading
from difflib import get_close_matches
from pathlib import Path

from hyperdive import __version__, kernels
from hyperdive.cli import COMMANDS, GROUPS
from hyperdive.errors import Error

ABOUT = "Raw text in, is-a knowledge out: learn from plain text which words are kinds of which."
_ONE_BLAS_THREAD = frozenset(GROUPS["ask"]) | {"serve", "score", "evaluate"}
_INTERRUPTED = "interrupted; no partial output was left behind"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 0 (success), 1 (failure) or 2 (usage error)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except Error as error:
        return _fail(str(error), 1)
    except KeyboardInterrupt:
        return _fail(_INTERRUPTED, 1)
    except MemoryError:
        return _fail("out of memory (give a smaller --memory, or less text)", 1)
    except BrokenPipeError:
        from hyperdive.cli.output import quiet_stdout

        quiet_stdout()
        return 0
    except OSError as error:
        if error.errno == errno.ENOMEM:
            return _fail("out of memory (give a smaller --memory, or less text)", 1)
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", 1)
    except SystemExit as end:
        return int(end.code or 0)
    return code


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("--help", "-h"):
        (sys.stdout if arguments else sys.stderr).write(menu())
        return 0 if arguments else 2
    name, rest = arguments[0], arguments[1:]
    if name == "--version":
        sys.stdout.write(f"hyperdive {__version__}\n")
        return 0
    if name not in COMMANDS:
        near = get_close_matches(name, [*COMMANDS, "--help", "--version"], 1)
        guess = f"did you mean {near[0]}? " if near else ""
        kind = "option" if name.startswith("-") else "command"
        return _fail(f"no such {kind} {name!r} ({guess}type: hyperdive --help)", 2)
    if name in _ONE_BLAS_THREAD and kernels.own_process:
        # their products are done by one thread; others take time to start, and wait for work in a loop
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from cyclopts import CycloptsError

    from hyperdive.cli import arguments as command_line

    command = command_line.load(name)
    if {"--help", "-h"} & set(rest[: rest.index("--")] if "--" in rest else rest):
        sys.stdout.write(command_line.help_page(name, command))
        return 0
    try:
        return command.call(command_line.parse(command_line.build(name, command), command, rest))
    except CycloptsError as error:
        message = command_line.explain(error)
    except command_line.UsageError as error:
        message = str(error)
    return _fail(f"{message} (type: hyperdive {name} --help)", 2)


def menu() -> str:
    """Return the help text of the program."""
    width = max(map(len, COMMANDS))
    lines = [f"Usage: hyperdive COMMAND [ARGUMENTS] [OPTIONS]\n\n{ABOUT}\n"]
    for group, commands in GROUPS.items():
        lines += [f"\n{group}\n", *(f"  {name:<{width}}  {about}\n" for name, (_, about) in commands.items())]
    return "".join(
        [*lines, "\nhyperdive COMMAND --help describes a command; hyperdive --version prints the version.\n"]
    )


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"hyperdive: {message}\n")
    return code


def _open_closed_streams() -> None:
    """Open the null device where the shell closed a stream (`>&-`): else the next file would get its number."""
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
    """End the process after its exit functions, without freeing the memory of a model first."""
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads any more: `main` has told
            stream.flush()
    os._exit(code)
