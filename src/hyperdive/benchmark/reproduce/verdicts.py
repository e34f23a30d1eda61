"""How each sentence of the paper is tested: functions of a run's figures, for one row of DIVE.

The limits are readings of the paper's words, the same for the printed figures and for ours: "similar" and "as well as"
allow a point of average precision (half a point of accuracy), "most" and "usually" are more than half, "poor" costs
three points or more, "slightly" at most three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hyperdive.benchmark.datasets import ELEVEN, MICRO_10
from hyperdive.benchmark.reproduce.figures import RunFigures
from hyperdive.benchmark.reproduce.measurement import COSTED, FIVE, FREQUENCIES

BADLY = 3.0
"""Points of micro average that a variant must lose at least to be poor."""
LITTLE = 3.0
"""Points that a variant may lose at most to be hurt slightly."""
SMALLER = 100.0
"""Two orders of magnitude."""
NEAR = 1.0
"""Points within which two figures are similar."""
ALIKE = 0.5
"""Points within which two accuracies of direction are as good as each other."""
SBOW = ("sbow-freq", "sbow-ppmi", "sbow-ppmi-is", "sbow-ppmi-all")
LABELS = {
    "sbow-freq": "SBOW Freq",
    "sbow-ppmi": "SBOW PPMI",
    "sbow-ppmi-is": "SBOW PPMI w/ IS",
    "sbow-ppmi-all": "SBOW PPMI on all of the text",
    "dive": "DIVE",
    "dive-paper": "DIVE",
    "dive-tokens": "DIVE",
    "kmeans": "K-means",
}


class Judgement(NamedTuple):
    """Whether a sentence holds (None: a stage it needs was not run), and the figures that say so."""

    holds: bool | None
    figures: str = ""


Judge = Callable[[RunFigures, str], Judgement]
UNKNOWN = Judgement(None)


def signed(value: float) -> str:
    """With its sign, one decimal."""
    return f"{value:+.1f}".replace("-", "−")


def _micros(
    found: RunFigures, name: str, scores: Sequence[str] = FIVE, which: str = "micro10"
) -> dict[str, float] | None:
    """The micro averages of a space by score; None when one is missing."""
    known = {score: value for score in scores if (value := found.micro(name, score, which)) is not None}
    return known if len(known) == len(scores) else None


def _cells(found: RunFigures, name: str, scores: Sequence[str] = FIVE) -> dict[tuple[str, str], float] | None:
    """The figures of a space by set and score over eleven sets; None when one is missing."""
    cells = {(one, score): found.value(name, score, one) for one in ELEVEN for score in scores}
    known = {key: value for key, value in cells.items() if value is not None}
    return known if len(known) == len(cells) else None


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{score} {value:.1f}" for score, value in values.items())


def _gap(found: RunFigures, first: tuple[str, str], second: tuple[str, str]) -> tuple[float, str] | None:
    """A difference of micro averages in words: both figures, the difference and its 95 % interval."""
    apart = found.gap(first, second)
    if apart is None:
        return None
    value, ci95 = apart
    within = "" if ci95 is None else f", 95 % {signed(ci95[0])} to {signed(ci95[1])}"
    one, other = found.micro(*first), found.micro(*second)
    return value, f"{first[1]} {one:.1f} against {other:.1f} ({signed(value)}{within})"


def _gaps(
    found: RunFigures, first: str, second: str, scores: Sequence[str] = FIVE
) -> tuple[dict[str, float], str] | None:
    """The same for several scores of two spaces."""
    gaps = {score: _gap(found, (first, score), (second, score)) for score in scores}
    known = {score: gap for score, gap in gaps.items() if gap is not None}
    if len(known) < len(gaps):
        return None
    return {score: value for score, (value, _) in known.items()}, "; ".join(text for _, text in known.values())


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)


# ---- DIVE's parts -------------------------------------------------------------------------------------------------


def shift(found: RunFigures, dive: str) -> Judgement:
    """Without the inclusion shift every score is lower, in the mean of the five averages by `BADLY` or more."""
    gaps = _gaps(found, dive, f"{dive}-no-shift")
    if gaps is None:
        return UNKNOWN
    mean = _mean(gaps[0])
    holds = min(gaps[0].values()) > 0 and mean >= BADLY
    return Judgement(holds, f"mean of five scores {signed(-mean)} without the shift; {gaps[1]}")


def pmi_filter(found: RunFigures, dive: str) -> Judgement:
    """The mean of the five averages falls without the filter, by `LITTLE` at most."""
    gaps = _gaps(found, dive, f"{dive}-no-pmi")
    if gaps is None:
        return UNKNOWN
    mean = _mean(gaps[0])
    return Judgement(0 < mean <= LITTLE, f"mean of five scores {signed(-mean)} without the filter; {gaps[1]}")


# ---- DIVE beside sparse spaces ------------------------------------------------------------------------------------


def similar(found: RunFigures, dive: str) -> Judgement:
    """On every set most scores are at most `NEAR` below those of SBOW Freq, and of SBOW PPMI."""
    ours = _cells(found, dive)
    holds, texts = True, []
    for name in ("sbow-freq", "sbow-ppmi"):
        theirs = _cells(found, name)
        if ours is None or theirs is None:
            return UNKNOWN
        near = {key for key in ours if ours[key] >= theirs[key] - NEAR}
        sets = [one for one in ELEVEN if 2 * sum((one, score) in near for score in FIVE) > len(FIVE)]
        holds &= len(sets) == len(ELEVEN)
        ten = sum(one in MICRO_10 for one, _ in near)
        texts.append(
            f"{LABELS[name]} − {NEAR:.0f} reached in {ten} of {len(MICRO_10) * len(FIVE)} cells of ten sets and "
            f"{len(near) - ten} of {len(FIVE)} of HyperLex, by most scores on {len(sets)} of {len(ELEVEN)} sets"
        )
    return Judgement(holds, "; ".join(texts))


def savings(found: RunFigures, dive: str) -> Judgement:
    """Memory and the time of every score are `SMALLER` times less than those of SBOW Freq and PPMI, or more."""
    cost = found.cost(dive)
    texts, ratios = [], []
    for name in ("sbow-freq", "sbow-ppmi"):
        theirs = found.cost(name)
        if cost is None or theirs is None:
            return UNKNOWN
        memory = _ratio(sum(theirs["bytes"].values()), sum(cost["bytes"].values()))
        times = {score: _ratio(theirs["seconds"][score], cost["seconds"][score]) for score in COSTED}
        ratios += [memory, *times.values()]
        faster = ", ".join(f"{score} {value:.0f}" for score, value in times.items())
        used, ours = found.dimensions(name), found.dimensions(dive)
        words = "" if used is None or ours is None else f", {_ratio(used, ours):.0f} times the non-zeros of a test word"
        texts.append(f"{LABELS[name]}: {memory:.0f} times the memory{words}; times longer to score: {faster}")
    return Judgement(min(ratios) >= SMALLER, "; ".join(texts))


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def over_freq(found: RunFigures, dive: str) -> Judgement:
    """C·ΔS and W·ΔS have higher averages than on SBOW Freq."""
    gaps = _gaps(found, dive, "sbow-freq", ("C·ΔS", "W·ΔS"))
    return UNKNOWN if gaps is None else Judgement(min(gaps[0].values()) > 0, gaps[1])


def over_ppmi(found: RunFigures, dive: str) -> Judgement:
    """AL₁ has a higher average than on SBOW PPMI."""
    gaps = _gaps(found, dive, "sbow-ppmi", ("AL₁",))
    return UNKNOWN if gaps is None else Judgement(gaps[0]["AL₁"] > 0, gaps[1])


def best_average(found: RunFigures, dive: str) -> Judgement:
    """W·ΔS of this row is the highest of all averages over four sets, and over ten."""
    names = (*SBOW, dive, f"{dive}-no-pmi", f"{dive}-no-shift", "kmeans")
    texts, holds = [], True
    for many, which in (("four", "micro4"), ("ten", "micro10")):
        top, ours = found.best(names, FIVE, which), found.micro(dive, "W·ΔS", which)
        if top is None or ours is None or "kmeans" not in found or "sbow-ppmi" not in found:
            return UNKNOWN
        holds &= top[:2] == (dive, "W·ΔS")
        texts.append(f"{many} sets: {LABELS.get(top[0], top[0])} {top[1]} {top[2]:.1f}, DIVE W·ΔS {ours:.1f}")
    return Judgement(holds, "; ".join(texts))


def embeddings(found: RunFigures, dive: str) -> Judgement:
    """C·ΔS beats each other embedding on average and on most of eleven sets."""
    w2v = "word2vec" if "word2vec" in found else "word2vec-raw-only"
    others = (("gaussian", "GE C", "Gaussian + C"), ("gaussian", "KL", "Gaussian + KL"), (w2v, "C", "word2vec + C"))
    ours, average = _cells(found, dive, ("C·ΔS",)), found.micro(dive, "C·ΔS")
    texts, holds = [], True
    for name, score, label in others:
        theirs, mean = _cells(found, name, (score,)), found.micro(name, score)
        if ours is None or average is None or theirs is None or mean is None:
            return UNKNOWN
        better = sum(ours[one, "C·ΔS"] > theirs[one, score] for one in ELEVEN)
        holds &= average > mean and 2 * better > len(ELEVEN)
        texts.append(f"{label} {mean:.1f}, worse on {better} of {len(ELEVEN)} sets")
    return Judgement(holds, f"DIVE + C·ΔS {average:.1f}; " + "; ".join(texts))


def kmeans_and_freq(found: RunFigures, dive: str) -> Judgement:
    """K-means is within `NEAR` of SBOW Freq by four scores, and lower by AL₁."""
    gaps = _gaps(found, "kmeans", "sbow-freq")
    if gaps is None:
        return UNKNOWN
    rest = [abs(value) for score, value in gaps[0].items() if score != "AL₁"]
    return Judgement(max(rest) <= NEAR and gaps[0]["AL₁"] < 0, gaps[1])


def kmeans_and_dive(found: RunFigures, dive: str) -> Judgement:
    """The best AP of K-means is below DIVE's on most of ten sets; that of its best average, beyond the interval."""
    ours, theirs = _cells(found, dive), _cells(found, "kmeans")
    tops = [found.best((name,), FIVE) for name in (dive, "kmeans")]
    if ours is None or theirs is None or tops[0] is None or tops[1] is None:
        return UNKNOWN
    lower = sum(max(ours[one, s] for s in FIVE) > max(theirs[one, s] for s in FIVE) for one in MICRO_10)
    apart = found.gap(tops[0][:2], tops[1][:2])
    assert apart is not None
    clear = apart[0] > 0 if apart[1] is None else apart[1][0] > 0
    text = f"lower on {lower} of {len(MICRO_10)} sets; best averages: DIVE {tops[0][1]} {tops[0][2]:.1f}, K-means "
    interval = "" if apart[1] is None else f" (95 % {signed(apart[1][0])} to {signed(apart[1][1])})"
    return Judgement(2 * lower > len(MICRO_10) and clear, f"{text}{tops[1][1]} {tops[1][2]:.1f}{interval}")


