"""Progress of long work: one object, on stderr, silent when stderr is not a terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from hyperdive.errors import one_line

MODES = ("auto", "json", "none")
_JSON_EVERY_SECONDS = 0.5


class Bar:
    """One stage under way: tell it how much more is done."""

    def __init__(self, stage: str, total: float | None, unit: str) -> None:
        self.stage, self.total, self.unit = stage, total, unit
        self.done = 0.0
        self.started = time.monotonic()

    def advance(self, amount: float, **facts: Any) -> None:
        """`amount` more units are done; `facts` (such as a loss) are shown next to the bar."""
        self.done += amount
        self._show(facts, last=False)

    def _show(self, facts: dict[str, Any], *, last: bool) -> None:
        pass

    def _finish(self) -> None:
        pass


class _JsonBar(Bar):
    def __init__(self, stage: str, total: float | None, unit: str, out: TextIO) -> None:
        super().__init__(stage, total, unit)
        self._out, self._next = out, 0.0

    def _show(self, facts: dict[str, Any], *, last: bool) -> None:
        now = time.monotonic()
        if now < self._next and not last:
            return
        self._next = now + _JSON_EVERY_SECONDS
        seconds = now - self.started
        rate = self.done / seconds if seconds > 0 else 0.0
        left = (self.total - self.done) / rate if self.total and rate > 0 else None
        event = {
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "unit": self.unit,
            "seconds": round(seconds, 2),
            "rate": round(rate, 1),
            "seconds_left": None if left is None else round(max(left, 0.0), 1),
            "finished": last,
            **facts,
        }
        self._out.write(json.dumps(event) + "\n")
        self._out.flush()

    def _finish(self) -> None:
        self._show({}, last=True)


class _RichBar(Bar):
    def __init__(self, stage: str, total: float | None, unit: str, out: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

        super().__init__(stage, total, unit)
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:<12}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[amount]}"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            TextColumn("{task.fields[facts]}"),
            console=Console(file=out, stderr=out is sys.stderr),
            transient=False,
        )
        self._bars.start()
        self._task = self._bars.add_task(stage, total=total, amount="", facts="")

    def _show(self, facts: dict[str, Any], *, last: bool) -> None:
        seconds = max(time.monotonic() - self.started, 1e-9)
        amount = f"{human(self.done, self.unit)}  {human(self.done / seconds, self.unit)}/s"
        text = "  ".join(f"{name} {value}" for name, value in facts.items())
        if text:
            self._bars.update(self._task, facts=text)
        self._bars.update(self._task, completed=self.done, amount=amount)

    def _finish(self) -> None:
        self._bars.update(self._task, completed=self.done, total=self.done)
        self._bars.stop()


class Progress:
    """Where progress and notes of one command go.

    >>> quiet = Progress("none")
    >>> with quiet.stage("reading", total=10, unit="B") as bar:
    ...     bar.advance(10)
    """

    def __init__(self, mode: str = "auto", out: TextIO | None = None) -> None:
        self.out = sys.stderr if out is None else out
        if mode == "auto":
            mode = "bar" if self.out.isatty() else "none"
        self.mode = mode

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        """A stage of the work with a bar of its own."""
        bar: Bar
        if self.mode == "json":
            bar = _JsonBar(name, total, unit, self.out)
        elif self.mode == "bar":
            bar = _RichBar(name, total, unit, self.out)
        else:
            bar = Bar(name, total, unit)
        try:
            yield bar
        finally:
            bar._finish()

    def note(self, text: str) -> None:
        """A line a person should see even when no bar is shown; only `SILENT` keeps it."""
        text = one_line(text)
        if self.mode == "silent":
            return
        if self.mode == "json":
            self.out.write(json.dumps({"note": text}) + "\n")
        else:
            self.out.write(f"{text}\n")
        self.out.flush()


SILENT = Progress("silent")
"""For the Python API: not a word."""


def human(amount: float, unit: str = "") -> str:
    """A number a person reads at a glance.

    >>> human(53_600_000, "words"), human(1536, "B"), human(7)
    ('53.6 M words', '1.5 kB', '7')
    """
    for size, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(amount) >= size:
            text = f"{amount / size:.1f} {prefix}"
            return f"{text}{unit}" if unit == "B" else f"{text} {unit}".rstrip()
    return f"{amount:.0f} {unit}".rstrip()


def duration(seconds: float) -> str:
    """A time a person reads at a glance.

    >>> duration(0.4), duration(75), duration(9000)
    ('1 s', '75 s', '2.5 h')
    """
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
