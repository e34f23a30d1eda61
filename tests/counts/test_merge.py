"""Merged counts are those of one run over all corpora, bit for bit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperdive._resources import Run
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.count import count
from hyperdive.counts.merge import merge
from hyperdive.errors import InputError
from hyperdive.options import CountOptions
from tests.examples import examples

from .reference import collapse, corpus_of, count_pairs, files, folder, lines, read
from .test_count import big_corpus

slowly = examples(25)


def counted(corpora, min_count=None, **options):
    place = folder() / "counts"
    count(corpora, place, options=CountOptions(**options), min_count=min_count, run=Run())
    return Cooccurrence.open(place)


def merged(stores, **options):
    place = folder() / "merged"
    merge(stores, place, **{"run": Run(), **options})
    return Cooccurrence.open(place)


@slowly
@given(lines, lines, st.integers(1, 6), st.integers(1, 6), st.sampled_from(["both", "left", "right"]))
def test_merge_equals_one_run(one, two, window, min_count, sides):
    """Words rare in both parts and frequent in the sum come back; windows never cross from one corpus to the other."""
    options = {"window": window, "sides": sides, "near": True}
    first, second = corpus_of(one, min_count), corpus_of([*two, ["only", "here"]], min_count)
    if first.fingerprint == second.fingerprint:
        return
    together = counted([first, second], **options)
    parts = merged([counted([first], **options), counted([second], **options)])
    assert files(parts.path) == files(together.path)
    expected = count_pairs([*one, *two, ["only", "here"]], window, sides)
    assert read(parts) == collapse(expected, set(parts.words))


def test_merge_of_three_large_corpora(monkeypatch):
    monkeypatch.setattr("hyperdive.counts.rows.RANGE_ENTRIES", 10_000)
    corpora = [corpus_of(big_corpus(9_000, seed=seed, types=1_500 + 300 * seed), 4) for seed in range(3)]
    together = counted(corpora, near=True)
    stores = [counted([corpus], near=True) for corpus in corpora]
    at_once = merged(stores, run=Run(threads=2))
    in_steps = merged([merged(stores[:2]), stores[2]], run=Run(threads=5))
    assert files(at_once.path) == files(together.path) == files(in_steps.path)
    assert together.header["input"]["corpora"] == [corpus.fingerprint for corpus in corpora]


def test_the_minimum_count_is_applied_after_the_merge():
    one, two = corpus_of([["a", "b", "a"]], 3), corpus_of([["b", "b", "a"]], 3)
    assert counted([one], window=2).words == []
    both = merged([counted([one], window=2), counted([two], window=2)])
    assert both.words == ["a", "b"]
    again = merged([counted([one], window=2), counted([two], window=2)], min_count=1)
    assert again.words == ["a", "b"]
    assert again.totals[0] == 0


def test_different_minimum_counts_need_a_word():
    stores = [counted([corpus_of([["a", "b"]], 1)]), counted([corpus_of([["a", "c"]], 2)])]
    with pytest.raises(InputError, match=r"different minimum counts .*--min-count 2"):
        merged(stores)
    assert merged(stores, min_count=1).words == ["a", "b", "c"]


def test_different_preprocessing_is_refused_and_named():
    first, second = corpus_of([["a", "b"]]), corpus_of([["a", "c"]], line_length="sentence")
    with pytest.raises(InputError, match="encoded differently: line_length is document in one, sentence in the other"):
        merged([counted([first]), counted([second])])
    with pytest.raises(InputError, match="encoded differently: line_length"):
        counted([first, second])


def test_different_counting_is_refused_and_named():
    first, second = corpus_of([["a", "b"]]), corpus_of([["a", "c"]])
    with pytest.raises(InputError, match="counted differently: window is 10 in one, 5 in the other"):
        merged([counted([first]), counted([second], window=5)])


def test_dropped_rare_words_are_refused():
    corpora = [corpus_of([["a", "a", text]], 2, rare="drop") for text in ("b", "c")]
    corpora[1] = corpus_of([["a", "a", "a", "c"]], 2, rare="drop")
    with pytest.raises(InputError, match="rare words were dropped"):
        merged([counted([corpus]) for corpus in corpora])


def test_the_same_corpus_twice_is_refused():
    store = counted([corpus_of([["a", "b"]])])
    with pytest.raises(InputError, match="counted twice"):
        merged([store, store])
    with pytest.raises(InputError, match="two or more"):
        merged([store])