# ---- scores -------------------------------------------------------------------------------------------------------


def combined(found: RunFigures, dive: str) -> Judgement:
    """On most of eleven sets W·ΔS or C·ΔS is above ΔS, and on average both are."""
    cells, averages = _cells(found, dive), _micros(found, dive)
    if cells is None or averages is None:
        return UNKNOWN
    better = {s: sum(cells[one, s] > cells[one, "ΔS"] for one in ELEVEN) for s in ("W·ΔS", "C·ΔS")}
    either = sum(max(cells[one, "W·ΔS"], cells[one, "C·ΔS"]) > cells[one, "ΔS"] for one in ELEVEN)
    holds = 2 * either > len(ELEVEN) and min(averages["W·ΔS"], averages["C·ΔS"]) > averages["ΔS"]
    sets = ", ".join(f"{score} on {many}" for score, many in better.items())
    text = f"above ΔS: {sets}, either on {either} of {len(ELEVEN)} sets; averages "
    return Judgement(holds, text + _listed({s: averages[s] for s in ("W·ΔS", "C·ΔS", "ΔS")}))


def no_single(found: RunFigures, dive: str) -> Judgement:
    """Not one of the five scores is the best on every set."""
    cells = _cells(found, dive)
    if cells is None:
        return UNKNOWN
    best = [max(FIVE, key=lambda score, one=one: cells[one, score]) for one in ELEVEN]  # type: ignore[misc]
    counted = {score: best.count(score) for score in FIVE if score in best}
    return Judgement(
        len(counted) > 1, "best on so many sets: " + ", ".join(f"{score} {many}" for score, many in counted.items())
    )


