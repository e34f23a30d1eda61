"""Datasets by name: those of the paper, read from their original files, those of plug-ins, and a user's pairs files.

Other packages add datasets by an entry point of the group `hyperdive.datasets` that names a function without
parameters; it returns a `Dataset`:

    [project.entry-points."hyperdive.datasets"]
    mine = "my_package:mine"

    from pathlib import Path
    from hyperdive.benchmark import read_pairs

    def mine():
        return read_pairs(Path(__file__).with_name("mine.tsv"))

Then `hyperdive evaluate --datasets mine` evaluates on it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import resources
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._lines import read_lines
from hyperdive._plugins import find_plugins, load_plugin, plugin_error
from hyperdive.errors import InputError, OptionError
from hyperdive.scores.files import PairFile, PairFormat, open_pairs

FETCH = "type: hyperdive datasets fetch"
GROUP = "hyperdive.datasets"

Row = tuple[str, str, float]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Pairs of terms with a label or a grade each; `q` and `p` are numbers into `terms`.

    Terms are as in the file, lower-cased: `goldfish-n` (tagged), `family,doctor-n`, `puerto princesa`.
    """

    name: str
    terms: tuple[str, ...]
    q: npt.NDArray[np.int64]
    p: npt.NDArray[np.int64]
    gold: npt.NDArray[np.float64]
    graded: bool = False
    tagged: bool = False
    separator: str = ""

    @classmethod
    def from_rows(
        cls, name: str, rows: Iterable[Row], *, graded: bool = False, tagged: bool = False, separator: str = ""
    ) -> Dataset:
        """Return a dataset of (hyponym, hypernym, gold) rows.

        >>> Dataset.from_rows("mine", [("dog", "animal", 1.0), ("animal", "dog", 0.0)])
        <Dataset mine: 2 pairs, 1 positive>
        """
        numbers: dict[str, int] = {}
        q: list[int] = []
        p: list[int] = []
        gold: list[float] = []
        for hyponym, hypernym, value in rows:
            q.append(numbers.setdefault(hyponym.strip().lower(), len(numbers)))
            p.append(numbers.setdefault(hypernym.strip().lower(), len(numbers)))
            gold.append(value)
        return cls(
            name,
            tuple(numbers),
            np.array(q, dtype=np.int64),
            np.array(p, dtype=np.int64),
            np.array(gold, dtype=np.float64),
            graded,
            tagged,
            separator,
        )

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def labels(self) -> npt.NDArray[np.bool_]:
        """True where q is a hyponym of p (meaningless in a graded set)."""
        return self.gold > 0.5

    @property
    def positives(self) -> int:
        """Number of positive pairs."""
        return int(self.labels.sum())

    def space_keys(self, *, pos: bool = False) -> list[tuple[str, ...]]:
        """Return the words of every term as a vector space spells them.

        In a POS space the tag follows a bar (`dog|n`, for every word of a phrase); in a raw space it is cut off.

        >>> rows = [("family,doctor-n", "entity-n", 1.0)]
        >>> dataset = Dataset.from_rows("x", rows, tagged=True, separator=",")
        >>> dataset.space_keys(pos=True), dataset.space_keys()
        ([('family|n', 'doctor|n'), ('entity|n',)], [('family', 'doctor'), ('entity',)])
        """
        keys: list[tuple[str, ...]] = []
        for term in self.terms:
            body, tag = (term[:-2], term[-1:]) if self.tagged else (term, "")
            words = body.split(self.separator) if self.separator else [body]
            words = [word for word in words if word] or [body]
            keys.append(tuple(f"{word}|{tag}" for word in words) if pos and self.tagged else tuple(words))
        return keys

    def __repr__(self) -> str:
        kind = "graded" if self.graded else f"{self.positives} positive"
        return f"<Dataset {self.name}: {len(self)} pairs, {kind}>"


# ---- the original files -------------------------------------------------------------------------------------------

_LAYOUTS = {
    "relation": ("\t", 4, False),  # hyponym, hypernym, label, relation: the relation decides, as in the released scorer
    "label": ("\t", 3, False),
    "label and header": ("\t", 3, True),
    "grade": (" ", 5, True),  # HyperLex: WORD1 WORD2 POS TYPE AVG_SCORE …
}
"""Layout → separator, fewest columns, and whether line 1 is a header."""


