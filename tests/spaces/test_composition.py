"""Composition: maps found again where they were planted, better than the mean, and what happens without a modifier."""

from __future__ import annotations

import numpy as np

from hyperdive.spaces.composition import FEWEST, Composition, term_parts
from hyperdive.spaces.space import unit_rows


def rows(many: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((many, 5)).astype(np.float32)


def test_planted_maps_are_found_and_beat_the_mean() -> None:
    m, h = rows(400, 0), rows(400, 1)
    shared = 0.1 * m + 0.3 * h + 0.8 * np.sqrt(m * h)
    turn = np.random.default_rng(2).standard_normal((10, 5))
    twins = [unit_rows(table - 0.5, 0.1) for table in (m, h)]
    twin = unit_rows(np.hstack([table[:, :-1] for table in twins]) @ turn, 0.1)
    maps = Composition.fit((m[:300], twins[0][:300]), (h[:300], twins[1][:300]), (shared[:300], twin[:300]))
    assert maps is not None and maps.skipgram is not None
    np.testing.assert_allclose(maps.dive_rows(m[300:], h[300:]), shared[300:], atol=1e-3)
    composed = maps.skipgram_rows(twins[0][300:], twins[1][300:])
    mean = (twins[0][300:] + twins[1][300:]) / 2

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.mean((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)))

    assert cosine(composed, twin[300:]) > 0.95 > cosine(mean, twin[300:])
    np.testing.assert_allclose(composed[:, -1], np.sqrt(0.1), atol=1e-6)


def test_coefficients_are_never_negative() -> None:
    m, h = rows(200, 0), rows(200, 1)
    maps = Composition.fit((m, None), (h, None), (np.maximum(h - m, 0), None))
    assert maps is not None and maps.skipgram is None
    assert (maps.dive >= 0).all() and (maps.dive_rows(m, h) >= 0).all()


def test_too_few_terms_give_no_map() -> None:
    few = rows(FEWEST - 1, 0)
    assert Composition.fit((few, None), (few, None), (few, None)) is None


def test_a_long_term_is_composed_from_its_parts_and_an_unknown_modifier_leaves_the_head() -> None:
    maps = Composition(np.array([[1.0] * 5, [2.0] * 5, [0.0] * 5], dtype=np.float32))
    known = {"guide": rows(1, 0)[0], "dog": rows(1, 1)[0], "school": rows(1, 2)[0]}
    whole, twin = maps.compose("guide dog school", known.get)
    assert twin is None
    assert whole is not None
    np.testing.assert_allclose(whole, known["guide"] + 2 * known["dog"] + 2 * known["school"], rtol=1e-6)
    head, _ = maps.compose("xyzzy dog", known.get)
    assert head is known["dog"]
    assert maps.compose("guide xyzzy", known.get) == (None, None)
    assert maps.compose("dog", known.get) == (None, None)
    assert term_parts("secretary of state for health") == ("state for health", "secretary")
