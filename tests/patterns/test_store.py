"""Counts and sentences do not depend on how the text was cut; folders hold what was put in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperdive._store import HEADER, canonical_json, fingerprint, read_header
from hyperdive.errors import FormatError, InputError, UnknownWordError
from hyperdive.patterns.collector import Collector, merge
from hyperdive.patterns.evidence import LONGEST, best_of_each, can_be_shown, choose, excerpt, pack, text_hashes
from hyperdive.patterns.files import EVIDENCE, SENTENCES, STATEMENTS, TERMS
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.store import Patterns, patterns_of
from tests.patterns.standin import NAMES, PETS, collected, matches_in


def bytes_of(patterns: Patterns, folder: Path) -> dict[str, bytes]:
    patterns.save(folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_counts() -> None:
    pets = collected(PETS)
    assert pets.count("poodle", "dog") == 6
    assert pets.counts_by_pattern("poodle", "dog") == {"such as": 5, "is a": 1}
    assert pets.count("dog", "poodle") == 0
    assert pets.count("unicorn", "dog") == 0
    assert pets.documents == 5
    assert pets.by_pattern("is a")[pets.index("poodle"), pets.index("dog")] == 1
    with pytest.raises(UnknownWordError, match="did you mean poodle"):
        pets.index("poodel")


def test_heads_are_counted_apart() -> None:
    pets = collected(PETS)
    pair = pets.index("guide dog"), pets.index("dog")
    assert pets.count("guide dog", "dog") == 0
    assert pets.counts[pair] == 0
    assert pets.head_counts[pair] == 1
    assert pets.counts[pets.index("guide dog"), pets.index("helper")] == 1
    assert pets.evidence("guide dog", "dog") == []


def test_the_most_frequent_term_comes_first() -> None:
    assert collected(PETS).terms[:2] == ["dog", "poodle"]


def test_evidence_is_of_different_patterns_short_early_and_never_the_same_text() -> None:
    found = collected(PETS).evidence("poodle", "dog")
    assert [(one.sentence, one.pattern, one.document) for one in found] == [
        ("Dogs such as poodles bark.", "such as", 1),
        ("A poodle is a dog.", "is a", 0),
        ("Dogs such as poodles bark now and then.", "such as", 4),
    ]
    assert found[0].marked() == "**Dogs** such as **poodles** bark."
    assert len(collected(PETS).evidence("poodle", "dog", top=1)) == 1


def test_sentences_can_be_left_out() -> None:
    bare = collected(PETS, text=False)
    assert not bare.has_sentences
    assert bare.evidence("poodle", "dog") == []
    assert bare.count("poodle", "dog") == 6
    without = collected(PETS).without_sentences()
    assert not without.has_sentences
    assert np.array_equal(without.keys, bare.keys)


def test_the_total_is_kept() -> None:
    few = collected(PETS, total=2)
    assert few.evidence_rows is not None
    assert len(few.evidence_rows) == 2
    assert len(few.evidence("poodle", "dog")) == 1  # the best of the most frequent pair


def test_no_matches_at_all(tmp_path: Path) -> None:
    empty = Collector(NAMES).finish(documents=0)
    empty.save(tmp_path / "empty")
    back = Patterns.open(tmp_path / "empty")
    assert (len(back), back.pairs, back.matches, back.factors.rank) == (0, 0, 0, 0)
    assert len(merge([back, empty])) == 0


words = st.sampled_from("poodles dogs cats animals hounds guide such as a is A and".split())
sentence = st.lists(words, min_size=3, max_size=12).map(" ".join) | st.builds(
    "{} such as {}{}".format,
    st.sampled_from(["Dogs", "Animals"]),
    st.sampled_from(["poodles", "cats", "guide dogs"]),
    st.sampled_from(["", ".", " bark.", " é" * 30, " x" * 300]),
)
texts_ = st.lists(sentence, max_size=12).map(lambda lines: [(i // 2, line) for i, line in enumerate(lines)])


@given(texts_, st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_the_cut_into_pieces_does_not_matter(tmp_path_factory: pytest.TempPathFactory, lines: list, cut: int) -> None:
    folder = tmp_path_factory.mktemp("cut")
    assert bytes_of(collected(lines), folder / "a") == bytes_of(collected(lines, cut=cut), folder / "b")


@given(texts_, st.integers(0, 12))
@settings(max_examples=25, deadline=None)
def test_merging_parts_is_reading_the_whole(tmp_path_factory: pytest.TempPathFactory, lines: list, at: int) -> None:
    folder = tmp_path_factory.mktemp("merge")
    at -= at % 2  # a part ends with a document
    first, second = lines[:at], [(document - at // 2, line) for document, line in lines[at:]]
    if len(lines) < at:
        return
    merged = merge([collected(first), collected(second)])
    whole = collected(lines)
    assert bytes_of(merged, folder / "merged") == bytes_of(whole, folder / "whole")


def test_merging_unites_tables_of_patterns() -> None:
    other = Patterns(["hound", "dog"], ["like", "is a"], pack([0], [1], [1]), np.array([7]), precision=[0.1, 0.6])
    both = merge([collected(PETS), other])
    assert both.names == ("such as", "is a", "head", "like")
    assert both.counts_by_pattern("hound", "dog") == {"is a": 7}
    assert both.evidence("poodle", "dog")[0].pattern == "such as"
    with pytest.raises(InputError, match="at least one"):
        merge([])


# ---- the choice against a slow twin ---------------------------------------------------------------------------------

rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3), st.integers(0, 4)), max_size=30)


@given(rows, st.integers(1, 3))
def test_the_choice_is_that_of_plain_python(found: list, cap: int) -> None:
    ranks = np.array([2, 0, 3, 1])
    keys = pack([a for a, *_ in found], [b for _, b, *_ in found], [c for *_, c, _ in found])
    hashes = np.array([text for *_, text in found], dtype=np.uint64)
    order = np.arange(len(found), dtype=np.uint64)[::-1].copy()
    expected = []
    for pair in sorted({(a, b) for a, b, *_ in found}):
        mine = [i for i, row in enumerate(found) if row[:2] == pair]
        once: dict[int, int] = {}
        for i in sorted(mine, key=lambda i: (ranks[found[i][2]], order[i])):
            once.setdefault(found[i][3], i)
        by_pattern: dict[int, list[int]] = {}
        for i in sorted(once.values(), key=lambda i: order[i]):
            by_pattern.setdefault(found[i][2], []).append(i)
        ranked = [(level, ranks[pattern], i) for pattern, items in by_pattern.items() for level, i in enumerate(items)]
        expected += [i for _, _, i in sorted(ranked)[:cap]]
    kept, place = choose(keys, order, hashes, ranks, cap)
    assert kept.tolist() == expected
    assert all(p < cap for p in place)
    # what the best of each leave out was no choice
    some = best_of_each(keys, order, hashes, ranks, cap)
    again, _ = choose(keys[some], order[some], hashes[some], ranks, cap)
    assert some[again].tolist() == expected


@given(st.lists(st.text(max_size=8), max_size=8))
def test_equal_texts_have_equal_hashes_and_others_do_not(lines: list[str]) -> None:
    hashes = text_hashes(Texts.of(lines)).tolist()
    encoded = [line.encode("utf-8", errors="replace") for line in lines]
    for i in range(len(lines)):
        for j in range(i):
            assert (hashes[i] == hashes[j]) == (encoded[i] == encoded[j])


@given(st.text(alphabet="ab é☃", max_size=700), st.tuples(*[st.integers(0, 1200)] * 4))
def test_an_excerpt_has_both_terms(text: str, at: tuple[int, int, int, int]) -> None:
    raw = text.encode()
    # spans on borders of characters
    borders = [len(text[:i].encode()) for i in range(len(text) + 1)]
    a, b, c, d = (borders[i % len(borders)] for i in at)
    spans = (min(a, b), max(a, b), min(c, d), max(c, d))
    if not can_be_shown(np.array([len(raw)]), np.array([spans]))[0]:
        return
    shown, (e, f, g, h) = excerpt(raw, spans)
    assert len(shown) <= LONGEST + 16
    assert (shown[e:f], shown[g:h]) == (raw[spans[0] : spans[1]], raw[spans[2] : spans[3]])
    shown.decode("utf-8")


# ---- folders --------------------------------------------------------------------------------------------------------


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    pets = collected(PETS)
    pets.factors  # noqa: B018 computed and kept
    corpus = tmp_path / "corpus"
    pets.save(corpus / "patterns", source="abc", parameters={"language": "en"})
    back = patterns_of(corpus)
    assert back is not None
    assert (back.terms, back.names, back.documents) == (pets.terms, pets.names, pets.documents)
    assert np.array_equal(back.keys, pets.keys)
    assert np.array_equal(back.values, pets.values)
    assert back.evidence("poodle", "dog") == pets.evidence("poodle", "dog")
    assert back.is_factorised
    assert np.array_equal(back.svd()[0], pets.svd()[0])
    back.save(tmp_path / "again", source="abc", parameters={"language": "en"})
    for name in (corpus / "patterns").iterdir():
        assert name.read_bytes() == (tmp_path / "again" / name.name).read_bytes(), name.name
    assert patterns_of(tmp_path) is None


def test_bytes_that_are_no_text_stay_as_they_are(tmp_path: Path) -> None:
    raw = b"Dogs such as \xff poodles"
    texts = Texts(np.frombuffer(raw, dtype=np.uint8), np.array([0, len(raw)]))
    collector = Collector(["such as"])
    collector.add(Matches(Texts.of(["poodle", "dog"]), [0], [1], [0], [0], [0], [[15, 22]], [[0, 4]], texts))
    collector.finish(documents=1).save(tmp_path / "p")
    assert Patterns.open(tmp_path / "p").evidence("poodle", "dog")[0].marked("<", ">") == "<Dogs> such as � <poodles>"


def test_control_characters_are_not_shown() -> None:
    found = collected([(0, "Dogs such as poodles\x1b[31m\nbark.")]).evidence("poodle", "dog")
    assert found[0].sentence == "Dogs such as poodles [31m bark."


def test_only_words_of_the_vocabulary() -> None:
    pets = collected(PETS)
    part = pets.of_vocabulary({"dog", "poodle", "guide", "helper"})
    assert sorted(part.terms) == ["dog", "guide dog", "helper", "poodle"]
    assert part.counts[part.index("poodle"), part.index("dog")] == 6
    assert part.totals[2] == 7
    assert part.evidence("poodle", "dog") == pets.evidence("poodle", "dog")


def test_a_subset_keeps_every_value(tmp_path: Path) -> None:
    pets = collected(PETS)
    vectors = pets.svd()
    part = pets.subset(["dog", "poodle"])
    part.save(tmp_path / "part")
    part = Patterns.open(tmp_path / "part")
    old, new = ([store.index(term) for term in ("poodle", "dog")] for store in (pets, part))
    assert part.ppmi[new[0], new[1]] == pets.ppmi[old[0], old[1]]
    assert np.array_equal(part.svd()[0][new], vectors[0][old])
    assert np.array_equal(part.svd()[1][new], vectors[1][old])


def damaged(folder: Path, name: str, content: bytes) -> None:
    """Put other content in a file and correct its header, as a hostile author would."""
    import hashlib

    header = read_header(folder)
    header["files"][name] |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    header.pop("fingerprint")
    header["fingerprint"] = fingerprint(header)
    (folder / name).write_bytes(content)
    (folder / HEADER).write_text(canonical_json(header), encoding="utf-8")


@pytest.mark.parametrize("name", [TERMS, STATEMENTS, EVIDENCE, SENTENCES])
def test_a_damaged_file_is_one_line(tmp_path: Path, name: str) -> None:
    collected(PETS).save(tmp_path / "p")
    place = tmp_path / "p" / name
    content = place.read_bytes()
    place.write_bytes(content[:-3] + b"xyz")
    with pytest.raises(FormatError, match="checksum"):
        Patterns.open(tmp_path / "p")
    damaged(tmp_path / "p", name, content[: len(content) // 2])
    with pytest.raises(FormatError):
        Patterns.open(tmp_path / "p").evidence("poodle", "dog")


def with_column(folder: Path, name: str, column: str, change: Callable[[list[Any]], list[Any]]) -> bytes:
    """A table with another column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(folder / name)
    at = table.column_names.index(column)
    values = pa.array(change(table.column(column).to_pylist()), table.schema.field(at).type)
    out = pa.BufferOutputStream()
    pq.write_table(table.set_column(at, column, values), out)
    return out.getvalue().to_pybytes()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        (STATEMENTS, "hypo", 200),
        (STATEMENTS, "hyper", -1),
        (STATEMENTS, "pattern", 9),
        (STATEMENTS, "count", -5),
        (STATEMENTS, "hypo", 0),  # twice the same statement, or one before another
        (STATEMENTS, "count", None),
        (TERMS, "hypo_total", -1),
        (TERMS, "term", "poodle"),  # twice the same
        (TERMS, "term", None),
        (EVIDENCE, "hyper", 200),
        (EVIDENCE, "sentence", 99),
        (EVIDENCE, "hypo_end", 10_000),
        (EVIDENCE, "hyper_start", -2),
        (SENTENCES, "text", b""),
    ],
)
def test_values_out_of_range_are_refused(tmp_path: Path, name: str, column: str, value: Any) -> None:
    collected(PETS).save(tmp_path / "p")

    def change(values: list[Any]) -> list[Any]:
        return [*values[:-1], value] if name == STATEMENTS else [value, *values[1:]]

    damaged(tmp_path / "p", name, with_column(tmp_path / "p", name, column, change))
    with pytest.raises(FormatError, match=EVIDENCE if name == SENTENCES else name):
        Patterns.open(tmp_path / "p").evidence_rows  # noqa: B018