_FORMS = ("Δ{}", "W·Δ{}", "C·Δ{}")


def robust(found: RunFigures, space: str) -> Judgement:
    """Alone and multiplied by W and by C, the summation has a higher average than two-norm and entropy."""
    averages = _micros(found, space, [form.format(letter) for form in _FORMS for letter in "SQE"])
    if averages is None:
        return UNKNOWN
    holds = all(averages[form.format("S")] > max(averages[form.format(x)] for x in "QE") for form in _FORMS)
    return Judgement(holds, _listed(averages))


def best_scores(found: RunFigures, space: str) -> Judgement:
    """C·ΔS and W·ΔS have the two highest averages of all scores."""
    names = ("W", "C", "ΔE", "ΔS", "ΔQ", "W·ΔE", "C·ΔE", "W·ΔS", "C·ΔS", "W·ΔQ", "C·ΔQ", "CDE", "invCL", "AL₁")
    averages = _micros(found, space, names)
    if averages is None:
        return UNKNOWN
    order = sorted(averages, key=lambda score: -averages[score])
    return Judgement({*order[:2]} == {"C·ΔS", "W·ΔS"}, "highest: " + _listed({s: averages[s] for s in order[:5]}))


def inclusion(found: RunFigures, space: str) -> Judgement:
    """CDE is the best of the unnormalised inclusion scores."""
    averages = _micros(found, space, ("CDE", "invCL", "Weeds"))
    return (
        UNKNOWN if averages is None else Judgement(max(averages, key=lambda s: averages[s]) == "CDE", _listed(averages))
    )


