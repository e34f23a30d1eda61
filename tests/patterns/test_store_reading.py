"""What is read from text: the same bytes at any cut and any number of threads, and two halves make the whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from hyperdive import encode
from hyperdive.patterns.collector import merge
from hyperdive.patterns.files import SENTENCE_FILES
from hyperdive.patterns.store import Patterns, patterns_of

LINES = [
    "Domestic animals such as dogs, cats and horses need care. A poodle is a breed of dog.",
    "Apples, pears and other fruits grow here. He admired such metals as gold, silver, and copper.",
    "Large mammals, especially elephants, drink much. Naïve café owners keep dogs such as poodles.",
    "A poodle is a dog. Stringed instruments, including violins and guitars, were sold in the old town.",
]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reading")
    many = [LINES[(7 * i + i // 9) % len(LINES)] + f" Number {i} of them." * (i % 3) for i in range(200)]
    (folder / "whole.txt").write_text("\n".join(many) + "\n", encoding="utf-8")
    (folder / "first.txt").write_text("\n".join(many[:90]) + "\n", encoding="utf-8")
    (folder / "second.txt").write_text("\n".join(many[90:]) + "\n", encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_bytes_at_any_cut_and_any_number_of_threads(text: Path, tmp_path: Path) -> None:
    encode(text / "whole.txt", tmp_path / "a", min_count=1, threads=1)
    first = contents(tmp_path / "a" / "patterns")
    assert patterns_of(tmp_path / "a").count("poodle", "dog") > 0  # type: ignore[union-attr]
    for threads, size in ((2, 300), (3, 1000), (2, 5000)):
        encode(text / "whole.txt", tmp_path / "b", min_count=1, threads=threads, block_bytes=size, force=True)
        assert contents(tmp_path / "b" / "patterns") == first, (threads, size)


def test_two_halves_make_the_whole(text: Path, tmp_path: Path) -> None:
    for name in ("whole", "first", "second"):
        encode(text / f"{name}.txt", tmp_path / name, min_count=1)
    merge([Patterns.open(tmp_path / "first"), Patterns.open(tmp_path / "second")]).save(tmp_path / "merged")
    Patterns.open(tmp_path / "whole").save(tmp_path / "read")
    assert contents(tmp_path / "merged") == contents(tmp_path / "read")


def test_text_that_is_not_kept_leaves_no_sentences(text: Path, tmp_path: Path) -> None:
    encode(text / "first.txt", tmp_path / "c", min_count=1, keep_text=False)
    found = patterns_of(tmp_path / "c")
    assert found is not None
    assert not found.has_sentences
    assert not any((tmp_path / "c" / "patterns" / name).exists() for name in SENTENCE_FILES)
    encode(text / "first.txt", tmp_path / "d", min_count=1, patterns=False)
    assert patterns_of(tmp_path / "d") is None
