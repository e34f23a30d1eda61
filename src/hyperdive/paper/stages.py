"""The stages of a reproduction, and the folder in which each leaves its result, whole or not at all."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from hyperdive._atomic import explain_os_errors, write_file
from hyperdive._locks import OwnerLock
from hyperdive._progress import duration
from hyperdive._resources import Run
from hyperdive._store import HEADER, canonical_json, fingerprint
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.errors import Error, FormatError, InputError
from hyperdive.options import ReproduceOptions, TrainOptions
from hyperdive.paper.figures import paper_data
from hyperdive.pipeline.train import train
from hyperdive.spaces.skipgram import SkipgramOptions
from hyperdive.text.corpus import Corpus
from hyperdive.text.encoder import encode_text
from hyperdive.text.sources import find_sources, text_bytes

BUDGET = 51_200_000
"""Words of the paper's corpus, stop words included."""
_MEASURED_BYTES = 335e6  # the text with which the seconds of paper.toml were measured
_BYTES_PER_WORD = 6.2
_READ_BY_TABLES = frozenset({"corpus-raw", "corpus-pos", "corpus-pubmed", "dive-raw"})
_EXTRAS = {
    "word2vec": ("gensim", "baselines", "word2vec"),
    "word2vec-cbow": ("gensim", "baselines", "word2vec"),
    "kmeans": ("sklearn", "baselines", "kmeans"),
    "textblob": ("textblob", "pos", "pos"),
    "spacy": ("spacy", "pos", "pos"),
}
"""Space or tagger → the module it needs, the extra that installs it, and the part that needs it."""


@dataclass(frozen=True)
class ReproduceStage:
    """One step of a run. Its identity depends on what it makes and from what, not on the version of the program."""

    name: str
    make: str
    what: str
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[ReproduceStage, ...] = ()
    seconds: float = 0.0
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Constants of DIVE and skip-gram that the options leave at their default."""

    @cached_property
    def identity(self) -> str:
        """A hash of kind, options, constants and the identities of the stages it needs."""
        made_of = {"kind": self.make, "options": dict(self.options), "constants": dict(self.constants)}
        return fingerprint({**made_of, "needs": [stage.identity for stage in self.needs]})


@dataclass(frozen=True)
class RunText:
    """A text: its files, a hash of their content, and its size."""

    paths: tuple[str, ...]
    content: str
    bytes: int

    @classmethod
    def find(cls, paths: Sequence[str | Path]) -> RunText:
        """Hash the files without reading their text into memory."""
        sources = find_sources([str(path) for path in paths], lambda path, reason: None)
        size = text_bytes(sources)
        if size is None:
            raise InputError("text from a pipe cannot be read twice", hint="write it to a file first")
        sha = hashlib.sha256()
        for source in sources:
            with Path(source.path).open("rb") as file:
                sha.update(hashlib.file_digest(file, "sha256").digest())
        return cls(tuple(str(path) for path in paths), sha.hexdigest(), size)

    @property
    def scale(self) -> float:
        """Return its length relative to the paper's corpus, at most 1, for the rest is not trained on."""
        return min(self.bytes / _MEASURED_BYTES, 1.0)

    @property
    def is_longer(self) -> bool:
        """Whether the text is clearly longer than the paper's budget."""
        return self.bytes / _BYTES_PER_WORD > 1.2 * BUDGET


def training_stages(options: ReproduceOptions, corpus: RunText, pubmed: RunText | None = None) -> list[ReproduceStage]:
    """Return all stages that encode, count or train, in the order in which they run.

    >>> text = RunText(("wiki.txt",), "0" * 64, 335_000_000)
    >>> options = ReproduceOptions(without=("pos", "half", "gaussian", "word2vec", "experiments"))
    >>> [stage.name for stage in training_stages(options, text)][:4]
    ['corpus-raw', 'counts-raw', 'dive-raw', 'dive-paper-raw']
    """
    given = {"longer": corpus.is_longer, "pubmed": pubmed is not None, "paper solver": options.solver == "paper"}
    placeholders = {"{tagger}": options.tagger, "{seed}": options.seed, "{next_seed}": options.seed + 1}
    data = paper_data()
    stages: dict[str, ReproduceStage] = {}
    for entry in data["stage"]:
        if entry.get("part") in options.without or not given.get(entry.get("when"), True):
            continue
        text = pubmed if entry.get("when") == "pubmed" and pubmed is not None else corpus
        for kind in ("raw", "pos") if "{kind}" in entry["name"] else ("",):
            name = entry["name"].replace("{kind}", kind)
            if name.endswith("-pos") and "pos" in options.without:
                continue
            make = entry.get("make", "train")
            settings = {**data["recipes"].get(entry.get("like"), {}), **entry.get("options", {})}
            chosen = {name: placeholders.get(value, value) for name, value in settings.items()}
            constants: dict[str, Any] = {}
            if make == "corpus":
                chosen = {"text": text.content, "min_count": options.min_count, **chosen}
            elif make == "counts":
                chosen = {"window": 10}
            else:
                chosen = {"dimensions": options.dimensions, "seed": options.seed, **chosen}
                constants = _constants(chosen)
            needs = (stages[entry["needs"].replace("{kind}", kind)],) if "needs" in entry else ()
            scale = text.bytes / _MEASURED_BYTES if chosen.get("length") == "all" else text.scale
            stages[name] = ReproduceStage(name, make, entry["what"], chosen, needs, entry["seconds"] * scale, constants)
    return list(stages.values())