def without_frequency(found: RunFigures, space: str) -> Judgement:
    """AL₁ is above W, C and ΔE, which have no frequency signal either."""
    averages = _micros(found, space, ("AL₁", "W", "C", "ΔE"))
    if averages is None:
        return UNKNOWN
    return Judgement(averages["AL₁"] > max(averages[s] for s in ("W", "C", "ΔE")), _listed(averages))


def penalty(found: RunFigures, dive: str) -> Judgement:
    """AL₁ with w₀ = 20 has lower averages than with 5 on SBOW Freq, SBOW PPMI and DIVE."""
    pairs = {name: _micros(found, name, ("AL₁", "AL₁:w0=20")) for name in ("sbow-freq", "sbow-ppmi", dive)}
    known = {name: averages for name, averages in pairs.items() if averages is not None}
    if len(known) < len(pairs):
        return UNKNOWN
    text = "; ".join(f"{LABELS[n]} {one['AL₁']:.1f} and {one['AL₁:w0=20']:.1f}" for n, one in known.items())
    return Judgement(all(one["AL₁:w0=20"] < one["AL₁"] for one in known.values()), f"w₀ 5 and 20: {text}")


# ---- directions ---------------------------------------------------------------------------------------------------


def over_slqs(found: RunFigures, dive: str) -> Judgement:
    """ΔS on SBOW Freq, SBOW PPMI and DIVE tells the direction better than SLQS Sub."""
    slqs = found.direction("sbow-freq", "SLQS Sub")
    sums = {name: found.direction(name, "ΔS") for name in ("sbow-freq", "sbow-ppmi", dive)}
    known = {LABELS[name]: value for name, value in sums.items() if value is not None}
    if slqs is None or len(known) < len(sums):
        return UNKNOWN
    return Judgement(min(known.values()) > slqs, f"SLQS Sub {slqs:.1f}; ΔS on {_listed(known)}")


