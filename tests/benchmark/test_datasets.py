"""The original files give exactly the counts of the paper; altered, missing and home-made files get clear lines."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hyperdive.benchmark import ELEVEN, MICRO_4, MICRO_10, datasets, load
from hyperdive.benchmark.datasets import SPECS, Dataset, manifest, read_pairs
from hyperdive.benchmark.measures import average_precision
from hyperdive.errors import Error, InputError, OptionError

COUNTS = {
    "BLESS": (26554, 1337), "EVALution": (13675, 3637), "LenciBenotto": (5010, 1933), "Weeds": (2928, 1469),
    "Medical": (12602, 945), "LEDS": (2770, 1385), "TM14": (2188, 1084), "Kotlerman2010": (2940, 880),
    "HypeNet": (17670, 3512), "WordNet": (8000, 4000),
}  # fmt: skip


@pytest.fixture
def data(data_folder: Path) -> Path:
    return data_folder


def test_rows_and_positives_are_those_of_the_paper(data: Path) -> None:
    for name, counts in COUNTS.items():
        dataset = load(name, data=data)
        assert (len(dataset), dataset.positives) == counts, name
    hyperlex = load("HyperLex", data=data)
    assert len(hyperlex) == 2616
    assert hyperlex.graded
    assert hyperlex.gold.min() >= 0 and 5.9 < hyperlex.gold.max() <= 6
    assert sum(COUNTS[name][0] for name in MICRO_4) == 48167
    assert sum(COUNTS[name][0] for name in MICRO_10) == 94337


def test_checksums_are_those_of_the_manifest(data: Path) -> None:
    used = {file for spec in SPECS.values() for file in spec.files}
    assert used <= set(manifest())
    for file in used:
        datasets.read_file(data, file)


def test_the_first_column_is_the_hyponym(data: Path) -> None:
    def has(name: str, q: str, p: str) -> bool:
        dataset = load(name, data=data)
        pairs = {
            (dataset.terms[i], dataset.terms[j])
            for i, j in zip(dataset.q[dataset.labels], dataset.p[dataset.labels], strict=True)
        }
        return (q, p) in pairs and (p, q) not in pairs

    assert has("BLESS", "goldfish-n", "animal-n")
    assert has("WordNet", "family,doctor-n", "physical,entity-n")


def test_structural_oov_counts_of_the_specification(data: Path) -> None:
    """Pairs with a word that is not all letters, as §4.2 of the specification counts them."""
    expected = {
        "BLESS": 270, "EVALution": 0, "LenciBenotto": 416, "Weeds": 0, "Medical": 14, "LEDS": 0, "TM14": 2,
        "Kotlerman2010": 2, "HypeNet": 224, "WordNet": 365, "HyperLex": 0,
    }  # fmt: skip
    for name, count in expected.items():
        dataset = load(name, data=data)
        plain = np.array([all(word.isascii() and word.isalpha() for word in key) for key in dataset.space_keys()])
        assert int((~(plain[dataset.q] & plain[dataset.p])).sum()) == count, name


def test_the_uniform_ranking_is_within_three_deviations_of_the_share_of_positives(data: Path) -> None:
    uniform = {
        "BLESS": (5.06, 0.14), "EVALution": (26.6, 0.4), "LenciBenotto": (38.6, 0.7), "Weeds": (50.3, 0.9),
        "Medical": (7.6, 0.2), "LEDS": (50.2, 0.9), "TM14": (49.7, 1.0), "Kotlerman2010": (30.1, 0.8),
        "HypeNet": (19.9, 0.3), "WordNet": (50.0, 0.5),
    }  # fmt: skip
    for name, (mean, deviation) in uniform.items():
        dataset = load(name, data=data)
        exact = 100 * average_precision(np.zeros(len(dataset)), dataset.labels)
        # the printed means of 400 draws are rounded to one decimal
        assert exact == pytest.approx(mean, abs=max(3 * deviation / 20, 0.08)), name
        drawn = 100 * average_precision(np.random.default_rng(1).random(len(dataset)), dataset.labels)
        share = 100 * dataset.positives / len(dataset)
        assert abs(drawn - share) < 3.5 * deviation, name


def test_terms_become_keys_of_a_raw_and_of_a_pos_space(data: Path) -> None:
    def keys(name: str, term: str, *, pos: bool) -> tuple[str, ...]:
        dataset = load(name, data=data)
        return dataset.space_keys(pos=pos)[dataset.terms.index(term)]

    assert keys("BLESS", "goldfish-n", pos=True) == ("goldfish|n",)
    assert keys("BLESS", "goldfish-n", pos=False) == ("goldfish",)
    assert keys("WordNet", "asteroid,belt-n", pos=True) == ("asteroid|n", "belt|n")
    assert keys("LenciBenotto", "non_author-v", pos=False) == ("non_author",)
    assert keys("HypeNet", "puerto princesa", pos=True) == ("puerto", "princesa")
    assert keys("HyperLex", "advance-v", pos=True) == ("advance|v",)
    assert keys("Medical", "abortion", pos=True) == ("abortion",)


def test_a_file_altered_by_one_byte_is_named_and_refused(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data / "LEDS", tmp_path / "LEDS")
    path = tmp_path / "LEDS" / "baroni2012.tsv"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"baroni2012.tsv: the file was altered.*--no-verify"):
        load("LEDS", data=tmp_path)
    content[-3] ^= 1
    at = content.index(b"adjective")
    content[at : at + 1] = b"A"
    path.write_bytes(bytes(content))
    assert len(load("LEDS", data=tmp_path, verify=False)) == 2770


def test_a_missing_dataset_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hyperdive datasets fetch"):
        load("BLESS", data=tmp_path)
    with pytest.raises(OptionError, match="neither a dataset nor a pairs file"):
        load("BLES")


def test_names_are_found_in_any_spelling() -> None:
    assert datasets.spec_of("bless") is SPECS["BLESS"]
    assert datasets.spec_of("L/B") is SPECS["LenciBenotto"]
    assert "HypeNet-train" not in ELEVEN


# ---- a user's own file --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "dog\tanimal\tTrue\ncat\tcar\tFalse\n"),
        ("b.csv", "hyponym,hypernym,note,label\ndog,animal,x,1\ncat,car,y,0\n"),
        ("c.jsonl", '{"q": "dog", "p": "animal", "label": true}\n["cat", "car", false]\n'),
        ("d.tsv", "\ufeffdog\tanimal\tyes\r\ncat\tcar\tno\r\n"),
        ("e.tsv", '"dog"\t"animal"\t"True"\n"cat"\t"car"\t"False"\n'),
    ],
)
def test_labels_in_every_dress(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    dataset = load(str(path))
    assert dataset.gold.tolist() == [1.0, 0.0]
    assert [dataset.terms[i] for i in dataset.q] == ["dog", "cat"]
    assert not dataset.graded


def test_numbers_are_grades(tmp_path: Path) -> None:
    path = tmp_path / "graded.tsv"
    path.write_text("dog\tanimal\t5.5\ncat\tcar\t0\nred panda\tanimal\t6\n")
    dataset = read_pairs(path)
    assert dataset.graded
    assert dataset.gold.tolist() == [5.5, 0.0, 6.0]
    assert ("red", "panda") in dataset.space_keys()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("dog\tanimal\n", "two columns, so there is no label"),
        ("dog\tanimal\tTrue\ncat\tcar\tperhaps\n", "line 2 has label 'perhaps'"),
        ("word1\tword2\tlabel\n\ndog\tanimal\tTrue\n\ncat\tcar\tperhaps\n", "line 5 has label 'perhaps'"),
        ("dog\tanimal\t0.5\ncat\tcar\tnan\n", "line 2 has label 'nan'"),
        ("dog\tanimal\tTrue\n\tcar\tFalse\n", "line 2 has an empty term"),
        ("word1\tword2\tlabel\n", "no pairs in it"),
        ("dog\n", "one column"),
    ],
)
def test_a_bad_pairs_file_gets_one_clear_line(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(content)
    with pytest.raises(Error, match=says) as caught:
        load(str(path))
    assert "mine.tsv" in str(caught.value) and "\n" not in str(caught.value)


def test_repeated_pairs_are_kept() -> None:
    dataset = Dataset.from_rows("x", [("a", "b", 1.0)] * 3)
    assert len(dataset) == 3
    assert Counter(dataset.q.tolist()) == {0: 3}