@dataclass(frozen=True)
class Spec:
    """A dataset of the paper: its files, their layout, and the numbers of pairs and positive pairs in them."""

    name: str
    files: tuple[str, ...]
    layout: str
    rows: int
    positives: int
    aliases: tuple[str, ...] = ()
    tagged: bool = False
    graded: bool = False
    separator: str = ""

    def read(self, text: str, file: str) -> Iterator[Row]:
        """Yield the pairs of a file; a grade's words get their part of speech as a suffix, like other tagged sets."""
        separator, least, header = _LAYOUTS[self.layout]
        for number, line in enumerate(text.split("\n"), start=1):
            cells = line.rstrip("\r").split(separator)
            if cells == [""] or (header and number == 1):
                continue
            if len(cells) < least:
                raise InputError(f"{file}: line {number} has {len(cells)} columns, {least} expected", hint=FETCH)
            if self.layout == "relation":
                yield cells[0], cells[1], float(cells[3] == "hyper")
            elif self.layout == "grade":
                yield f"{cells[0]}-{cells[2]}", f"{cells[1]}-{cells[2]}", float(cells[4])
            elif cells[2] in ("True", "False"):
                yield cells[0], cells[1], float(cells[2] == "True")
            else:
                raise InputError(f"{file}: line {number} has label {cells[2]!r}, not True or False", hint=FETCH)


def _siege(name: str, rows: int, positives: int, *aliases: str) -> Spec:
    return Spec(name, (f"{name}/{name}.val", f"{name}/{name}.test"), "relation", rows, positives, aliases, tagged=True)


def _roller(name: str, file: str, rows: int, positives: int, *aliases: str) -> Spec:
    return Spec(name, (f"{name}/{file}.tsv",), "label and header", rows, positives, aliases)


def _hypenet(name: str, file: str, rows: int, positives: int) -> Spec:
    return Spec(name, (f"HypeNet/{file}.tsv",), "label", rows, positives, separator=" ")


SPECS: dict[str, Spec] = {
    spec.name: spec
    for spec in (
        _siege("BLESS", 26_554, 1_337),
        _siege("EVALution", 13_675, 3_637, "EVAL"),
        _siege("LenciBenotto", 5_010, 1_933, "Lenci/Benotto", "L/B"),
        _siege("Weeds", 2_928, 1_469),
        _roller("Medical", "levy2014", 12_602, 945),
        _roller("LEDS", "baroni2012", 2_770, 1_385),
        _roller("TM14", "turney2014", 2_188, 1_084),
        _roller("Kotlerman2010", "kotlerman2010", 2_940, 880, "Kotlerman", "Kotl."),
        _hypenet("HypeNet", "dataset_rnd/test", 17_670, 3_512),
        Spec("WordNet", ("WordNet/wordnet_test.txt",), "relation", 8_000, 4_000, tagged=True, separator=","),
        Spec("HyperLex", ("HyperLex/hyperlex-all.txt",), "grade", 2_616, 0, tagged=True, graded=True),
        _hypenet("HypeNet-train", "dataset_rnd/train", 49_475, 9_942),
        _hypenet("HypeNet-val", "dataset_rnd/val", 3_534, 681),
    )
}
MICRO_4 = ("BLESS", "EVALution", "LenciBenotto", "Weeds")
MICRO_10 = (*MICRO_4, "Medical", "LEDS", "TM14", "Kotlerman2010", "HypeNet", "WordNet")
ELEVEN = (*MICRO_10, "HyperLex")
"""The datasets `evaluate` uses unless told otherwise. HypeNet-train is for tuning and never among them."""


# ---- finding and checking the files -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ManifestEntry:
    """One original file: its source and its checksum."""

    dataset: str
    file: str
    sha256: str
    bytes: int
    upstream_repository: str
    upstream_path: str
    upstream_commit: str
    upstream_licence: str


@lru_cache(maxsize=1)
def manifest() -> dict[str, ManifestEntry]:
    """Return every original file by its place in the data folder."""
    text = resources.files("hyperdive.benchmark").joinpath("manifest.tsv").read_text(encoding="utf-8")
    entries = {}
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        values: dict[str, Any] = {name: row[name] for name in ManifestEntry.__annotations__}
        entries[row["file"]] = ManifestEntry(**{**values, "bytes": int(row["bytes"])})
    return entries


