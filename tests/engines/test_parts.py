"""The work of one machine cut into tasks: not a byte tells how."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hyperdive
from hyperdive._resources import Run
from hyperdive._resume import is_stage, read_stage
from hyperdive.counts.count import BlockCounter, count
from hyperdive.counts.inverted_index import TokenRange
from hyperdive.counts.rows import cut_rows
from hyperdive.engines import LocalEngine
from hyperdive.errors import InputError, OptionError
from hyperdive.options import CountOptions
from hyperdive.spaces import row_tasks
from hyperdive.text import item_stream
from hyperdive.text.corpus import Corpus
from hyperdive.text.fold import TextFold
from hyperdive.text.parts import PartReader
from hyperdive.text.token_lists import encode_tokens
from tests.engines.conftest import contents


@pytest.mark.parametrize("options", [
    {}, {"preset": "paper", "max_tokens": 0}, {"max_tokens": 20_000}, {"max_tokens": 9_000, "budget": "kept"},
    {"shuffle": 3}, {"shuffle": 3, "max_tokens": 15_000}, {"rare": "drop"},
    {"line_length": "sentence", "keep_text": False}, {"last_line": "drop", "terms": "none", "patterns": False},
])  # fmt: skip
def test_parts_of_a_text_do_not_change_a_byte(
    tmp_path: Path, text: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_stream, "CHUNK_ITEMS", 20_000)
    hyperdive.encode(text, tmp_path / "one", block_bytes=10_000, **options)
    reference = contents(tmp_path / "one")
    size = text.stat().st_size
    for parts in (1, 2, 5):
        place = tmp_path / str(parts)
        more = {"engine": LocalEngine(2), "part_bytes": -(-size // parts), "block_bytes": 10_000}
        hyperdive.encode(text, place, **more, **options)
        made = contents(place)
        assert made.keys() == reference.keys()
        assert [name for name in made if made[name] != reference[name]] == [], parts
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_files_of_all_kinds_in_parts(tmp_path: Path, text: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    lines = text.read_text(encoding="utf-8").splitlines()
    (folder / "a.txt").write_text("\ufeff" + "\n".join(lines[:2000]), encoding="utf-8")
    (folder / "b.txt.gz").write_bytes(gzip.compress("\n".join(lines[2000:3000]).encode()))
    (folder / "c.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines[3000:4000]))
    (folder / "d.txt.bz2").write_bytes(bz2.compress("\n".join(lines[4000:5000]).encode()))
    (folder / "e.txt").write_bytes("\n".join(lines[5000:]).encode() + b"\nbad \xff byte\n")
    for options in ({"keep_text": True}, {"keep_text": False}, {"max_tokens": 30_000}, {"shuffle": 1}):
        hyperdive.encode(folder, tmp_path / "one", force=True, min_count=2, threads=1, part_bytes=1 << 40, **options)
        for part_bytes in (30_000, 200_000):
            hyperdive.encode(folder, tmp_path / "parts", force=True, min_count=2, part_bytes=part_bytes, **options)
            assert contents(tmp_path / "parts") == contents(tmp_path / "one")


@pytest.mark.parametrize("layout", [{}, {"document": "file"}])
def test_documents_of_many_pieces_in_parts(
    tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch, layout: dict[str, Any]
) -> None:
    """One line, or one file, is cut into pieces; a part may begin inside of a document."""
    monkeypatch.setattr("hyperdive.text.readers.PIECE_BYTES", 5_000)
    lines = text.read_text(encoding="utf-8").splitlines()[:3000]
    flat = tmp_path / "flat.txt"
    flat.write_text(" ".join(lines[:2000]) + "\n" + " ".join(lines[2000:]), encoding="utf-8")
    packed = tmp_path / "flat.txt.gz"
    packed.write_bytes(gzip.compress(flat.read_bytes()))
    for source in (flat, packed):
        made = []
        for number, more in enumerate(({"part_bytes": 1 << 40}, {"part_bytes": 20_000, "block_bytes": 9_000})):
            hyperdive.encode(source, tmp_path / f"{number}", force=True, min_count=1, **more, **layout)
            made.append(contents(tmp_path / f"{number}"))
        assert made[0] == made[1]


def test_an_interrupted_run_goes_on_with_its_parts(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hyperdive.encode(text, tmp_path / "one")
    monkeypatch.setattr("hyperdive.pipeline.encode.KEPT_BYTES", 1)
    read: list[int] = []
    whole = TextFold.take

    def interrupted(fold: TextFold, *given: Any) -> None:
        if len(read) == 3:
            raise KeyboardInterrupt
        read.append(1)
        whole(fold, *given)

    monkeypatch.setattr(TextFold, "take", interrupted)
    size = -(-text.stat().st_size // 6)
    with pytest.raises(KeyboardInterrupt):
        hyperdive.encode(text, tmp_path / "c", part_bytes=size, threads=1)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != text.name) == [".c.encode", "one"]
    done = sorted(path.name for path in (tmp_path / ".c.encode").glob("part-*"))
    assert done[:4] == [f"part-{number:06d}" for number in range(4)]
    (tmp_path / ".c.encode" / done[1] / "forms").write_bytes(b"damaged")  # is read again
    monkeypatch.setattr(TextFold, "take", whole)
    calls: list[Any] = []
    read_part = PartReader._read
    monkeypatch.setattr(PartReader, "_read", lambda reader, *given: calls.append(given) or read_part(reader, *given))
    hyperdive.encode(text, tmp_path / "c", part_bytes=size, threads=2)
    assert len(calls) == 6 - len(done) + 1
    assert contents(tmp_path / "c") == contents(tmp_path / "one")
    assert not (tmp_path / ".c.encode").exists()
    with pytest.raises(InputError, match="left to encode"):
        hyperdive.encode(text, tmp_path / "d", stopwords="none", min_count=10**6, rare="drop")
    assert not (tmp_path / ".d.encode").exists()


@pytest.mark.parametrize("near", [True, False])
def test_counts_of_parts_are_those_of_the_whole(tmp_path: Path, text: Path, near: bool) -> None:
    corpora = [hyperdive.encode(text, tmp_path / "c", min_count=3)]
    options = CountOptions(window=5, near=near)
    count(corpora, tmp_path / "one", options=options)
    reference = contents(tmp_path / "one")
    for parts in (1, 2, 5):
        tokens = -(-len(corpora[0]) // parts)
        run = Run(engine=LocalEngine())
        count(corpora, tmp_path / str(parts), options=options, block_tokens=tokens, run=run)
        assert contents(tmp_path / str(parts)) == reference


def test_a_frequent_word_is_no_larger_piece_for_more_text(tmp_path: Path) -> None:
    """Every other token is *also*: its row is one array of the words beside it, however often they meet."""
    sizes = []
    for times in (2, 16):
        words = [word for n in range(1000) for word in ("also", f"w{n * n % 997}")]
        corpus = encode_tokens([words] * times, tmp_path / f"c{times}", min_count=1)
        assert corpus.vocabulary[1] == "also"
        options = CountOptions(window=5)
        ranges = cut_rows(corpus.counts, corpus.vocabulary_size, options)
        counter = BlockCounter(
            (str(corpus.path),), (np.zeros(0, np.uint32),), corpus.counts, corpus.vocabulary_size, ranges, options, 1
        )  # fmt: skip
        piece = counter([TokenRange(0, 0, len(corpus) // 2)])
        sizes.append(len(piece(1)["indices"]))
        assert ranges[1].first == 1 and ranges[1].bound >= sizes[-1]
    assert 0 < sizes[0] <= sizes[1] < 2 * sizes[0]


def test_the_limit_of_memory_is_looked_at_after_every_part(
    tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(TextFold, "check_memory", lambda fold: seen.append(len(fold.table)))
    hyperdive.encode(text, tmp_path / "c", engine=LocalEngine(), part_bytes=150_000, block_bytes=1 << 15)
    assert len(seen) == -(-text.stat().st_size // 150_000) > 1
    assert seen == sorted(seen)
    assert seen[0] > 0


def test_a_model_by_tasks_is_that_of_one_machine(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several ranges of rows, whose borders are among the sampled ones."""
    monkeypatch.setattr(row_tasks, "_LEAST_BLOCKS", 1)
    monkeypatch.setattr(row_tasks, "_TASKS_A_SLOT", 100)
    spans: list[int] = []
    cut = row_tasks._spans
    monkeypatch.setattr(row_tasks, "_spans", lambda *given: spans.append(len(cut(*given))) or cut(*given))
    options: dict[str, Any] = {"dimensions": 8, "frequent": 30, "passes": 4, "rare_passes": 3, "pmi_filter": "none"}
    hyperdive.train(text, tmp_path / "one", min_count=2, **options)
    hyperdive.train(text, tmp_path / "tasks", min_count=2, engine=LocalEngine(2), **options)
    assert min(spans) > 1
    assert contents(tmp_path / "tasks") == contents(tmp_path / "one")


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_task_that_leaves_the_range_of_numbers_is_done_again_by_one_machine(
    tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = row_tasks.one_pass

    def poisoned(solver: Any, stage: Any, number: int, *others: Any) -> None:
        honest(solver, stage, number, *others)
        [side] = stage.sides
        if number == 2:
            side.own[side.first] = np.inf
        elif number == 3:  # what comes of it later may be finite again
            side.own[side.first] = 0

    options: dict[str, Any] = {"dimensions": 8, "frequent": 30, "passes": 4, "rare_passes": 3, "pmi_filter": "none"}
    hyperdive.train(text, tmp_path / "one", min_count=2, **options)
    monkeypatch.setattr(row_tasks, "one_pass", poisoned)
    hyperdive.train(text, tmp_path / "tasks", min_count=2, engine=LocalEngine(2), **options)
    assert contents(tmp_path / "tasks") == contents(tmp_path / "one")


def test_what_tasks_made_is_found_again(tmp_path: Path) -> None:
    def square(task: int) -> Any:
        calls.append(task)
        if task == 3 and not (tmp_path / "go").exists():
            raise KeyboardInterrupt
        return {}, {"square": np.array([task * task])}

    calls: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        list(LocalEngine(1).results(tmp_path, "s", square, [1, 2, 3]))
    (tmp_path / "go").touch()
    results = list(LocalEngine(1).results(tmp_path, "s", square, [1, 2, 3]))
    assert [int(arrays["square"][0]) for _, arrays in results] == [1, 4, 9]
    assert calls == [1, 2, 3, 3]
    assert is_stage(tmp_path / "s-000002")
    assert read_stage(tmp_path / "s-000002")[1]["square"].tolist() == [9]


def test_bad_input_leaves_nothing_behind(tmp_path: Path, text: Path) -> None:
    bad = tmp_path / "bad.txt.gz"
    bad.write_bytes(gzip.compress(text.read_bytes())[:-2000])
    with pytest.raises(InputError, match=r"bad.txt.gz: truncated or damaged gzip data after \d+ bytes"):
        hyperdive.encode(bad, tmp_path / "c", engine=LocalEngine())
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt.gz"]


def test_a_cluster_reads_only_files(tmp_path: Path) -> None:
    class Elsewhere(LocalEngine):
        in_process = False

    for given in ({"texts": ["A dog."]}, {"source": [["a", "dog"]]}, {"source": "-"}):
        with pytest.raises(OptionError, match="cluster"):
            hyperdive.encode(output=tmp_path / "c", engine=Elsewhere(), **given)


def test_a_corpus_opens_by_tasks(tmp_path: Path, text: Path) -> None:
    corpus = hyperdive.encode(text, tmp_path / "c", engine=LocalEngine(), part_bytes=50_000)
    assert isinstance(corpus, Corpus)
    assert corpus.sentence_text(0).startswith("The ")