def _constants(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constants of DIVE and of its skip-gram, for the spaces that use them."""
    if chosen["space"] not in ("dive", "kmeans"):
        return {}
    changes = {name: value for name, value in chosen.items() if name != "preset"}
    trained = TrainOptions.preset(chosen.get("preset", "default"), **changes)
    return {**trained.as_parameters(), "skipgram": asdict(SkipgramOptions())}


Measure = Callable[[ReproduceStage], dict[str, Any]]


def check_extras(stages: Sequence[ReproduceStage]) -> None:
    """Raise an error before any work if a stage needs a package that is not installed."""
    for stage in stages:
        for used in (stage.options.get("space"), stage.options.get("pos")):
            if used in _EXTRAS and importlib.util.find_spec(_EXTRAS[used][0]) is None:
                module, extra, part = _EXTRAS[used]
                hint = f"type: pip install 'hyperdive[{extra}]', or add --set without={part}"
                raise Error(f"{stage.name} needs {module}", hint=hint)


class StageFolder:
    """The folder `stages/` of a run: the result of each stage, and a record of what it was made from."""

    def __init__(self, output: str | Path) -> None:
        self.folder = Path(output) / "stages"

    def place(self, stage: ReproduceStage | str) -> Path:
        """Return the folder of a stage's result."""
        return self.folder / (stage if isinstance(stage, str) else stage.name)

    def record(self, stage: ReproduceStage) -> dict[str, Any] | None:
        """Return the record of a finished stage; None if it was never run, or with other options or text."""
        try:
            record = json.loads((self.folder / f"{stage.name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and record.get("identity") == stage.identity else None

    def done(self, stage: ReproduceStage) -> bool:
        """Whether the result of a stage is there."""
        there = stage.make == "figures" or (self.place(stage) / HEADER).is_file()
        return there and self.record(stage) is not None

    def waiting(self, stages: Sequence[ReproduceStage]) -> list[ReproduceStage]:
        """Return the stages to run: missing figures, the stages these need, and those that the tables read.

        A space whose folder was deleted after its figures were measured is not trained again.
        """
        between = {need.name for stage in stages for need in stage.needs} - _READ_BY_TABLES
        needed: set[str] = set()
        waiting = []
        for stage in reversed(stages):  # a stage comes after those it needs
            if (stage.name in needed or stage.name not in between) and not self.done(stage):
                needed |= {need.name for need in stage.needs}
                waiting.append(stage)
        return waiting[::-1]

    def seconds(self, stage: ReproduceStage) -> float | None:
        """Return the time a finished stage took."""
        record = self.record(stage)
        return None if record is None else float(record["seconds"])

    def run(
        self,
        stages: Sequence[ReproduceStage],
        texts: Mapping[str, tuple[str, ...]],
        measure: Measure,
        run: Run = Run(),
    ) -> None:
        """Run every stage that is not done.

        Args:
            stages: all stages of the run.
            texts: the files of each text by the hash of its content.
            measure: returns the figures of a stage of figures.
            run: threads and progress.
        """
        numbers = {stage.name: number for number, stage in enumerate(stages, start=1)}
        with explain_os_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        hint = "add --set tables_only=yes to write the tables of what is done, or choose another -o"
        with OwnerLock(self.folder, str(self.folder.parent), hint=hint):
            for stage in self.waiting(stages):
                about = duration(stage.seconds)
                run.progress.note(f"[{numbers[stage.name]}/{len(stages)}] {stage.name}: {stage.what}, about {about}")
                if stage.make == "figures":
                    self.write_figures(stage, measure)
                    continue
                with explain_os_errors(self.folder):
                    (self.folder / f"{stage.name}.json").unlink(missing_ok=True)
                    if self.place(stage).exists():  # another run's
                        shutil.rmtree(self.place(stage))
                started = time.monotonic()
                if stage.make == "corpus":
                    self._encode(stage, texts[stage.options["text"]], run)
                elif stage.make == "counts":
                    source, window = self.place(stage.needs[0]), stage.options["window"]
                    Cooccurrence.from_corpus(source, self.place(stage), window=window, near=True, run=run)
                else:
                    self._train(stage, run)
                self._write(stage, started)

    def write_figures(self, stage: ReproduceStage, measure: Measure) -> None:
        """Measure the space of a stage of figures, whose needs must be done, and store its figures."""
        started = time.monotonic()
        self._write(stage, started, figures=measure(stage))

    def _write(self, stage: ReproduceStage, started: float, **more: Any) -> None:
        seconds = round(time.monotonic() - started, 1)
        record = {"identity": stage.identity, "what": stage.what, "seconds": seconds, **more}
        write_file(self.folder / f"{stage.name}.json", canonical_json(record))

    def _encode(self, stage: ReproduceStage, paths: tuple[str, ...], run: Run) -> None:
        rules = {name: value for name, value in stage.options.items() if name not in ("text", "length")}
        length = stage.options.get("length")
        if length == "all":
            rules["max_tokens"] = 0
        elif length is not None:
            rules["max_tokens"] = counted_words(self.place(stage.needs[0])) // 2
        encode_text(
            list(paths),
            self.place(stage),
            preset="paper",
            keep_text=False,
            threads=run.threads,
            progress=run.progress,
            **rules,
        )

    def _train(self, stage: ReproduceStage, run: Run) -> None:
        options: dict[str, Any] = dict(stage.options)
        source, place = self.place(stage.needs[0]), self.place(stage)
        if (self.folder / f".{stage.name}.train").exists():
            try:
                train(source, place, run=run, **options)
                return
            except (InputError, FormatError):  # left by a run with other options, another version, or damaged
                shutil.rmtree(place, ignore_errors=True)
        train(source, place, run=run, **options)


def counted_words(corpus: Path) -> int:
    """Return the words of a corpus as the paper's budget counts them, stop words included."""
    accounts = Corpus.open(corpus).header["accounting"]
    return int(accounts["kept"] + accounts["dropped"].get("stop_word", 0))