def cache_folder() -> Path:
    """Return the folder to which `hyperdive datasets fetch` writes."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "hyperdive" / "datasets"


def data_folder(data: str | Path | None = None) -> Path:
    """Return the folder with the original files: `data`, else the environment's HYPERDIVE_DATA, else the cache."""
    return Path(data or os.environ.get("HYPERDIVE_DATA") or cache_folder())


def spec_of(name: str) -> Spec | None:
    """Return a dataset of the paper by its name or an alias, in any case; None if there is none.

    >>> spec_of("lenci/benotto").name, spec_of("nonsense")
    ('LenciBenotto', None)
    """
    for spec in SPECS.values():
        if name.lower() in {alias.lower() for alias in (spec.name, *spec.aliases)}:
            return spec
    return None


def read_file(folder: Path, file: str, *, verify: bool = True) -> str:
    """Return the text of one original file after comparing its checksum."""
    path = folder / file
    try:
        content = path.read_bytes()
    except OSError:
        raise InputError(
            f"{path}: not there", hint=f"{FETCH}, or point HYPERDIVE_DATA at a folder that has it"
        ) from None
    if verify and hashlib.sha256(content).hexdigest() != manifest()[file].sha256:
        raise InputError(
            f"{path}: the file was altered (its checksum is not the published one)",
            hint=f"{FETCH} --force, or add --no-verify to use it as it is",
        )
    return content.decode("utf-8")


def plugin_names() -> list[str]:
    """Return the names of the datasets of installed plug-ins without importing them."""
    return list(_plugins())


def _plugins() -> dict[str, EntryPoint]:
    return {name: point for name, point in find_plugins(GROUP).items() if spec_of(name) is None}


def load(name: str, *, data: str | Path | None = None, verify: bool = True) -> Dataset:
    """Return a dataset by name, or a user's own pairs by path.

    Args:
        name: a dataset of the paper, a dataset of a plug-in, or the path of a file of pairs.
        data: the folder with the original files; None is that of the environment, else the cache.
        verify: fail if a file of the paper differs from the published one.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mine.tsv"
    >>> _ = path.write_text("dog\\tanimal\\tTrue\\nanimal\\tdog\\tFalse\\n")
    >>> load(str(path))
    <Dataset mine: 2 pairs, 1 positive>
    """
    spec = spec_of(name)
    if spec is not None:
        return _load(spec.name, data_folder(data), verify)
    point = _plugins().get(name)
    if point is not None:
        return _load_plugin(point)
    if Path(name).exists():
        return read_pairs(name)
    raise OptionError(
        f"{name!r} is neither a dataset nor a pairs file",
        hint=f"datasets: {', '.join([*SPECS, *plugin_names()])}; or give a file's path",
    )


def _load_plugin(point: EntryPoint) -> Dataset:
    make = load_plugin(point, "dataset")
    dataset = make() if callable(make) else None
    if not isinstance(dataset, Dataset):
        raise plugin_error(point, "dataset", "is not a function that returns a Dataset")
    return replace(dataset, name=point.name)


@lru_cache(maxsize=32)
def _load(name: str, folder: Path, verify: bool) -> Dataset:
    spec = SPECS[name]
    rows = [row for file in spec.files for row in spec.read(read_file(folder, file, verify=verify), file)]
    dataset = Dataset.from_rows(name, rows, graded=spec.graded, tagged=spec.tagged, separator=spec.separator)
    if verify and (len(dataset), 0 if spec.graded else dataset.positives) != (spec.rows, spec.positives):
        raise InputError(f"{name}: {len(dataset)} pairs read, {spec.rows} expected", hint=FETCH)
    return dataset


def load_all(
    names: Sequence[str | Dataset] = ELEVEN, *, data: str | Path | None = None, verify: bool = True
) -> list[Dataset]:
    """Return several datasets; a `Dataset` is returned as it is."""
    return [name if isinstance(name, Dataset) else load(name, data=data, verify=verify) for name in names]


