"""The questions of a model as a Python user asks them: arguments, tables, notebooks, other processes."""

from __future__ import annotations

import copy
import inspect
import pickle
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperdive import Dive, Model, VectorSpace, load
from hyperdive.ask.explain import Comparison, Explanation
from hyperdive.ask.options import AnswerOptions, EvidenceOptions, ExplainOptions, SimilarOptions, TopicOptions
from hyperdive.ask.similar import suggest
from hyperdive.errors import Error, FormatError, InputError, MissingExtra, OptionError, UnknownWordError
from hyperdive.options import Options
from hyperdive.taxonomy.options import TaxonomyOptions

DOCUMENTS = ["They keep dogs such as poodles and spaniels.", "Animals such as dogs and cats bark or sleep."] * 60


@pytest.fixture(scope="module")
def model() -> Model:
    return load("en-wiki")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "pets"
    Dive(dimensions=3, pmi_filter="none", passes=3).fit(texts=DOCUMENTS, output=folder)
    return folder


def bare(kind: str = "dive") -> Model:
    words = ["animal", "dog", "poodle", "law"]
    return Model(VectorSpace(words, [[4, 4], [3, 1], [1, 0], [0, 2]], frequencies=[9, 5, 2, 3], kind=kind))


# ---- public names and options -----------------------------------------------------------------------------------


def test_a_model_has_few_public_names() -> None:
    names = {name for name in (*dir(Model), *vars(bare())) if not name.startswith("_")}
    assert len(names) <= 22, sorted(names)
    for name in names - set(vars(bare())):
        assert inspect.getdoc(getattr(Model, name)), name


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (Model.hypernyms, AnswerOptions),
        (Model.hyponyms, AnswerOptions),
        (Model.similar, SimilarOptions),
        (Model.topics, TopicOptions),
        (Model.explain, ExplainOptions),
        (Model.evidence, EvidenceOptions),
        (Model.taxonomy, TaxonomyOptions),
    ],
)
def test_methods_have_the_options_and_defaults_of_their_class(method: Callable[..., Any], options: Any) -> None:
    parameters = inspect.signature(method).parameters
    defined = options.described()
    shared = [name for name in parameters if name in defined]
    assert shared and (method is Model.hyponyms or set(defined) <= set(parameters))
    for name in shared:
        assert parameters[name].default == defined[name].default, name


@pytest.mark.parametrize("options", [AnswerOptions, SimilarOptions, TopicOptions, EvidenceOptions, TaxonomyOptions])
def test_every_bound_of_an_option_is_checked(options: type[Options]) -> None:
    for name, rule in options.described().items():
        assert rule.help.endswith(".")
        if rule.low is not None:
            with pytest.raises(OptionError, match=f"{name} is"):
                options.of({name: rule.low - 1})
        if rule.high is not None:
            with pytest.raises(OptionError, match=f"{name} is"):
                options.of({name: rule.high + 1})


def test_wrong_numbers_reach_the_user_as_one_line() -> None:
    for ask in (
        lambda: bare().hypernyms("dog", 0),
        lambda: bare().similar("dog", 0),
        lambda: suggest(bare(), "dog", 0),
        lambda: bare().topics(0),
        lambda: bare().topics(0, general=True),
        lambda: bare().explain("dog", "animal", top=0),
        lambda: bare().taxonomy(["dog"], levels=0),
    ):
        with pytest.raises(OptionError, match=r"is 0 .use 1 or more"):
            ask()


# ---- terms and files ----------------------------------------------------------------------------------------------


def test_a_string_is_a_term_and_a_path_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("terms.txt").write_text("dog\nanimal\n")
    Path("dog").write_text("a word of the model that is also a file")
    asked = bare()
    for ask in (
        lambda: asked.hypernyms("terms.txt"),
        lambda: asked.hyponyms("terms.txt"),
        lambda: asked.similar("terms.txt"),
        lambda: asked.hypernyms("poodle", candidates="terms.txt"),
        lambda: asked.hypernyms("poodle", block="terms.txt"),
        lambda: asked.taxonomy("terms.txt"),
        lambda: asked.score("terms.txt", "dog", "C"),
    ):
        with pytest.raises(InputError, match=r"'terms\.txt' is a file, not a term .write Path\(\"terms\.txt\"\)"):
            ask()
    file = Path("terms.txt")
    assert {row.term for row in asked.hypernyms("poodle", candidates=file)} == {"animal", "dog"}
    assert [row.term for row in asked.hypernyms("poodle", candidates="dog")] == ["dog"]
    assert [row.term for row in asked.hypernyms("poodle", block=file)] == []
    assert [row.term for row in asked.hypernyms("poodle", block="dog")] == ["animal"]
    assert {row.word for row in asked.similar(file)} == {"dog", "animal"}
    assert asked.taxonomy(file).terms == asked.taxonomy(["dog", "animal"]).terms
    assert len(asked.hypernyms("dog")) == 1
    assert asked.score(file, ["animal", "animal"], "ΔS").tolist() == [4, 0]


