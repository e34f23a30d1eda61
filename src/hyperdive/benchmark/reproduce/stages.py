"""Run the stages of a reproduction: each makes a folder, whole or not at all, and is found again next time."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hyperdive._atomic import explain_os_errors, write_file
from hyperdive._progress import SILENT, Bar, Progress, duration
from hyperdive._resources import Run, check_threads
from hyperdive._resume import OwnerLock
from hyperdive._store import HEADER, canonical_json
from hyperdive.benchmark.reproduce.plan import ReproduceStage
from hyperdive.errors import Error, FormatError, InputError, install_command

ONE_THREAD = frozenset({"gaussian"})
"""Spaces that one thread trains, whatever the number of threads."""
READ_BY_TABLES = frozenset({"corpus-raw", "corpus-pos", "corpus-pubmed", "dive-raw"})
"""Stages whose folders the tables are written from, beside all figures."""


class Workshop:
    """The folder `stages/` of a run: an artefact for each stage, and the record of what it was made from."""

    def __init__(self, output: str | Path) -> None:
        self.folder = Path(output) / "stages"

    def place(self, stage: ReproduceStage | str) -> Path:
        """Where the artefact of a stage is, or will be."""
        return self.folder / (stage if isinstance(stage, str) else stage.name)

    def _record(self, stage: ReproduceStage) -> Path:
        return self.folder / f"{stage.name}.json"

    def record(self, stage: ReproduceStage) -> dict[str, Any] | None:
        """What is known of a finished stage; None when it was never done, or with other options or text."""
        try:
            record = json.loads(self._record(stage).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and record.get("identity") == stage.identity else None

    def done(self, stage: ReproduceStage) -> bool:
        """Whether what a stage makes is there."""
        there = stage.kind == "figures" or (self.place(stage) / HEADER).is_file()
        return there and self.record(stage) is not None

    def waiting(self, wanted: Sequence[ReproduceStage]) -> list[ReproduceStage]:
        """What is to be made: figures that are not there, what these need, and what the tables read.

        A space whose folder was deleted after its figures were made is not trained again.
        """
        between = {one.name for stage in wanted for one in stage.needs} - READ_BY_TABLES
        needed: set[str] = set()
        waiting = []
        for stage in reversed(wanted):  # a stage comes after those that it needs
            if (stage.name in needed or stage.name not in between) and not self.done(stage):
                needed |= {one.name for one in stage.needs}
                waiting.append(stage)
        return waiting[::-1]

    def seconds(self, stage: ReproduceStage) -> float | None:
        """How long a finished stage took."""
        record = self.record(stage)
        return None if record is None else float(record["seconds"])

    def figures(self, stage: ReproduceStage) -> dict[str, Any] | None:
        """What a stage of figures found; None when it is not done."""
        record = self.record(stage)
        return None if record is None else record["figures"]

    def run(
        self,
        wanted: Sequence[ReproduceStage],
        texts: dict[str, tuple[str, ...]],
        *,
        data: str | Path | None = None,
        verify: bool = True,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Make every stage that is not done; `texts` are the files by the hash of their content."""
        numbers = {stage.name: number for number, stage in enumerate(wanted, start=1)}
        waiting = self.waiting(wanted)
        with self._alone():
            for group in side_by_side(waiting, check_threads(threads)):
                for stage in group:
                    about = duration(stage.seconds)
                    progress.note(f"[{numbers[stage.name]}/{len(wanted)}] {stage.name}: {stage.what}, about {about}")
                if group[0].kind == "figures":
                    self.measure(group[0], data=data, verify=verify, threads=threads, progress=progress)
                    continue
                started = time.monotonic()
                self._make_all(group, texts, threads, progress)
                for stage in group:
                    self._write(stage, (time.monotonic() - started) / len(group))

    def measure(self, stage: ReproduceStage, **settings: Any) -> None:
        """Make a stage of figures, whose own stages must be done."""
        from hyperdive.benchmark.reproduce.measurement import measure_stage

        started = time.monotonic()
        figures = measure_stage(stage, self, **settings)
        self._write(stage, time.monotonic() - started, figures=figures)

    def _clear(self, stage: ReproduceStage) -> None:
        """Take away what another run left under this name."""
        with explain_os_errors(self.folder):
            self._record(stage).unlink(missing_ok=True)
            if self.place(stage).exists():
                shutil.rmtree(self.place(stage))

    def _write(self, stage: ReproduceStage, seconds: float, **more: Any) -> None:
        record = {"identity": stage.identity, "what": stage.what, "seconds": round(seconds, 1), **more}
        write_file(self._record(stage), canonical_json(record))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse a second run in the same folder."""
        with explain_os_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        hint = "add --tables-only to write the tables of what is done, or choose another -o"
        with OwnerLock(self.folder, str(self.folder.parent), hint=hint):
            yield

    # ---- the three kinds of work ----------------------------------------------------------------------------

    def _make_all(
        self,
        group: Sequence[ReproduceStage],
        texts: dict[str, tuple[str, ...]],
        threads: int | None,
        progress: Progress,
    ) -> None:
        """Make stages at once, the first with a bar; when it is stopped, the others stop at their next step."""
        for stage in group:
            self._clear(stage)
        stop = StoppedProgress()
        with ThreadPoolExecutor(len(group)) as pool:
            beside = [pool.submit(self._make, stage, texts, threads, stop) for stage in group[1:]]
            try:
                self._make(group[0], texts, threads, progress)
            except BaseException:
                stop.stopped = True
                raise
            for one in beside:
                one.result()

    def _make(
        self, stage: ReproduceStage, texts: dict[str, tuple[str, ...]], threads: int | None, progress: Progress
    ) -> None:
        if stage.kind == "corpus":
            self._encode(stage, texts[stage.options["text"]], threads, progress)
        elif stage.kind == "counts":
            from hyperdive.counts.cooccurrence import Cooccurrence

            source = self.place(stage.needs[0])
            window = stage.options["window"]
            run = Run(threads=threads, progress=progress)
            Cooccurrence.from_corpus(source, self.place(stage), window=window, near=True, run=run)
        else:
            self._train(stage, threads, progress)

    def _encode(self, stage: ReproduceStage, paths: tuple[str, ...], threads: int | None, progress: Progress) -> None:
        from hyperdive.text.corpus import Corpus
        from hyperdive.text.encoder import encode_text

        rules = {name: value for name, value in stage.options.items() if name not in ("text", "length")}
        length = stage.options.get("length")
        if length == "all":
            rules["max_tokens"] = 0
        elif length in ("half", "random"):
            accounts = Corpus.open(self.place(stage.needs[0])).header["accounting"]
            rules["max_tokens"] = (accounts["kept"] + accounts["dropped"].get("stop_word", 0)) // 2
        encode_text(
            list(paths),
            self.place(stage),
            preset="paper",
            keep_text=False,
            threads=threads,
            progress=progress,
            **rules,
        )

    def _train(self, stage: ReproduceStage, threads: int | None, progress: Progress) -> None:
        from hyperdive.pipeline.train import train

        options: dict[str, Any] = dict(stage.options)
        run = Run(threads=threads, progress=progress)
        source, place = self.place(stage.needs[0]), self.place(stage)
        if (self.folder / f".{stage.name}.train").exists():
            try:
                train(source, place, run=run, **options)
                return
            except (InputError, FormatError):  # left by a run with other options, another version, or damaged
                shutil.rmtree(place, ignore_errors=True)
        train(source, place, run=run, **options)


class StoppedProgress(Progress):
    """For work in another thread: silent, and it raises at the next step once `stopped` is set.

    >>> progress = StoppedProgress()
    >>> with progress.stage("counting") as bar:
    ...     bar.advance(1)
    ...     progress.stopped = True
    ...     bar.advance(1)
    Traceback (most recent call last):
    hyperdive.errors.Error: stopped
    """

    def __init__(self) -> None:
        super().__init__("silent")
        self.stopped = False

    @contextmanager
    def stage(self, name: str, *, total: float | None = None, unit: str = "") -> Iterator[Bar]:
        yield _StoppedBar(self, name, total, unit)


class _StoppedBar(Bar):
    def __init__(self, progress: StoppedProgress, stage: str, total: float | None, unit: str) -> None:
        super().__init__(stage, total, unit)
        self._progress = progress

    def _show(self, facts: dict[str, Any], *, last: bool) -> None:
        if self._progress.stopped:
            raise Error("stopped")


def side_by_side(waiting: Sequence[ReproduceStage], threads: int) -> list[list[ReproduceStage]]:
    """Stages in groups that are made at once: those that one thread makes, up to the number of threads.

    >>> one, two, three = (ReproduceStage(name, "model", name, {"space": "gaussian"}) for name in ("a", "b", "c"))
    >>> dive = ReproduceStage("d", "model", "d", {"space": "dive"})
    >>> [[stage.name for stage in group] for group in side_by_side([dive, one, two, three, dive], 2)]
    [['d'], ['a', 'b'], ['c'], ['d']]
    """
    groups: list[list[ReproduceStage]] = []
    for stage in waiting:
        alone = not groups or stage.options.get("space") not in ONE_THREAD
        if alone or groups[-1][-1].options.get("space") not in ONE_THREAD or len(groups[-1]) >= threads:
            groups.append([stage])
        else:
            groups[-1].append(stage)
    return groups


def check_extras(wanted: Sequence[ReproduceStage]) -> None:
    """Refuse before any work what would be missing hours later."""
    from importlib.util import find_spec

    needs = {
        "word2vec": ("gensim", "baselines", "word2vec"),
        "kmeans": ("sklearn", "baselines", "kmeans"),
        "textblob": ("textblob", "pos", "pos"),
        "spacy": ("spacy", "pos", "pos"),
    }
    for stage in wanted:
        for used in (stage.options.get("space"), stage.options.get("pos")):
            if used in needs and find_spec(needs[used][0]) is None:
                module, extra, part = needs[used]
                raise Error(
                    f"{stage.name} needs {module}",
                    hint=f"type: {install_command(extra)}, or add --without {part}",
                )