LABEL_NAMES = ("label", "gold", "is_hypernym", "hypernymy", "class", "score", "grade", "avg_score")
_TRUTH = {
    **dict.fromkeys(("true", "1", "1.0", "yes", "y", "t", "hyper", "hypernym", "positive", "pos", "+"), 1.0),
    **dict.fromkeys(("false", "0", "0.0", "no", "n", "f", "negative", "neg", "-"), 0.0),
}


def read_pairs(path: str | Path, format: str | None = None) -> Dataset:
    """Read hyponym, hypernym and a label (True or False) or a grade (a number) from each line.

    The label is in the column called `label` or `gold`, else in the third one. Terms of several words are phrases.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "mine.tsv"
    >>> _ = place.write_text("hot dog\\tfood\\tTrue\\nfood\\tdog\\tFalse\\n")
    >>> read_pairs(place), read_pairs(place).space_keys()[0]
    (<Dataset mine: 2 pairs, 1 positive>, ('hot', 'dog'))
    """
    file = open_pairs(path, format)
    pairs: list[tuple[str, str]] = []
    labels: list[str] = []
    for block in file:
        labels += _labels(file, block, len(pairs))
        terms = (" ".join(term.lower().split()) for i in (0, 1) for term in block.column(i).to_pylist())
        columns = list(terms)
        pairs += zip(columns[: block.num_rows], columns[block.num_rows :], strict=True)
    if not pairs:
        raise InputError(f"{file.name}: no pairs in it", hint="each line is hyponym<TAB>hypernym<TAB>True or False")
    for row, pair in enumerate(pairs):
        if not all(pair):
            raise InputError(f"{file.name}: line {file.line(row)} has an empty term", hint="each line needs two terms")
    known = {label: _TRUTH.get(label.strip().lower()) for label in set(labels)}
    graded = None in known.values()
    values = {label: _number(label) for label in known} if graded else known
    gold = [values[label] for label in labels]
    if None in gold:
        # the first label that is neither a truth value nor a number, else the first truth value among the grades
        wrong = {label for label, value in values.items() if value is None}
        neither = {label for label in wrong if known[label] is None} or wrong
        row = next(row for row, label in enumerate(labels) if label in neither)
        raise InputError(
            f"{file.name}: line {file.line(row)} has label {labels[row]!r}, which is neither True nor False",
            hint="labels are True/False, 1/0 or yes/no; or give every pair a number as its grade",
        )
    rows = [(q, p, float(value or 0)) for (q, p), value in zip(pairs, gold, strict=True)]
    return Dataset.from_rows(Path(path).stem or file.name, rows, graded=graded, separator=" ")


def _labels(file: PairFile, block: Any, start: int) -> list[str]:
    """Return the labels of a block of pairs whose first row is row `start` of the file."""
    if file.format is not PairFormat.jsonl:
        lower = [name.lower() for name in file.columns]
        number = next((lower.index(name) for name in LABEL_NAMES if name in lower), 2)
        if number >= len(file.columns):
            raise InputError(
                f"{file.name}: two columns, so there is no label to measure against",
                hint="add a third column with True or False; `hyperdive score` needs none",
            )
        return list(block.column(number).to_pylist())
    labels = []
    for row, text in enumerate(block.column("rest").to_pylist(), start):
        rest = json.loads(text) if text else {}
        key = next((name for name in LABEL_NAMES if name in rest), None)
        if key is None:
            raise InputError(f"{file.name}: line {file.line(row)} has no label", hint='add "label": true or false')
        labels.append(str(rest[key]))
    return labels


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def gold_lines(path: str | Path, what: str) -> list[str]:
    """Return all lines of a gold file in lower case, without empty ones at its end.

    Args:
        path: the file.
        what: what it should be, for messages.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "gold.txt"
    >>> _ = place.write_bytes(b"Dog\\tConcept\\r\\n\\ncat\\n\\n")
    >>> gold_lines(place, "file of questions")
    ['dog\\tconcept', '', 'cat']
    """
    lines = [line.strip("\r ").lower() for _, line in read_lines(path, what, f"give a {what}", every=True)]
    while lines and not lines[-1].strip():
        del lines[-1]
    if not lines:
        raise InputError(f"{path}: empty", hint=f"give a {what}")
    return lines
