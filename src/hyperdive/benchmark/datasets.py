"""The eleven hypernymy datasets of the paper, read from their original files, and any pairs file of a user."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hyperdive.errors import InputError, OptionError

FETCH = "type: hyperdive datasets fetch"

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
        """A dataset from (hyponym, hypernym, gold) rows.

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
        """How many pairs are positive."""
        return int(self.labels.sum())

    def space_keys(self, *, pos: bool = False) -> list[tuple[str, ...]]:
        """The words of every term as a vector space spells them.

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


# ---- the layouts of the original files ----------------------------------------------------------------------------


def _fields(text: str, file: str, separator: str, least: int, header: bool) -> Iterable[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if not line or (header and number == 1):
            continue
        fields = line.split(separator)
        if len(fields) < least:
            raise InputError(f"{file}: line {number} has {len(fields)} columns, {least} expected", hint=FETCH)
        yield number, fields


def _by_relation(text: str, file: str) -> Iterable[Row]:
    """hyponym, hypernym, label, relation: column 4 decides, as the released scorer does."""
    for _, fields in _fields(text, file, "\t", 4, header=False):
        yield fields[0], fields[1], float(fields[3] == "hyper")


def _by_label(text: str, file: str, header: bool) -> Iterable[Row]:
    for number, fields in _fields(text, file, "\t", 3, header):
        if fields[2] not in ("True", "False"):
            raise InputError(f"{file}: line {number} has label {fields[2]!r}, not True or False", hint=FETCH)
        yield fields[0], fields[1], float(fields[2] == "True")


def _by_label_with_header(text: str, file: str) -> Iterable[Row]:
    return _by_label(text, file, header=True)


def _by_label_alone(text: str, file: str) -> Iterable[Row]:
    return _by_label(text, file, header=False)


def _hyperlex(text: str, file: str) -> Iterable[Row]:
    """WORD1 WORD2 POS TYPE AVG_SCORE …: the term gets its POS as a suffix, like the other tagged sets."""
    for _, fields in _fields(text, file, " ", 5, header=True):
        yield f"{fields[0]}-{fields[2]}", f"{fields[1]}-{fields[2]}", float(fields[4])


@dataclass(frozen=True)
class Spec:
    """Where a dataset of the paper is, how to read it, and what must come out."""

    name: str
    files: tuple[str, ...]
    read: Callable[[str, str], Iterable[Row]]
    rows: int
    positives: int
    aliases: tuple[str, ...] = ()
    tagged: bool = False
    graded: bool = False
    separator: str = ""


def _siege(name: str, rows: int, positives: int, *aliases: str) -> Spec:
    return Spec(
        name, (f"{name}/{name}.val", f"{name}/{name}.test"), _by_relation, rows, positives, aliases, tagged=True
    )


def _roller(name: str, file: str, rows: int, positives: int, *aliases: str) -> Spec:
    return Spec(name, (f"{name}/{file}.tsv",), _by_label_with_header, rows, positives, aliases)


def _hypenet(name: str, file: str, rows: int, positives: int) -> Spec:
    return Spec(name, (f"HypeNet/{file}.tsv",), _by_label_alone, rows, positives, separator=" ")


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
        Spec("WordNet", ("WordNet/wordnet_test.txt",), _by_relation, 8_000, 4_000, tagged=True, separator=","),
        Spec("HyperLex", ("HyperLex/hyperlex-all.txt",), _hyperlex, 2_616, 0, tagged=True, graded=True),
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
    """One original file: where it comes from and how to recognise it."""

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
    """Every original file by its place in the data folder."""
    text = resources.files("hyperdive.benchmark").joinpath("manifest.tsv").read_text(encoding="utf-8")
    entries = {}
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        entries[row["file"]] = ManifestEntry(
            row["dataset"],
            row["file"],
            row["sha256"],
            int(row["bytes"]),
            row["upstream_repository"],
            row["upstream_path"],
            row["upstream_commit"],
            row["upstream_licence"],
        )
    return entries


def cache_folder() -> Path:
    """Where `hyperdive datasets fetch` puts the files."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "hyperdive" / "datasets"


def data_folder(data: str | Path | None = None) -> Path:
    """The folder with the original files: `data`, else the environment's HYPERDIVE_DATA, else the cache."""
    return Path(data or os.environ.get("HYPERDIVE_DATA") or cache_folder())


def spec_of(name: str) -> Spec | None:
    """A dataset of the paper by its name or an alias, in any case; None when there is none.

    >>> spec_of("lenci/benotto").name, spec_of("nonsense")
    ('LenciBenotto', None)
    """
    for spec in SPECS.values():
        if name.lower() in {alias.lower() for alias in (spec.name, *spec.aliases)}:
            return spec
    return None


def read_file(folder: Path, file: str, *, verify: bool = True) -> str:
    """The text of one original file, compared with its checksum."""
    path = folder / file
    try:
        content = path.read_bytes()
    except OSError:
        raise InputError(
            f"{path}: not there", hint=f"{FETCH}, or point HYPERDIVE_DATA or --data at a folder that has it"
        ) from None
    if verify and hashlib.sha256(content).hexdigest() != manifest()[file].sha256:
        raise InputError(
            f"{path}: the file was altered (its checksum is not the published one)",
            hint=f"{FETCH} --force, or add --no-verify to use it as it is",
        )
    return content.decode("utf-8")


def load(name: str, *, data: str | Path | None = None, verify: bool = True) -> Dataset:
    """A dataset of the paper by name, or a user's own pairs by path.

    A file of the paper that differs from the published one by a single byte is refused unless `verify` is False.
    """
    spec = spec_of(name)
    if spec is None:
        if Path(name).exists():
            from hyperdive.benchmark.pairs_file import read_pairs

            return read_pairs(name)
        raise OptionError(
            f"{name!r} is neither a dataset nor a pairs file",
            hint=f"datasets: {', '.join(SPECS)}; or give a file's path",
        )
    return _load(spec.name, data_folder(data), verify)


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
    """Several datasets; a `Dataset` passes through."""
    return [name if isinstance(name, Dataset) else load(name, data=data, verify=verify) for name in names]