@pytest.mark.parametrize("wrong", [5, None, b"dog", ["dog", 5], [["dog"]], 2.5])
def test_what_is_no_term_is_a_clear_error(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"is not a term .give a string, several strings, or a Path"):
        bare().hypernyms(wrong)
    with pytest.raises(InputError, match="is not a term"):
        bare().explain("dog", wrong)


# ---- pairs --------------------------------------------------------------------------------------------------------


def test_the_confidence_of_a_pair_is_that_of_the_answer(model: Model) -> None:
    for answer in model.hypernyms("malaria", 3):
        assert model.confidence("malaria", answer.term) == answer.confidence == model.score("malaria", answer.term)
        assert answer.score is None
    both = model.confidence(["malaria", "qwxyz"], ["disease", "disease"])
    assert both[0] == model.confidence("malaria", "disease") and np.isnan(both[1])
    with pytest.raises(UnknownWordError, match="did you mean malaria"):
        model.confidence("malaira", "disease")


def test_a_model_without_patterns_has_scores_but_no_confidence() -> None:
    for ask in (bare().confidence, bare().score):
        with pytest.raises(InputError, match=r"no patterns, so no confidences .name a score, such as 'C·ΔS'"):
            ask("dog", "animal")
    assert bare().score("dog", "animal", "ΔS") == 4
    answer = bare().hypernyms("poodle")[0]
    assert answer.confidence is None and answer.score is not None and answer.value == answer.score


def test_explain_takes_a_pair_or_several_words() -> None:
    assert isinstance(bare().explain("dog", "animal"), Explanation)
    several = bare().explain("dog", "animal", "poodle")
    assert isinstance(several, Comparison) and several.words == ("animal", "dog", "poodle")
    assert str(several).splitlines()[0].split() == ["dimension", *several.words]
    for words in ((), ("dog",), ("dog",) * 7):
        with pytest.raises(OptionError, match="give 2 to 6"):
            bare().explain(*words)  # type: ignore[call-overload]


def test_evidence_is_a_table_of_sentences_with_counts(saved: Path) -> None:
    pets = load(saved)
    found = pets.evidence("poodle", "dog", top=2)
    assert [row.sentence for row in found] == [DOCUMENTS[0]]
    assert found.statements == 60 and sum(found.patterns.values()) == 60
    assert found.to_dict()["evidence"][0]["pattern"] == found[0].pattern
    assert str(found).startswith("poodle is a kind of dog: stated 60 times\nsentence")
    with pytest.raises(UnknownWordError, match="poodle"):
        pets.evidence("poodel", "dog")
    with pytest.raises(InputError, match="no patterns"):
        bare().evidence("dog", "animal")


def test_topics_lists_dimensions_or_general_words() -> None:
    assert {row.label for row in bare().topics()} == {"dog animal poodle", "animal law dog"}
    assert [row.term for row in bare().topics(2, general=True)] == ["animal", "dog"]
    assert [row.term for row in bare().topics(general=True, query="law")] == ["animal", "law", "dog"]
    with pytest.raises(OptionError, match="general=True"):
        bare().topics(query="law")


# ---- batches ------------------------------------------------------------------------------------------------------


def test_a_batch_is_one_table_with_the_word_of_each_row() -> None:
    asked = bare()
    for ask in (asked.hypernyms, asked.hyponyms, asked.similar):
        table = ask(["dog", "poodel", "animal", "dog"])
        assert table.columns[0] == "word" and "word" not in ask("dog").columns
        for word in ("dog", "animal"):
            assert [row for row in table if row.word == word] == list(ask(word))
        assert list(table.unknown) == ["poodel"] and table.unknown["poodel"].near == ("poodle",)
        assert "'poodel' is not in this model" in str(table)
        assert len(ask([])) == 0 and ask([]).columns[0] == "word"
        assert ask(word for word in ("dog",)).rows == ask("dog").rows
    notes = asked.hypernyms(["animal", "law"]).notes
    assert [note.split(":")[0] for note in notes] == ["animal"]


def test_a_batch_becomes_one_data_frame(model: Model) -> None:
    table = model.hypernyms(["malaria", "jaguar"], 2)
    for frame in (
        pytest.importorskip("pandas") and table.to_pandas(),
        pytest.importorskip("polars") and table.to_polars(),
    ):
        assert list(frame.columns)[:4] == ["word", "term", "confidence", "score"]
        assert list(frame["word"]) == ["malaria", "malaria", "jaguar", "jaguar"]


# ---- notebooks ----------------------------------------------------------------------------------------------------


