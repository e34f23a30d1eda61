"""From text to a model: one command, resumable, the same bytes; and what it refuses."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperdive import Dive, Model, encode, load, train
from hyperdive._locks import OwnerLock
from hyperdive._progress import Progress
from hyperdive._resources import anonymous_memory
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import InputError, OptionError, OutputError
from hyperdive.model import facts_of
from hyperdive.options import EncodeOptions, TrainOptions
from hyperdive.pipeline.train import kind_of
from hyperdive.spaces.inputs import SpaceInputs
from hyperdive.spaces.registry import SPACES, training_options
from hyperdive.spaces.space import VectorSpace
from hyperdive.text import sources
from tests.spaces import planted

Run = Callable[..., Any]
PLAIN = {"lemmas": "none", "stopwords": "none", "min_count": 5, "line_length": "document"}
SMALL = {"dimensions": 8, "passes": 6, "pmi_filter": "20tokens"}


def letters(word: str) -> str:
    """The planted words have digits, which text would drop."""
    return word.translate(str.maketrans("0123456789", "abcdefghij"))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "planted.txt"
    path.write_text("\n".join(" ".join(map(letters, line)) for line in planted.lines(3000)) + "\n")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def test_text_corpus_and_counts_give_the_same_vectors(tmp_path: Path, text: Path) -> None:
    corpus = encode(text, tmp_path / "corpus", **PLAIN)
    counts = Cooccurrence.from_corpus(corpus, tmp_path / "counts", near=True)
    made = [
        train(text, tmp_path / "a", **PLAIN, **SMALL),
        train(tmp_path / "corpus", tmp_path / "b", **SMALL),
        train(counts, tmp_path / "c", **SMALL, threads=1),
    ]
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    whole, by_counts = made[0], made[2]
    assert isinstance(whole, Model)
    assert isinstance(by_counts, Model)
    # counts alone cannot be counted again with the narrow window of the skip-gram vectors: DIVE is the same, W is not
    assert all(np.array_equal(whole[word], by_counts[word]) for word in whole.words)
    assert by_counts.skipgram is not None
    assert not list(tmp_path.glob(".*"))
    assert [kind_of(text), kind_of(corpus), kind_of(tmp_path / "counts")] == ["text", "corpus", "counts"]


def test_input_files_are_found_and_checked_once(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_bytes(text.read_bytes())
    (folder / "b.pdf").write_bytes(b"%PDF")
    checked, notes = [], []
    check = sources.what_is_wrong

    def counted(source: sources.TextSource) -> tuple[str, str] | None:
        checked.append(source.name)
        return check(source)

    class Notes(Progress):
        def note(self, text: str) -> None:
            notes.append(text)

    monkeypatch.setattr(sources, "what_is_wrong", counted)
    train(folder, tmp_path / "m", **PLAIN, **SMALL, progress=Notes())
    assert checked == ["a.txt", "b.pdf"]
    assert sum("b.pdf" in note for note in notes) == 1


EXTRA = {"kmeans": "sklearn", "word2vec": "gensim", "word2vec-cbow": "gensim"}


@pytest.mark.parametrize("space", [name for name in SPACES if name != "dive"])
def test_other_spaces(tmp_path: Path, text: Path, space: str) -> None:
    if space in EXTRA:
        pytest.importorskip(EXTRA[space])
    size = {"dimensions": 8} if SPACES[space].has_dimensions else {}
    made = train(text, tmp_path / "s", **PLAIN, space=space, **size)
    assert made.dive.kind == space
    assert len(made.similar(made.words[0], top=1)) == 1  # any space answers
    assert VectorSpace.load(tmp_path / "s").kind == space
    load(tmp_path / "s").save(tmp_path / "again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "s").iterdir()
    }


def test_a_warm_start_knows_the_old_words(tmp_path: Path, text: Path) -> None:
    first = train(text, tmp_path / "first", **PLAIN, **SMALL)
    assert isinstance(first, Model)
    again = train(text, tmp_path / "again", **PLAIN, start=first, **{**SMALL, "passes": 1})
    cold = train(text, tmp_path / "cold", **PLAIN, **{**SMALL, "passes": 1})
    assert isinstance(again, Model)
    assert isinstance(cold, Model)
    assert facts_of(again)["objective"][0] > facts_of(cold)["objective"][0]
    with pytest.raises(OptionError, match="8 dimensions, not 9"):
        train(text, tmp_path / "x", **PLAIN, start=first, **{**SMALL, "dimensions": 9})
    bare = train(text, tmp_path / "bare", **PLAIN, contexts=False, **SMALL)
    with pytest.raises(InputError, match="no context vectors"):
        train(text, tmp_path / "x", **PLAIN, start=bare, **SMALL)  # type: ignore[arg-type]


def test_options_and_presets() -> None:
    paper = TrainOptions.preset("paper")
    assert (paper.negatives, paper.beta, paper.ridge, paper.dimensions) == (1.5, 0.0, 0.0, 100)
    assert paper.dive.sample == 0
    assert paper.pmi_filter == "30tokens"
    for wrong, message in (
        ({"solver": "magic"}, "use fast, paper"),
        ({"space": "outer"}, "use one of dive"),
        ({"colour": 1}, "no option 'colour'"),
        ({"dimensions": 0}, "dimensions is 0"),
        ({"dimensions": 100_000}, "dimensions is 100000"),
        ({"pmi_filter": "much"}, "not a PMI filter"),
        ({"sample": 2.0}, "sample is 2.0"),
        ({"sample": float("nan")}, "sample is nan"),
    ):
        with pytest.raises(OptionError, match=message):
            training_options("default", wrong)
    with pytest.raises(OptionError, match="use one of default, paper"):
        TrainOptions.preset("nope")


OPTIONS_OF_TRAINING = {
    "dimensions": 8, "window": 5, "negatives": 2.0, "sample": 0.0, "beta": 0.5, "shift": True, "ridge": 0.0, "passes": 3,
    "rare_passes": 2, "frequent": 50, "sampled": 40, "rate": 0.1, "tolerance": 0.0, "seed": 1, "pmi_filter": "20tokens",
    "pmi_shift": 2.0, "solver": "fast", "skipgram": False, "contexts": False, "terms": "none",
}  # fmt: skip
VECTORS = {"dimensions", "window", "seed"}
SPARSE = {"window", "pmi_filter", "pmi_shift"}
USED = {
    "dive": set(OPTIONS_OF_TRAINING) - {"pmi_shift"},
    "skipgram": VECTORS,
    "sbow-freq": SPARSE - {"pmi_shift"},
    "sbow-ppmi": SPARSE,
    "sbow-ppmi-is": SPARSE,
    "kmeans": VECTORS,
    "word2vec": VECTORS,
    "word2vec-cbow": VECTORS,
    "gaussian": VECTORS,
    "gaussian-no-clip": VECTORS,
}


def test_every_option_of_training_is_in_the_table_of_this_test() -> None:
    known = (set(TrainOptions.described()) - set(EncodeOptions.described())) | {"terms"}
    assert set(OPTIONS_OF_TRAINING) == known - {"space"}
    assert set(USED) == set(SPACES)


@pytest.mark.parametrize("space", SPACES)
def test_an_option_that_a_space_does_not_use_is_refused(space: str) -> None:
    for name, value in OPTIONS_OF_TRAINING.items():
        if name in USED[space]:
            training_options("default", {"space": space, name: value})
        else:
            with pytest.raises(OptionError, match=f"^{space} does not use {name}"):
                training_options("default", {"space": space, name: value})


def test_an_option_that_the_papers_solver_does_not_use_is_refused(tmp_path: Path, text: Path, hyperdive: Run) -> None:
    """`--solver paper` trained with our constants, and recorded a ridge, a sample and passes that it had not used."""
    for name in ("passes", "rare_passes", "frequent", "sampled", "rate", "tolerance"):
        with pytest.raises(OptionError, match=f"the paper's solver does not use {name}"):
            training_options("default", {"solver": "paper", name: OPTIONS_OF_TRAINING[name]})
    for asked, message in (
        ((), "no ridge, which is 0.02 (add --preset paper, or --set ridge=0 --set sample=0)"),
        (("--set", "ridge=0"), "no sample, which is 0.001 (add --preset paper, or --set sample=0)"),
        (("--preset", "paper", "--set", "ridge=0.1"), "no ridge, which is 0.1"),
        (("--set", "passes=3"), "does not use passes"),
    ):
        ran = hyperdive("train", text, "-o", tmp_path / "m", "--set", "solver=paper", *asked)
        assert (ran.code, message in ran.err) == (1, True), ran.err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OptionError, match="DIVE without the inclusion shift does not use beta"):
        training_options("default", {"shift": False, "beta": 0.5})
    with pytest.raises(OptionError, match="sbow-freq does not use patterns of a corpus"):
        train(text, tmp_path / "m", **PLAIN, space="sbow-freq", patterns=[tmp_path])


def test_the_header_of_a_model_holds_what_its_training_used(tmp_path: Path, text: Path) -> None:
    both = {"dimensions", "window", "negatives", "beta", "shift", "seed", "ridge", "sample", "pmi_filter", "solver"}
    both |= {"space", "skipgram", "contexts", "terms", "rate", "tolerance"}
    fast = train(text, tmp_path / "fast", **PLAIN, **SMALL)
    assert set(fast.parameters) == both | {"passes", "rare_passes", "frequent", "sampled"}
    assert (fast.parameters["ridge"], fast.parameters["rate"], fast.parameters["passes"]) == (0.02, 0.1, 6)
    paper = train(text, tmp_path / "paper", **PLAIN, preset="paper", solver="paper", dimensions=8)
    assert set(paper.parameters) == both | {"batch", "epochs", "b1", "b2", "epsilon", "start"}
    assert (paper.parameters["ridge"], paper.parameters["rate"], paper.parameters["epochs"]) == (0.0, 0.001, 15)
    assert (paper.parameters["beta"], paper.parameters["pmi_filter"]) == (0.0, "30tokens")
    without = TrainOptions.preset(shift=False).as_parameters()
    assert "beta" not in without and without["shift"] is False


def test_the_estimator_drops_defaults_that_its_solver_does_not_use() -> None:
    lines = [line.split() for line in ("poodle dog bark", "cat animal sleep", "dog animal")] * 200
    paper = Dive(solver="paper", ridge=0.0, sample=0.0, dimensions=3, pmi_filter="none").fit(lines)
    assert paper.model_.parameters["solver"] == "paper"
    with pytest.raises(OptionError, match="the paper's solver does not use passes"):
        Dive(solver="paper", ridge=0.0, sample=0.0, dimensions=3, passes=4).fit(lines)
    with pytest.raises(OptionError, match="no ridge"):
        Dive(solver="paper", dimensions=3).fit(lines)
    assert "beta" not in Dive(shift=False, dimensions=3, pmi_filter="none").fit(lines).model_.parameters


def made_space(corpus: Any, place: Path, options: dict[str, Any]) -> VectorSpace:
    train(corpus, place, **options)
    return VectorSpace.load(place)


def test_sparse_spaces_use_the_filter_and_the_shift(tmp_path: Path, text: Path) -> None:
    corpus = encode(text, tmp_path / "corpus", **PLAIN)
    spaces = {
        name: made_space(corpus, tmp_path / name, options)
        for name, options in (
            ("freq", {"space": "sbow-freq"}),
            ("filtered", {"space": "sbow-freq", "pmi_filter": "20tokens"}),
            ("ppmi", {"space": "sbow-ppmi", "preset": "paper"}),
            ("shifted", {"space": "sbow-ppmi", "pmi_shift": 2.0}),
        )
    }
    counts = Cooccurrence.from_corpus(corpus, tmp_path / "counts", near=True)
    kept = counts.to_scipy(filtered=PmiFilter(threshold=20))
    np.testing.assert_array_equal(spaces["filtered"].matrix.toarray(), kept.toarray())
    assert 0 < kept.nnz < spaces["freq"].matrix.nnz
    plain = spaces["ppmi"].matrix.toarray()
    assert "pmi_filter" not in spaces["ppmi"].parameters  # of the preset, which means DIVE
    np.testing.assert_allclose(spaces["shifted"].matrix.toarray(), np.maximum(plain - np.log(2), 0), atol=1e-6)
    assert spaces["filtered"].parameters["pmi_filter"]["threshold"] == 20
    assert spaces["shifted"].parameters["shift"] == 2.0


def test_what_cannot_be_trained_says_so(tmp_path: Path, text: Path, hyperdive: Run) -> None:
    (tmp_path / "tiny.txt").write_text("the dog barks\n" * 20)
    ran = hyperdive("train", tmp_path / "tiny.txt", "-o", tmp_path / "m")
    assert ran.code == 1
    assert "too few to learn from" in ran.err
    (tmp_path / "narrow.txt").write_text("dog cat bird fish\n" * 200)
    ran = hyperdive("train", tmp_path / "narrow.txt", "-o", tmp_path / "m")
    assert "4 words for 100 dimensions" in ran.err
    assert "--dimensions 1" in ran.err
    counts = Cooccurrence.from_corpus(encode(text, tmp_path / "corpus", **PLAIN), tmp_path / "counts", near=True)
    with pytest.raises(InputError, match="no pair of words is left"):
        train(counts, tmp_path / "m", **{**SMALL, "pmi_filter": "1e12ratio"})
    with pytest.raises(OptionError, match="window of 10, not 5"):
        train(counts, tmp_path / "m", window=5)
    with pytest.raises(OptionError, match="an option for text"):
        train(counts, tmp_path / "m", min_count=3)
    with pytest.raises(OptionError, match="reads tokens, not counts"):
        train(counts, tmp_path / "m", solver="paper", ridge=0.0, sample=0.0)
    for space in (name for name, maker in SPACES.items() if maker.needs == "tokens"):
        with pytest.raises(OptionError, match=f"{space} reads tokens, not counts"):
            train(counts, tmp_path / "m", space=space)
    assert not (tmp_path / "m").exists()
    assert not list(tmp_path.glob(".*"))


def test_an_old_model_stays_until_the_new_one_is_whole(tmp_path: Path, text: Path) -> None:
    train(text, tmp_path / "m", **PLAIN, **SMALL)
    before = contents(tmp_path / "m")
    with pytest.raises(OutputError, match="already exists"):
        train(text, tmp_path / "m", **PLAIN, **SMALL)
    with pytest.raises(InputError, match="no pair of words is left"):
        train(text, tmp_path / "m", **PLAIN, force=True, **{**SMALL, "pmi_filter": "1e12ratio"})
    assert contents(tmp_path / "m") == before


@pytest.mark.skipif(os.name != "posix", reason="signals as on a terminal")
def test_killed_and_resumed_gives_the_bytes_of_one_run(tmp_path: Path, text: Path, hyperdive: Callable) -> None:
    command = ["train", str(text), "--dimensions", "8", "--set", "passes=20", "--set", "lemmas=none", "--set", "stopwords=none",
               "--min-count", "5", "--set", "pmi_filter=20tokens", "--set", "progress=json"]  # fmt: skip
    assert hyperdive(*command, "-o", tmp_path / "whole").code == 0
    child = subprocess.Popen(
        [sys.executable, "-m", "hyperdive", *command, "-o", tmp_path / "m"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    deadline = time.monotonic() + 120
    for line in child.stderr:  # kill it in the middle of training
        if '"stage": "training"' in line or time.monotonic() > deadline:
            break
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert not (tmp_path / "m").exists()
    assert (tmp_path / ".m.train" / "counts").exists()
    other = hyperdive(*command, "-o", tmp_path / "m", "--seed", "7")
    assert other.code == 1
    assert "other options" in other.err
    assert hyperdive(*command, "-o", tmp_path / "m").code == 0
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")
    assert not list(tmp_path.glob(".m*"))


# ---- the Python door ----------------------------------------------------------------------------------------


def test_fit_recovers_the_planted_tree() -> None:
    """The words and all: AP ≥ 0.9 for C·ΔS and at least 95 % of the directions."""
    model = Dive(dimensions=40, pmi_filter="30tokens").fit(planted.lines()).model_
    pairs = planted.candidates()
    scores = model.score([q for q, _, _ in pairs], [p for _, p, _ in pairs], "C·ΔS")
    assert planted.average_precision(scores, np.array([true for _, _, true in pairs])) >= 0.9
    tree = planted.tree()
    directions = model.score([q for q, _ in tree], [p for _, p in tree], "ΔS")
    assert np.mean(directions > 0) >= 0.95


def test_fit_takes_paths_lists_corpora_and_counts(tmp_path: Path, text: Path) -> None:
    dive = Dive(**PLAIN, **SMALL)
    from_path = dive.fit(text).model_
    corpus = encode(text, tmp_path / "corpus", **PLAIN)
    assert np.array_equal(from_path.dive.matrix.toarray(), Dive(**SMALL).fit(corpus).model_.dive.matrix.toarray())
    kept = dive.fit([text], output=tmp_path / "model").model_
    assert contents(tmp_path / "model")
    assert load(tmp_path / "model").words == kept.words
    assert len(Dive(**SMALL).fit(planted.lines(500)).model_) == 91


def test_asking_for_unknown_words_and_phrases() -> None:
    space = VectorSpace(
        ["animal", "dog", "hot"], np.array([[3, 2], [2, 1], [1, 3]]), frequencies=[9, 5, 1], kind="dive"
    )
    model = Model(space)
    assert model.score("dogs", "animal", "ΔS") == 2  # by its lemma
    assert model.score("hot dog", "animal", "ΔS") == 5 - 3.5  # the mean of its words
    batch = model.score(["dog", "yak"], ["animal", "animal"], "dS")
    assert batch[0] == 2
    assert np.isnan(batch[1])
    with pytest.raises(KeyError, match="animal"):
        model.score("dog", "animall", "C·ΔS")
    with pytest.raises(InputError, match="not one of each"):
        model.score("dog", ["animal"], "C·ΔS")  # type: ignore[call-overload]
    with pytest.raises(InputError, match="do not make pairs"):
        model.score(["dog"], ["animal", "dog"], "C·ΔS")


# ---- resuming only what is the same run ---------------------------------------------------------------------


def interrupted(monkeypatch: pytest.MonkeyPatch, *arguments: Any, stage: str = "counts", **options: Any) -> None:
    """A run that is stopped before it counts for this stage."""
    counted = SpaceInputs._counted

    def stop(self: SpaceInputs, name: str, **rules: Any) -> Any:
        if name == stage:
            raise KeyboardInterrupt
        return counted(self, name, **rules)

    with monkeypatch.context() as patch:
        patch.setattr(SpaceInputs, "_counted", stop)
        with pytest.raises(KeyboardInterrupt):
            train(*arguments, **options)


def test_resume_sees_through_the_names_of_files(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop words entered the plan by their file's name, so an edited file gave the old corpus."""
    stop = tmp_path / "stop.txt"
    stop.write_text("xyz\n")
    rules = {**PLAIN, "stopwords": str(stop)}
    interrupted(monkeypatch, text, tmp_path / "m", **rules, **SMALL)
    assert (tmp_path / ".m.train" / "corpus").exists()
    stop.write_text("kinda\n")
    with pytest.raises(OutputError, match="other options or other input"):
        train(text, tmp_path / "m", **rules, **SMALL)
    stop.write_text("xyz\n")
    train(text, tmp_path / "m", **rules, **SMALL)
    train(text, tmp_path / "whole", **rules, **SMALL)
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")