def test_columns_of_another_type_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    collected(PETS).save(tmp_path / "p")
    table = pq.read_table(tmp_path / "p" / STATEMENTS)
    for wrong in (
        table.set_column(3, "count", table.column("count").cast(pa.float64())),
        table.drop_columns(["count"]),
        table.append_column("more", table.column("count")),
    ):
        out = pa.BufferOutputStream()
        pq.write_table(wrong, out)
        damaged(tmp_path / "p", STATEMENTS, out.getvalue().to_pybytes())
        with pytest.raises(FormatError, match=STATEMENTS):
            Patterns.open(tmp_path / "p")


def test_wrong_matches_are_refused() -> None:
    good = matches_in(PETS)
    for name, value in (
        ("hyponym", np.full(len(good), 99)),
        ("document", np.full(len(good), -1)),
        ("sentence", np.full(len(good), 99)),
        ("hyponym_span", np.full((len(good), 2), 5)),
        ("pattern", good.pattern[:-1]),
    ):
        given = {field: getattr(good, field) for field in good.__dataclass_fields__} | {name: value}
        with pytest.raises(InputError, match=name if name != "pattern" else "rows"):
            Matches(**given)
    with pytest.raises(InputError, match="pattern 1"):
        Collector(["such as"]).add(matches_in([(0, "A poodle is a dog.")]))
    with pytest.raises(InputError, match="names"):
        Collector([])