class _Page(HTMLParser):
    """The tags of a page in order; every tag must be closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_everything_shows_itself_in_a_notebook_and_is_escaped() -> None:
    words = ["<script>x", "dog&cat", "poodle", "law"]
    asked = Model(VectorSpace(words, [[4, 4], [3, 1], [1, 0], [0, 2]], frequencies=[9, 5, 2, 3], kind="dive"))
    tree = asked.taxonomy(["<script>x", "dog&cat", "poodle", "unknown <i>"], score="CDE", parents=2)
    shown = [
        asked,
        tree,
        asked.explain("poodle", "<script>x"),
        asked.explain("poodle", "<script>x", "dog&cat"),
        asked.hypernyms(["poodle", "<script>y"]),
    ]
    for one in shown:
        page = _Page(one._repr_html_())
        assert page.seen <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "ul", "li"}
        assert "<script>" in page.text
    page = _Page(tree._repr_html_())
    assert "unknown <i>" in page.text and page.seen == {"ul", "li", "p"}
    assert page.text.count("poodle") == str(tree).count("poodle")


# ---- other processes ----------------------------------------------------------------------------------------------


def passed(one: Any) -> Any:
    """What another process gets."""
    return pickle.loads(pickle.dumps(one))  # noqa: S301


def test_a_saved_model_is_sent_as_its_folder(saved: Path, model: Model) -> None:
    assert len(pickle.dumps(model)) < 300 and b"en-wiki" in pickle.dumps(model)  # found by name on any machine
    assert str(model.hypernyms("malaria")) == str(passed(model).hypernyms("malaria"))
    pets = load(saved)
    assert len(pickle.dumps(pets)) < 400
    assert passed(pets).hypernyms("poodle").rows == pets.hypernyms("poodle").rows
    assert passed(pets) is passed(pets)  # tasks of one process share it


def test_a_folder_that_changed_is_not_mistaken_for_the_model(saved: Path, tmp_path: Path) -> None:
    shutil.copytree(saved, tmp_path / "m")
    pets = load(tmp_path / "m")
    sent = pickle.dumps(pets)
    expected = pets.hypernyms("poodle").rows
    header = tmp_path / "m" / "header.json"
    header.write_text(header.read_text() + "\n")
    with pytest.raises(FormatError, match="not the model that was sent"):
        pickle.loads(sent)  # noqa: S301
    assert passed(pets).hypernyms("poodle").rows == expected  # its arrays are sent instead


def test_a_model_in_memory_is_sent_as_arrays() -> None:
    fitted = Dive(dimensions=3, pmi_filter="none", passes=3).fit(texts=DOCUMENTS).model_
    fitted.hypernyms("poodle")
    other = passed(fitted)
    assert repr(other) == repr(fitted) and np.array_equal(other["dog"], fitted["dog"])
    assert other.hypernyms("poodle", evidence=1).rows == fitted.hypernyms("poodle", evidence=1).rows
    assert other.evidence("poodle", "dog").rows == fitted.evidence("poodle", "dog").rows
    alone = copy.deepcopy(bare("sbow-freq"))
    assert alone.similar("dog").rows == bare("sbow-freq").similar("dog").rows


def nearest(model: Model, word: str) -> str:
    return model.similar(word, 1)[0].term


def failing(model: Model) -> float:
    return model.score("poodel", "dog", "C")


def test_models_work_in_joblib(saved: Path) -> None:
    joblib = pytest.importorskip("joblib")
    pets = load(saved)
    words = ["dog", "cat", "poodle"]
    for backend in ("loky", "threading"):
        found = joblib.Parallel(2, backend=backend)(joblib.delayed(nearest)(pets, word) for word in words)
        assert found == [nearest(pets, word) for word in words]
    with pytest.raises(UnknownWordError, match="did you mean poodle") as told:
        joblib.Parallel(2)(joblib.delayed(failing)(pets) for _ in range(2))
    assert told.value.near == ("poodle",)


def test_errors_cross_processes_whole() -> None:
    errors: list[Error] = [
        MissingExtra("to_pandas", "pandas"),
        UnknownWordError("'x' is not there", hint="did you mean y?", near=["y"]),
        InputError("a", hint="b"),
    ]
    for error in errors:
        other = passed(error)
        assert type(other) is type(error) and str(other) == str(error) and vars(other) == vars(error)


@pytest.mark.slow
def test_models_work_in_functions_of_spark(saved: Path) -> None:
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    pets = load(saved)
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = session.createDataFrame([("dog",), ("poodle",)], ["word"])
        near = sql.functions.udf(lambda word: pets.similar(word, 1)[0].term)
        rows = frame.select("word", near("word").alias("near")).collect()
    finally:
        session.stop()
    assert [row.near for row in rows] == [nearest(pets, row.word) for row in rows]


# ---- names of models and extras -----------------------------------------------------------------------------------


def test_a_misspelled_name_of_a_model_suggests_the_name(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"en-wikii: no such model .did you mean en-wiki"):
        load("en-wikii")
    with pytest.raises(FormatError, match="nowhere"):
        load(tmp_path / "nowhere")


def test_install_hints_fit_a_clone_and_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[1]
    monkeypatch.chdir(root)
    assert str(MissingExtra("serve", "web")) == "serve needs the 'web' extra (type: pip install -e '.[web]')"
    monkeypatch.chdir(tmp_path)
    assert f"'{root}[web]'" in str(MissingExtra("serve", "web"))
    monkeypatch.setattr("hyperdive.errors.__file__", str(tmp_path / "site-packages" / "hyperdive" / "errors.py"))
    assert "pip install 'hyperdive[web]'" in str(MissingExtra("serve", "web"))
