"""Counts that carry the patterns of their texts: parts that are merged are the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hyperdive import load, train
from hyperdive._resources import anonymous_memory
from hyperdive.patterns.store import Patterns
from hyperdive.pipeline.count import count_corpora, merge_counts
from hyperdive.pipeline.encode import encode

LINES = [
    "They keep dogs such as poodles and spaniels on the farm.",
    "The poodle is a dog that barks at other animals such as cats.",
    "Cats, horses and other animals sleep in the barn near the dog.",
    "Fruit such as apples and pears grows in the orchard with the horse.",
    "A spaniel is a dog. Animals, especially dogs, like the orchard.",
]
SMALL = {"dimensions": 4, "pmi_filter": "none", "passes": 3}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text in three parts and whole, each encoded and counted."""
    folder = tmp_path_factory.mktemp("parts")
    texts = {"a": LINES[:2] * 90, "b": LINES[2:4] * 70, "c": LINES[4:] * 50 + LINES[:1]}
    for name, lines in {**texts, "whole": [line for part in texts.values() for line in part]}.items():
        (folder / f"{name}.txt").write_text("\n".join(lines))
        encode(folder / f"{name}.txt", folder / f"corpus-{name}", min_count=1, line_length="document")
        count_corpora([folder / f"corpus-{name}"], folder / f"counts-{name}")
    return folder


def test_merged_parts_are_the_whole(parts: Path, tmp_path: Path) -> None:
    merged = merge_counts([parts / f"counts-{name}" for name in "abc"], tmp_path / "merged")
    at_once = count_corpora([parts / f"corpus-{name}" for name in "abc"], tmp_path / "once")
    pairwise = merge_counts([parts / "counts-a", parts / "counts-b"], tmp_path / "ab")
    in_steps = merge_counts([pairwise.path, parts / "counts-c"], tmp_path / "steps")
    assert contents(merged.path) == contents(at_once.path) == contents(in_steps.path)
    of_parts, of_whole = (contents(folder / "patterns") for folder in (merged.path, parts / "corpus-whole"))
    del of_parts["header.json"], of_whole["header.json"]  # which tells the text
    assert of_parts == of_whole
    assert len(Patterns.open(merged.path).evidence("poodle", "dog")) == 2


def test_the_order_of_the_parts_changes_no_count(parts: Path, tmp_path: Path) -> None:
    stores = [
        Patterns.open(merge_counts([parts / f"counts-{name}" for name in order], tmp_path / order).path)
        for order in ("abc", "cab")
    ]
    assert stores[0].terms == stores[1].terms
    assert (stores[0].keys == stores[1].keys).all()
    assert (stores[0].values == stores[1].values).all()
    told = [{one.sentence for one in store.evidence("poodle", "dog")} for store in stores]
    assert told[0] == told[1] != set()


def test_a_model_of_counts_has_their_patterns(parts: Path, tmp_path: Path) -> None:
    merged = merge_counts([parts / f"counts-{name}" for name in "abc"], tmp_path / "merged")
    train(merged.path, tmp_path / "model", **SMALL)
    train(parts / "corpus-whole", tmp_path / "whole", terms="none", **SMALL)
    model, whole = load(tmp_path / "model"), load(tmp_path / "whole")
    assert model.patterns is not None and whole.patterns is not None
    assert model.patterns.count("poodle", "dog") == whole.patterns.count("poodle", "dog") > 8
    assert [one.sentence for one in model.evidence("spaniel", "dog")] == [
        one.sentence for one in whole.evidence("spaniel", "dog")
    ]
    assert train(merged.path, tmp_path / "none", patterns=False, **SMALL).patterns is None


def test_the_verb_carries_patterns_or_not(parts: Path, tmp_path: Path, hyperdive: Callable) -> None:
    both = (parts / "counts-a", parts / "counts-b")
    assert "statements" in hyperdive("count", "--merge", *both, "-o", tmp_path / "with").out
    assert (tmp_path / "with" / "patterns" / "sentences.parquet").is_file()
    ran = hyperdive("count", "--merge", *both, "-o", tmp_path / "without", "--set", "patterns=no")
    assert ran.code == 0 and not (tmp_path / "without" / "patterns").exists()
    assert hyperdive("info", tmp_path / "with", "--verify").code == 0
    assert hyperdive("info", tmp_path / "with", "--drop-text").code == 0
    assert not (tmp_path / "with" / "patterns" / "sentences.parquet").exists()
    assert "no sentences" in hyperdive("info", tmp_path / "with", "--verify").out
    assert hyperdive("info", tmp_path / "with", "--drop-text").code == 1


def test_a_part_without_patterns_is_told(parts: Path, tmp_path: Path, hyperdive: Callable) -> None:
    encode(parts / "c.txt", tmp_path / "plain", min_count=1, line_length="document", patterns=False)
    ran = hyperdive("count", parts / "corpus-a", tmp_path / "plain", "-o", tmp_path / "n", "--set", "progress=json")
    assert f"{tmp_path / 'plain'} has no patterns; those of the others are carried" in ran.err
    assert (tmp_path / "n" / "patterns").is_dir()
    ran = hyperdive("count", tmp_path / "plain", "-o", tmp_path / "m", "--set", "progress=json")
    assert "has no patterns" not in ran.err and not (tmp_path / "m" / "patterns").exists()


def test_patterns_beyond_the_memory_are_refused_before_counting(
    parts: Path, tmp_path: Path, hyperdive: Callable
) -> None:
    """Merging took three times the limit that counting kept."""
    size = sum(path.stat().st_size for name in "ab" for path in (parts / f"counts-{name}" / "patterns").iterdir())
    both = ("count", "--merge", parts / "counts-a", parts / "counts-b", "-o", tmp_path / "n", "--memory")
    ran = hyperdive(*both, str(size))
    assert ran.code == 1 and "the patterns of the inputs need" in ran.err and "--set patterns=no" in ran.err
    assert not list(tmp_path.iterdir())
    assert hyperdive(*both, f"{anonymous_memory() // 10**6 + 1_000}MB").code == 0


def test_the_patterns_of_one_corpus_are_copied(parts: Path) -> None:
    assert contents(parts / "counts-a" / "patterns") == contents(parts / "corpus-a" / "patterns")