def test_the_count_for_skipgram_is_a_stage(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was made in a temporary folder, so a run that was stopped in it counted again, and trained again."""
    interrupted(monkeypatch, text, tmp_path / "m", stage="neighbour-counts", **PLAIN, **SMALL)
    work = tmp_path / ".m.train"
    assert (work / "dive" / "header.json").exists()
    assert not (work / "owner").exists()
    made = []
    counted = Cooccurrence.from_corpus.__func__  # type: ignore[attr-defined]

    def watched(cls: Any, corpus: Any, output: Any = None, **options: Any) -> Any:
        made.append(Path(output).name)
        return counted(cls, corpus, output, **options)

    monkeypatch.setattr(Cooccurrence, "from_corpus", classmethod(watched))
    train(text, tmp_path / "m", **PLAIN, **SMALL)
    assert made == ["neighbour-counts"]
    train(text, tmp_path / "whole", **PLAIN, **SMALL)
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path, text: Path) -> None:
    """Any folder with the name of the work folder was removed."""
    mine = tmp_path / ".m.train" / "notes.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(OutputError, match="not made by hyperdive"):
        train(text, tmp_path / "m", **PLAIN, **SMALL)
    assert mine.read_text() == "mine"


def test_a_damaged_mark_belongs_to_no_run(tmp_path: Path, text: Path) -> None:
    """A mark cut short by a kill made every later run fail."""
    (tmp_path / ".m.train").mkdir()
    (tmp_path / ".m.train" / "owner").write_text("")
    train(text, tmp_path / "m", **PLAIN, **SMALL)


def test_two_runs_do_not_share_a_folder(tmp_path: Path, text: Path) -> None:
    """The second one removed the first one's stages under its feet."""
    (tmp_path / ".m.train").mkdir()
    with OwnerLock(tmp_path / ".m.train", "m"), pytest.raises(OutputError, match="another run"):
        train(text, tmp_path / "m", **PLAIN, **SMALL)


# ---- what a second reader found -----------------------------------------------------------------------------


def test_several_corpora_are_not_text(tmp_path: Path, text: Path, hyperdive: Run) -> None:
    """Only a single path was looked at; of two folders the files inside were read as text."""
    encode(text, tmp_path / "c", **PLAIN)
    ran = hyperdive("train", tmp_path / "c", tmp_path / "c", "-o", tmp_path / "m")
    assert ran.code == 1
    assert "count A B -o C" in ran.err
    with pytest.raises(InputError, match="at once"):
        Dive(**SMALL).fit([tmp_path / "c", text])


def test_a_folder_with_a_strange_header_is_text(tmp_path: Path, text: Path) -> None:
    """Any header.json made a folder ours."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "header.json").write_text('{"title": "mine"}')
    (tmp_path / "in" / "t.txt").write_text(text.read_text())
    assert kind_of(tmp_path / "in") == "text"


def test_a_correctable_mistake_keeps_the_finished_stages(
    tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too little memory for counting cost the encoded corpus."""
    with pytest.raises(OptionError, match="of memory is too little"):
        train(text, tmp_path / "m", **PLAIN, memory=1000, **SMALL)
    assert not (tmp_path / "m").exists()
    with monkeypatch.context() as patched:  # reading is not held to the limit, counting is
        for module in ("encoder", "fold", "term_candidates", "term_inventory"):
            patched.setattr(f"hyperdive.text.{module}.require_memory", lambda *_, instead: None)
        with pytest.raises(OptionError):
            train(text, tmp_path / "m", **PLAIN, memory=1000, **SMALL)
    assert (tmp_path / ".m.train" / "corpus").exists()
    train(text, tmp_path / "m", **PLAIN, **SMALL)
    train(text, tmp_path / "whole", **PLAIN, **SMALL)
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")


def test_counts_as_the_verb_makes_them_can_be_trained_on(tmp_path: Path, text: Path, hyperdive: Run) -> None:
    """The default filter asked for near counts, which `count` does not keep unless told."""
    encode(text, tmp_path / "c", **PLAIN)
    assert hyperdive("count", tmp_path / "c", "-o", tmp_path / "n").code == 0
    ran = hyperdive("train", tmp_path / "n", "-o", tmp_path / "m", "--dimensions", 8, "--set", "passes=3")
    assert ran.code == 0
    assert "the PMI filter is 2.5ratio" in ran.err


def test_what_a_later_stage_refuses_is_refused_first(tmp_path: Path, text: Path) -> None:
    """A start that was ignored, and dimensions that skip-gram cannot have."""
    first = train(text, tmp_path / "first", **PLAIN, **SMALL)
    assert isinstance(first, Model)
    for options in ({"solver": "paper", "preset": "paper"}, {"space": "skipgram"}):
        with pytest.raises(OptionError, match="only DIVE by the fast solver"):
            train(text, tmp_path / "m", **PLAIN, start=first, dimensions=8, **options)
    with pytest.raises(OptionError, match="two dimensions"):
        train(text, tmp_path / "m", **PLAIN, **{**SMALL, "dimensions": 1})
    assert not list(tmp_path.glob(".m*"))


def enough() -> int:
    """A gigabyte beside what this process of many tests holds already."""
    return anonymous_memory() + 10**9


def test_a_model_beyond_the_memory_is_refused_before_it_is_counted(
    tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solver and the rows of terms had no limit; given more, the run goes on with its corpus."""
    encode(text, tmp_path / "c", **PLAIN)
    monkeypatch.setattr("hyperdive.spaces.dive_options._WORD_NUMBER", 10**9)
    for source in (text, tmp_path / "c"):
        with pytest.raises(OptionError, match=r"too little: vectors of [\d,]+ words and [\d,]+ terms need"):
            train(source, tmp_path / "m", **(PLAIN if source is text else {}), memory=enough(), **SMALL)
        assert not (tmp_path / ".m.train" / "counts").exists()
        shutil.rmtree(tmp_path / ".m.train", ignore_errors=True)


def test_a_solver_beyond_the_memory_is_refused(tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encode(text, tmp_path / "c", **PLAIN)
    monkeypatch.setattr("hyperdive.spaces.dive_options._SOLVER_NUMBER", 10**9)
    with pytest.raises(OptionError, match=r"too little: the solver and [\d,]+ counts need .* at least --memory"):
        train(tmp_path / "c", tmp_path / "m", memory=enough(), **SMALL)
    assert (tmp_path / ".m.train" / "counts").exists()
    monkeypatch.undo()
    train(tmp_path / "c", tmp_path / "m", memory=enough(), **SMALL)
