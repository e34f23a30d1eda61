"""What do patterns cost, and what are they worth?

    python bench/patterns.py --text wiki.txt.xz                    # reading with and without, memory
    python bench/patterns.py --model MODEL [--plot FILE.svg]       # precision by pattern, silent pairs, calibration

The first reads the same 200 MB twice, as a command, and compares. The second needs the datasets (HYPERDIVE_DATA): each
pattern against the pairs that the HypeNet train file knows; the combined score where patterns are silent, beside C·ΔS;
and how far its confidence is what it says, on every set.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import common
from hyperdive import Model
from hyperdive.benchmark.datasets import MICRO_10, Dataset, load
from hyperdive.benchmark.measures import Bin, average_precision, expected_calibration_error, micro_average, reliability
from hyperdive.patterns.definitions import PATTERNS
from hyperdive.scores import Pairs, Terms, as_source, get


def reading(text: str, size: int) -> None:
    """Seconds and memory of `encode` with and without patterns."""
    path = common.first_bytes(text, size)
    folder = Path(tempfile.mkdtemp(prefix="hyperdive-bench-"))
    figures: dict[str, tuple[float, float]] = {}
    for _ in range(2):
        for option in ("--set", "patterns=no", "--set", "patterns=yes"):
            found = common.command("encode", path, "-o", folder / "corpus", "--force", "--no-keep-text", option)
            figures[option] = min(found, figures.get(option, found))
    for option, (seconds, memory) in figures.items():
        print(f"encode {option:<14} {seconds:6.1f} s  {memory:6.0f} MB")
    print(f"with patterns: {figures['--patterns'][0] / figures['--no-patterns'][0]:.2f} times the time without")


def asked(model: Model, dataset: Dataset) -> tuple[Pairs, np.ndarray, np.ndarray]:
    """The pairs of a dataset that the model knows, which those are, and their labels."""
    terms = Terms(as_source(model), dataset.space_keys())
    known = terms.found[dataset.q] & terms.found[dataset.p]
    return terms.pairs(dataset.q[known], dataset.p[known]), known, dataset.labels[known]


def precision(model: Model) -> None:
    """Each pattern on the HypeNet train pairs."""
    pairs, _, labels = asked(model, load("HypeNet-train"))
    assert pairs.patterns is not None and model.patterns is not None
    print(f"{'pattern':<12} {'matches':>8} {'pairs':>8} {'in HypeNet train':>17} {'of them true':>13}")
    for pattern in PATTERNS:
        matrix = model.patterns.by_pattern(pattern.name)
        here = pairs.patterns.by_pattern(pattern.name) > 0
        share = f"{100 * labels[here].mean():12.1f}%" if here.any() else f"{'–':>13}"
        print(f"{pattern.name:<12} {matrix.data.sum():8.0f} {matrix.nnz:8d} {here.sum():17d} {share}")
    print(f"(of all its pairs that the model knows {100 * labels.mean():.1f}% are true)")


def silent(model: Model) -> None:
    """AP of the confidence and C·ΔS among pairs of which no pattern speaks."""
    print(f"\n{'silent pairs':<14} {'pairs':>6} {'of known':>9} {'confidence':>10} {'C·ΔS':>7}")
    values: dict[str, dict[str, float]] = {"confidence": {}, "C·ΔS": {}}
    sizes = {}
    for name in MICRO_10:
        pairs, _, labels = asked(model, load(name))
        assert pairs.patterns is not None
        here = pairs.patterns.silent
        sizes[name] = int(here.sum())
        for score, found in values.items():
            found[name] = 100 * average_precision(get(score)(pairs)[here], labels[here])
        share = f"{100 * here.mean():8.1f}%"
        print(f"{name:<14} {sizes[name]:6d} {share:>9} {values['confidence'][name]:10.1f} {values['C·ΔS'][name]:7.1f}")
    averages = [micro_average(found, sizes) for found in values.values()]
    print(f"{'micro average':<14} {sum(sizes.values()):6d} {'':>9} {averages[0]:10.1f} {averages[1]:7.1f}")


def calibration(model: Model, plot: str | None) -> None:
    """How far the confidence is what it says."""
    print(f"\n{'confidence':<14} {'pairs':>6} {'true':>7} {'ECE':>7}   share that is true in each tenth of confidence")
    curves: dict[str, list[Bin]] = {}
    for name in ("HypeNet-train", *MICRO_10):
        pairs, _, labels = asked(model, load(name))
        bins = curves[name] = reliability(get("confidence")(pairs), labels)
        shares = " ".join(f"{100 * one.true:3.0f}" for one in bins)
        error = 100 * expected_calibration_error(bins)
        print(f"{name:<14} {len(labels):6d} {100 * labels.mean():6.1f}% {error:6.1f}%   {shares}")
    if plot:
        draw(plot, curves)


def draw(path: str, curves: dict[str, list[Bin]]) -> None:
    """Draw a reliability plot, one line per dataset; the dotted line is perfect calibration."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "hyperdive", "svg.fonttype": "none"}):
        axes = (figure := Figure(figsize=(7, 5), layout="constrained")).add_subplot()
        axes.plot([0, 1], [0, 1], ":", color="grey")
        for name, bins in curves.items():
            shown = [one for one in bins if one.pairs >= 20]
            places = [one.confidence for one in shown], [one.true for one in shown]
            axes.plot(*places, label=name, linewidth=3 if name == "HypeNet-train" else 1.5)
        axes.set(xlabel="confidence", ylabel="share true", aspect="equal")
        figure.legend(loc="outside right upper", frameon=False)
        figure.savefig(path, metadata={"Date": None, "Creator": None} if path.endswith(".svg") else None)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--text", help="a large text file")
    options.add_argument("--size", type=int, default=200_000_000, help="how many bytes of it")
    options.add_argument("--model", help="a model with patterns")
    options.add_argument("--plot", help="write the reliability plot here (SVG)")
    given = options.parse_args()
    print(common.machine())
    if given.text:
        reading(given.text, given.size)
    if given.model:
        model = Model.load(given.model)
        start = time.perf_counter()
        assert model.patterns is not None
        fresh = model.patterns.of_vocabulary(model.words)
        fresh.factors  # noqa: B018 computed here, to be timed
        print(f"decomposition of {fresh.pairs:,} pairs: {time.perf_counter() - start:.1f} s\n")
        precision(model)
        silent(model)
        calibration(model, given.plot)


if __name__ == "__main__":
    main()