def direction_and_sbow(found: RunFigures, dive: str) -> Judgement:
    """DIVE's ΔS is at most `ALIKE` below that of the better sparse space."""
    ours, theirs = found.direction(dive, "ΔS"), [found.direction(name, "ΔS") for name in ("sbow-freq", "sbow-ppmi")]
    known = [value for value in theirs if value is not None]
    if ours is None or len(known) < 2:
        return UNKNOWN
    alone = found.direction(dive, "Frequency")
    text = f"DIVE {ours:.1f}, SBOW Freq {known[0]:.1f}, SBOW PPMI {known[1]:.1f}"
    return Judgement(ours >= max(known) - ALIKE, text + ("" if alone is None else f", frequency alone {alone:.1f}"))


def decided(found: RunFigures, dive: str) -> Judgement:
    """Of the pairs that are in the vocabulary ΔS gets 70 to 75 %."""
    value = found.direction(dive, "ΔS", "decided")
    return UNKNOWN if value is None else Judgement(69.5 <= value < 75.5, f"{value:.1f} %")


# ---- sparse spaces alone ------------------------------------------------------------------------------------------


def ppmi_and_freq(found: RunFigures, dive: str) -> Judgement:
    """SBOW PPMI is above Freq by W·ΔS and C·ΔS, and below by CDE and AL₁."""
    gaps = _gaps(found, "sbow-ppmi", "sbow-freq", ("W·ΔS", "C·ΔS", "CDE", "AL₁"))
    if gaps is None:
        return UNKNOWN
    holds = min(gaps[0]["W·ΔS"], gaps[0]["C·ΔS"]) > 0 > max(gaps[0]["CDE"], gaps[0]["AL₁"])
    return Judgement(holds, gaps[1])


def shifted_ppmi(found: RunFigures, dive: str) -> Judgement:
    """Most of the five scores fall with the inclusion shift, over ten sets and on HyperLex."""
    gaps = _gaps(found, "sbow-ppmi", "sbow-ppmi-is")
    plain, other = (_cells(found, name) for name in ("sbow-ppmi", "sbow-ppmi-is"))
    if gaps is None or plain is None or other is None:
        return UNKNOWN
    ten = sum(value > 0 for value in gaps[0].values())
    graded = sum(plain["HyperLex", score] > other["HyperLex", score] for score in FIVE)
    text = f"{ten} of {len(FIVE)} scores fall over ten sets, {graded} on HyperLex; {gaps[1]}"
    return Judgement(2 * min(ten, graded) > len(FIVE), text)


def al1_fails(found: RunFigures, dive: str) -> Judgement:
    """ρ of AL₁ on SBOW PPMI is below 5 per cent, and above that on DIVE."""
    value, ours = found.value("sbow-ppmi", "AL₁", "HyperLex"), found.value(dive, "AL₁", "HyperLex")
    if value is None or ours is None:
        return UNKNOWN
    return Judgement(value < 5.0 < ours, f"ρ {signed(value)} on SBOW PPMI, {signed(ours)} on DIVE")


def filtered_freq(found: RunFigures, dive: str) -> Judgement:
    """With the filter the averages of SBOW Freq are nearer to those of PPMI, and their mean is still lower."""
    plain, filtered, ppmi = (_micros(found, name) for name in ("sbow-freq", "sbow-freq-filtered", "sbow-ppmi"))
    if plain is None or filtered is None or ppmi is None:
        return UNKNOWN
    apart, nearer = (sum(abs(one[s] - ppmi[s]) for s in FIVE) / len(FIVE) for one in (plain, filtered))
    text = f"mean distance from PPMI {apart:.1f} without and {nearer:.1f} with the filter; with it {_listed(filtered)}"
    return Judgement(nearer < apart and _mean(filtered) < _mean(ppmi), text)


