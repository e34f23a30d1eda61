"""A reproduction of the paper on a planted tree: complete, kept, resumed, and refused where it cannot work."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hyperdive._locks import OwnerLock
from hyperdive._progress import Progress
from hyperdive.errors import Error, InputError, OutputError
from hyperdive.paper import ReproduceOptions, ReproducePlan, Reproduction, prepare, reproduce
from hyperdive.paper.run import facts
from hyperdive.paper.stages import RunText, check_extras, training_stages
from hyperdive.spaces.skipgram import SkipgramOptions
from tests.paper.small_run import write_datasets, write_text

OPTIONS = ReproduceOptions(dimensions=8, min_count=2, without=("pos", "word2vec", "gaussian"), resamples=20)


PLAIN = ("claims", "table1", "table2", "table3", "table4", "table_sizes", "table_scores", "table_reported_sbow")
TABLES = (
    *PLAIN,
    "table_reported_semisupervised",
    "table_directionality",
    "table_general_words",
    "table_topics",
    "table_pubmed",
    "table_experiments",
    "table_ap100",
    "table_inclusion",
    "table_failures",
    "stages",
)


class Small:
    """A text, datasets and a folder for the run."""

    def __init__(self, folder: Path) -> None:
        self.text = write_text(folder / "text.txt")
        self.data = write_datasets(folder / "data")
        self.output = folder / "run"

    def plan(self, output: Path | None = None, **changes: Any) -> ReproducePlan:
        options = replace(OPTIONS, **changes)
        return prepare(output or self.output, [self.text], [self.text], options=options, data=self.data, verify=False)

    def run(self, plan: ReproducePlan, **settings: Any) -> Reproduction:
        return reproduce(plan, data=self.data, verify=False, threads=2, **settings)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return Small(tmp_path_factory.mktemp("reproduce"))


@pytest.fixture(scope="module")
def made(small: Small) -> Reproduction:
    return small.run(small.plan())


def records(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.glob("stages/*.json")}


def test_every_table_is_there(made: Reproduction) -> None:
    names = {path.name for path in made.files}
    assert {f"{table}.tsv" for table in TABLES} <= names
    assert {"figure_main.svg", "figure_pairs.svg", "figure_failures.svg", "figure_al1.svg", "README.md"} <= names
    text = (made.folder / "README.md").read_text(encoding="utf-8")
    assert all(f"## {table.title}\n" in text for table in made.tables)
    assert all(path.is_file() and path.stat().st_size for path in made.files)
    assert not made.missing


def test_cells_are_beside_the_printed_ones(made: Reproduction) -> None:
    table = next(table for table in made.tables if table.name == "table2").as_json()
    rows = {(row["space"], row["variant"], row["score"]): row["cells"] for row in table["rows"]}
    for space in ("DIVE (paper's constants)", "DIVE (ours)"):
        cell = rows[space, "Full", "C·ΔS"]["BLESS"]
        assert cell["paper"] == 16.3
        assert 0 < cell["ours"] <= 100
        assert cell["difference"] == pytest.approx(cell["ours"] - 16.3, abs=1e-3)
    labels = {row["space"] for row in table["rows"]}
    assert {"SBOW", "DIVE (ours)", "K-means", "Frequency alone, n(p) − n(q)", "Random"} <= labels
    whole = next(row for row in table["rows"] if row["variant"] == "all of the text")
    assert whole["cells"]["BLESS"]["mark"] == "not comparable"
    assert whole["cells"]["BLESS"]["difference"] is None
    lines = (made.folder / "table2.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["space", "variant", "score", "column", "ours", "paper", "difference", "mark"]
    assert len({line.count("\t") for line in lines}) == 1


def test_every_claim_has_a_verdict(made: Reproduction) -> None:
    claims = [claim for claim in made.claims if not claim.row.startswith("the paper's printed")]
    open_ = {claim.name for claim in claims if claim.verdict == "cannot be told"}
    assert open_ == {"embeddings"}, "neither Gaussians nor word2vec were trained"
    rows = {row for name in ("shift", "similar", "frequency") for row in {c.row for c in claims if c.name == name}}
    assert rows == {"DIVE (paper's constants)", "DIVE (ours)"}
    assert {claim.verdict for claim in claims if claim.name != "embeddings"} <= {"holds", "does not hold"}
    assert all(claim.figures for claim in made.claims)


def test_the_results_state_the_constants_of_both_rows(made: Reproduction) -> None:
    text = (made.folder / "README.md").read_text(encoding="utf-8")
    assert "DIVE (paper's constants): k_f 30tokens, k_I 1.5, β 0, ridge 0, subsampling 0, fast solver." in text
    assert "DIVE (ours): k_f 45tokens, k_I 1.5, β 0.75, ridge 0.02, subsampling 0.001, fast solver." in text


def test_the_row_of_the_papers_solver_states_its_constants(small: Small, tmp_path: Path) -> None:
    found = facts(small.plan(tmp_path / "new", solver="paper"))
    assert found["DIVE (paper's constants and solver)"] == (
        "k_f 30tokens, k_I 1.5, β 0, ridge 0, subsampling 0, paper solver"
    )
    assert "DIVE (paper's constants and solver)" not in facts(small.plan(tmp_path / "new"))


def test_a_second_run_makes_nothing_anew(small: Small, made: Reproduction) -> None:
    before = records(small.output)
    tables = {path.name: path.read_bytes() for path in made.files}
    again = small.run(small.plan())
    assert records(small.output) == before
    assert {path.name: path.read_bytes() for path in again.files} == tables


def test_a_stopped_run_resumes(small: Small, made: Reproduction, tmp_path: Path) -> None:
    class Stopper(Progress):
        def note(self, text: str) -> None:
            if "] kmeans-raw:" in text:
                raise KeyboardInterrupt

    output = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        small.run(small.plan(output), progress=Stopper("silent"))
    assert not (output / "stages" / "owner").exists()
    plan = small.plan(output)
    assert [stage.name for stage in plan.done] == [
        "corpus-raw",
        "counts-raw",
        "dive-raw",
        "dive-paper-raw",
        "dive-no-pmi-raw",
        "dive-no-shift-raw",
        "dive-paper-no-pmi-raw",
        "dive-paper-no-shift-raw",
    ]
    before = records(output)
    second = small.run(plan)
    after = records(output)
    assert {name: after[name] for name in before} == before
    for name in ("table1", "table2", "table3", "table_general_words"):
        assert (second.folder / f"{name}.tsv").read_bytes() == (made.folder / f"{name}.tsv").read_bytes()


@pytest.mark.slow  # the test above is faster
def test_a_process_killed_in_the_middle_leaves_nothing_half_done(
    small: Small, made: Reproduction, tmp_path: Path
) -> None:
    import subprocess
    import sys

    output = tmp_path / "shot"
    parts = [
        "--set",
        f"without={','.join(OPTIONS.without)}",
        "--dimensions",
        "8",
        "--min-count",
        "2",
        "--resamples",
        "20",
    ]
    where = [
        "-o",
        str(output),
        "--corpus",
        str(small.text),
        "--set",
        f"pubmed={small.text!s}",
        "--data",
        str(small.data),
    ]
    command = [sys.executable, "-m", "hyperdive", "reproduce", *where, *parts, "--set", "verify=no", "--threads", "2"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (output / "stages" / "counts-raw.json").exists() and child.poll() is None:
        time.sleep(0.01)
    child.kill()
    child.wait()
    plan = small.plan(output)
    assert 0 < len(plan.done) < len(plan.stages)
    after = small.run(plan)
    for name in ("table1", "table2", "table3"):
        assert (after.folder / f"{name}.tsv").read_bytes() == (made.folder / f"{name}.tsv").read_bytes()


def test_tables_of_what_is_done(small: Small, made: Reproduction, tmp_path: Path) -> None:
    early = small.run(small.plan(tmp_path / "early"), tables_only=True)
    measured = [claim for claim in early.claims if not claim.row.startswith("the paper's printed")]
    assert {claim.verdict for claim in measured} == {"cannot be told"}
    assert "dive-raw" in early.missing
    assert not list((tmp_path / "early").glob("stages/*"))


def test_other_options_make_only_what_depends_on_them(small: Small, made: Reproduction) -> None:
    done = {stage.name for stage in small.plan(dimensions=9).done}
    assert done == {
        "corpus-raw",
        "counts-raw",
        "corpus-half-raw",
        "counts-half-raw",
        "corpus-random-raw",
        "counts-random-raw",
        "corpus-sentences-raw",
        "corpus-pubmed",
        "counts-pubmed",
    }
    assert not small.plan(min_count=3).done


def test_the_identity_of_a_stage_is_not_the_version_of_the_program() -> None:
    text = RunText(("a.txt",), "0" * 64, 1000)
    first = training_stages(ReproduceOptions(), text)
    renamed = training_stages(ReproduceOptions(), replace(text, paths=("elsewhere/b.txt",)))
    assert [stage.identity for stage in first] == [stage.identity for stage in renamed]
    other = training_stages(ReproduceOptions(), replace(text, content="1" * 64))
    assert not {stage.identity for stage in first} & {stage.identity for stage in other}


def test_other_constants_make_other_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    text = RunText(("a.txt",), "0" * 64, 1000)
    before = {stage.name: stage.identity for stage in training_stages(ReproduceOptions(), text)}
    monkeypatch.setattr("hyperdive.paper.stages.SkipgramOptions", lambda: SkipgramOptions(rounds=9))
    after = {stage.name: stage.identity for stage in training_stages(ReproduceOptions(), text)}
    changed = {name for name in before if before[name] != after[name]}
    assert {"dive-raw", "dive-no-pmi-pos", "kmeans-raw"} <= changed
    assert not changed & {"corpus-raw", "counts-raw", "word2vec-raw", "gaussian-pos"}


def test_damaged_figures_and_what_tables_read_are_made_anew(small: Small, made: Reproduction, tmp_path: Path) -> None:
    import shutil

    output = tmp_path / "copy"
    shutil.copytree(small.output, output)
    (output / "stages" / "figures-dive.json").write_text("{")
    shutil.rmtree(output / "stages" / "dive-raw")
    plan = small.plan(output)
    assert {stage.name for stage in plan.waiting} == {"figures-dive", "dive-raw"}
    small.run(plan)
    assert len(plan.done) == len(plan.stages)


def test_a_deleted_space_is_trained_again_only_for_figures(small: Small, made: Reproduction, tmp_path: Path) -> None:
    import shutil

    output = tmp_path / "copy"
    shutil.copytree(small.output, output)
    for name in ("kmeans-raw", "counts-raw", "corpus-half-raw"):
        shutil.rmtree(output / "stages" / name)
    plan = small.plan(output)
    assert not plan.waiting
    again = small.run(plan)
    assert not again.missing and not (output / "stages" / "kmeans-raw").exists()
    assert (again.folder / "stages.tsv").read_bytes() == (made.folder / "stages.tsv").read_bytes()
    (output / "stages" / "figures-kmeans.json").unlink()
    assert [stage.name for stage in plan.waiting] == ["counts-raw", "kmeans-raw", "figures-kmeans"]
    small.run(plan)
    assert (output / "stages" / "kmeans-raw").exists() and not plan.waiting


@pytest.fixture
def at_work(small: Small, made: Reproduction) -> Iterator[int]:
    with OwnerLock(small.output / "stages", "another run"):
        yield os.getpid()


def test_two_runs_in_one_folder_are_refused(small: Small, at_work: int) -> None:
    with pytest.raises(OutputError, match=f"another run \\(process {at_work}\\)"):
        small.run(small.plan())
    assert small.run(small.plan(), tables_only=True).files, "tables can be written meanwhile"


def test_what_cannot_work_is_told_before_any_work(small: Small, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with pytest.raises(InputError, match="not there"):
        prepare(output, [small.text], options=OPTIONS, data=tmp_path / "nowhere")
    with pytest.raises(InputError, match="altered"):
        prepare(output, [small.text], options=OPTIONS, data=small.data)
    with pytest.raises(Error, match="no-such"):
        prepare(output, [tmp_path / "no-such.txt"], options=OPTIONS, data=small.data, verify=False)
    assert not output.exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(OutputError, match="contains other files"):
        small.plan(tmp_path / "mine")
    with pytest.raises(OutputError, match="is a file"):
        small.plan(small.text)


def test_a_missing_extra_is_told_before_any_work(monkeypatch: Any) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Error, match=r"\[baselines\].*without.*kmeans"):
        check_extras(training_stages(OPTIONS, RunText(("a",), "0" * 64, 9)))


def test_longer_text_than_the_budget_has_a_row_of_its_own() -> None:
    names = [stage.name for stage in training_stages(OPTIONS, RunText(("a",), "0" * 64, 2_000_000_000))]
    assert "counts-all-raw" in names
    assert "counts-all-raw" not in [
        stage.name for stage in training_stages(OPTIONS, RunText(("a",), "0" * 64, 335_000_000))
    ]


def test_the_defaults_take_less_than_150_minutes() -> None:
    wiki, pubmed = (RunText(("a",), sign * 64, size) for sign, size in (("0", 339_000_000), ("1", 180_000_000)))
    assert sum(stage.seconds for stage in training_stages(ReproduceOptions(), wiki, pubmed)) < 140 * 60


@pytest.mark.slow
def test_every_part_on_a_small_text(small: Small, tmp_path: Path) -> None:
    plan = small.plan(tmp_path / "whole", without=())
    whole = small.run(plan)
    assert not whole.missing
    measured = [claim for claim in whole.claims if claim.row != "the paper's printed figures"]
    assert not [claim for claim in measured if claim.verdict not in ("holds", "does not hold")]
    assert (whole.folder / "table_skipgram.tsv").is_file()
