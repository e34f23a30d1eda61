"""What each solver takes: the recipes by default, every border, and when a training has stalled."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import InputError, OptionError
from hyperdive.options import DiveOptions, PaperOptions, SpaceOptions
from hyperdive.spaces.dive_options import check_size, run_identity, stalled
from hyperdive.spaces.gaussian import GaussianOptions
from hyperdive.spaces.skipgram import SkipgramOptions

DIVE = {
    "window": (1, 65_535), "negatives": (0, 1e6), "sample": (0, 1), "beta": (0, 10), "ridge": (0, 1e3),
    "passes": (1, 100_000), "rare_passes": (1, 100_000), "frequent": (1, 10**9), "sampled": (2, 10**9),
    "rate": (1e-9, 100), "tolerance": (0, 1), "seed": (0, 2**63),
}  # fmt: skip


@pytest.mark.parametrize("name", DIVE)
def test_borders_belong_to_what_is_allowed(name: str) -> None:
    kind: type[Any] = DiveOptions
    low, high = DIVE[name]
    whole = isinstance(low, int) and isinstance(high, int) and isinstance(getattr(kind(), name), int)
    below, above = (low - 1, high + 1) if whole else (np.nextafter(low, -np.inf), np.nextafter(high, np.inf))
    for value in (low, high):
        assert getattr(kind(**{name: value}), name) == value
    for value in (below, above):
        with pytest.raises(OptionError):
            kind(**{name: value})


def test_gaussians_are_trained_as_the_paper_says_and_else_as_word2gm_does() -> None:
    papers = {"dimensions": 100, "window": 10, "rate": 0.01, "lowest": 0.1, "highest": 100.0, "longest": 10.0}
    others = {"batch": 256, "epochs": 5, "margin": 1.0, "sample": 1e-3, "smoothing": 0.75, "variance": 0.05}
    assert asdict(GaussianOptions()) == {**papers, **others, "epsilon": 1e-4, "clip": True, "seed": 0}


def test_dimensions_are_a_whole_number_from_one_to_ten_thousand() -> None:
    assert [DiveOptions(dimensions=many).dimensions for many in (1, 10_000)] == [1, 10_000]
    for wrong in (0, 10_001, True, 2.0):
        with pytest.raises(OptionError, match="dimensions is"):
            DiveOptions(dimensions=wrong)
    with pytest.raises(OptionError, match="one dimension is the constant one"):
        SkipgramOptions(dimensions=1)
    assert SkipgramOptions(dimensions=1, lean=0.0).dimensions == 1


def test_the_window_of_the_papers_solver_is_at_most_32() -> None:
    assert [PaperOptions(window=most).window for most in (1, 32)] == [1, 32]
    for wrong in (0, 33):
        with pytest.raises(OptionError, match="takes 1 to 32"):
            PaperOptions(window=wrong)


def test_a_corpus_must_have_words_for_its_dimensions() -> None:
    frequencies = np.array([0, 200, 70, 30])
    check_size(frequencies, 3)  # the unknown symbol is no word
    with pytest.raises(InputError, match="3 words for 4 dimensions"):
        check_size(frequencies, 4)
    with pytest.raises(InputError, match="too few to learn from"):
        check_size(np.array([0, 200, 70, 29]), 1)


def test_stalled_is_five_passes_that_gain_less_than_the_tolerance() -> None:
    steady = [-2.0] * 10
    assert not stalled([*steady, *[-2.0] * 4], 0.01)  # fourteen passes are too few to judge
    assert stalled([*steady, *[-2.0] * 5], 0.01)
    assert stalled([*steady, -2.0, -2.0, -1.75, -2.0, -2.0], 0.125)  # the best of five gains an eighth of 2: the border
    assert not stalled([*steady, -2.0, -2.0, -1.74, -2.0, -2.0], 0.125)
    assert not stalled([-2.0] * 9 + [-2.1] + [-2.0] * 5, 0.01)  # against the pass before the five
    assert stalled([-9.0] * 9 + [-2.0] * 6, 0.01)  # and no earlier one
    assert stalled([5.0, 5.0, 5.0], 1e-9, patience=2, least=3) and not stalled([5.0, 5.0], 1e-9, patience=2, least=2)
    assert not stalled([5.0] * 20, 0.0)  # all passes are wanted


def test_the_identity_of_a_run_is_its_options_and_its_numbers() -> None:
    options, numbers = DiveOptions(), np.arange(6)
    first = run_identity(options, numbers)
    assert first == run_identity(DiveOptions(), numbers.copy())
    others = [
        run_identity(DiveOptions(seed=1), numbers),
        run_identity(PaperOptions(), numbers),
        run_identity(options, numbers.astype(np.int32)),
        run_identity(options, numbers.reshape(2, 3)),
        run_identity(options, numbers, numbers),
        run_identity(options, numbers[::-1]),
    ]
    assert len({first, *others}) == 7


def test_a_shift_of_the_pmi_is_any_number_above_zero() -> None:
    assert [SpaceOptions(pmi_shift=k).pmi_shift for k in (1e-6, 0.5, 5.0)] == [1e-6, 0.5, 5.0]
    for wrong in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(OptionError, match="pmi_shift"):
            SpaceOptions(pmi_shift=wrong)
    assert SpaceOptions().pmi_shift == 1.0


def test_an_option_of_space_and_solver_is_what_it_says() -> None:
    assert PmiFilter.of(SpaceOptions(pmi_filter="none")) is None
    assert PmiFilter.of(SpaceOptions()) == PmiFilter(threshold=45.0)
    assert PmiFilter.of(SpaceOptions(pmi_filter="2ratio")) == PmiFilter(threshold=2.0, unit="ratio")
    with pytest.raises(OptionError, match="solver is 'best'"):
        SpaceOptions(solver="best")
    fast = SpaceOptions(shift=False).dive_parameters()
    assert "beta" not in fast and fast["ridge"] == 0.02 and fast["solver"] == "fast"
    alone = SpaceOptions(solver="paper", ridge=0, sample=0, seed=4, beta=0.5).dive_parameters()
    assert (alone["seed"], alone["beta"], alone["epochs"], alone["rate"]) == (4, 0.5, 15, 0.001)
    assert "passes" not in alone