def filtered_ppmi(found: RunFigures, dive: str) -> Judgement:
    """Most of the five scores on SBOW PPMI fall with the filter, and most fall further with a larger k_f."""
    some, much = (_gaps(found, "sbow-ppmi", f"sbow-ppmi-{name}") for name in ("filtered", "filtered-more"))
    if some is None or much is None:
        return UNKNOWN
    fall, further = sum(v > 0 for v in some[0].values()), sum(much[0][s] > some[0][s] for s in FIVE)
    text = f"{fall} of {len(FIVE)} fall with k_f 30, {further} further with 90; k_f 30: {some[1]}"
    return Judgement(2 * min(fall, further) > len(FIVE), text)


def shifted_by_k(found: RunFigures, dive: str) -> Judgement:
    """Most of the five scores on SBOW PPMI do not rise when log 5 is taken off."""
    gaps = _gaps(found, "sbow-ppmi", "sbow-ppmi-shifted")
    if gaps is None:
        return UNKNOWN
    fall = sum(value >= 0 for value in gaps[0].values())
    return Judgement(2 * fall > len(FIVE), f"{fall} of {len(FIVE)} do not rise with k' = 5; {gaps[1]}")


# ---- other texts --------------------------------------------------------------------------------------------------


def pubmed(found: RunFigures, dive: str) -> Judgement:
    """Most of the five scores on Medical change by `NEAR` at most."""
    pairs = {s: (found.value(dive, s, "Medical"), found.value(f"{dive}-pubmed", s, "Medical")) for s in FIVE}
    known = {score: b - a for score, (a, b) in pairs.items() if a is not None and b is not None}
    if len(known) < len(FIVE):
        return UNKNOWN
    near = sum(abs(value) <= NEAR + 0.05 for value in known.values())
    text = ", ".join(f"{score} {signed(value)}" for score, value in known.items())
    return Judgement(2 * near > len(known), f"PubMed minus wiki on Medical: {text}")


def first_lines(found: RunFigures, dive: str) -> Judgement:
    """The first half of the text gives SBOW PPMI higher averages by most scores than as many random documents."""
    gaps = _gaps(found, "sbow-ppmi-half-raw", "sbow-ppmi-random-raw")
    if gaps is None:
        return UNKNOWN
    better = sum(value > 0 for value in gaps[0].values())
    return Judgement(2 * better > len(FIVE), f"{better} of {len(FIVE)} scores higher; {gaps[1]}")


def sentences(found: RunFigures, dive: str) -> Judgement:
    """With lines of 100 words no average is more than `NEAR` below that with sentences."""
    gaps = _gaps(found, f"{dive}-raw-only", f"{dive}-sentences")
    return UNKNOWN if gaps is None else Judgement(min(gaps[0].values()) >= -NEAR, gaps[1])


def wide_window(found: RunFigures, dive: str) -> Judgement:
    """The filter adds more to the mean of the five averages with ten words on each side than with two."""
    wide = _gaps(found, f"{dive}-raw-only", f"{dive}-no-pmi-raw-only")
    narrow = _gaps(found, f"{dive}-narrow", f"{dive}-narrow-no-pmi")
    if wide is None or narrow is None:
        return UNKNOWN
    means = [_mean(one[0]) for one in (wide, narrow)]
    text = f"the filter adds {signed(means[0])} with ten words on each side and {signed(means[1])} with two"
    return Judgement(means[0] > means[1], text)


def over_frequency(found: RunFigures, dive: str) -> Judgement:
    """Not in the paper: ΔS, C·ΔS and W·ΔS beat the strongest form of frequency."""
    alone = _micros(found, dive, FREQUENCIES)
    if alone is None:
        return UNKNOWN
    top = max(alone, key=lambda score: alone[score])
    gaps = [_gap(found, (dive, score), (dive, top)) for score in ("ΔS", "C·ΔS", "W·ΔS")]
    known = [gap for gap in gaps if gap is not None]
    if len(known) < len(gaps):
        return UNKNOWN
    return Judgement(min(value for value, _ in known) > 0, f"{_listed(alone)}; " + "; ".join(text for _, text in known))
