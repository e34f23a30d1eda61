"""The public door: what people have goes in, the same bytes come out, and scikit-learn finds what it expects."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

import hyperdive
from hyperdive import Dive, Model, encode, train
from hyperdive._progress import Progress
from hyperdive.errors import InputError, OptionError
from hyperdive.patterns.store import patterns_of
from hyperdive.text.encoder import encode_text
from hyperdive.text.sources import DocumentSource

DOCUMENTS = ["They keep dogs such as poodles and spaniels.", "Animals such as dogs and cats bark or sleep."] * 60
SMALL: dict[str, Any] = {"dimensions": 3, "pmi_filter": "none", "passes": 3}
Run = Callable[..., Any]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Notes(Progress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__("none")
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


# ---- what goes in -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def from_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus of the documents as the lines of a file; it bears the name that raw documents are given."""
    folder = tmp_path_factory.mktemp("file")
    (folder / "texts").write_text("".join(f"{text}\n" for text in DOCUMENTS))
    return encode(folder / "texts", folder / "corpus").path


def as_pandas(texts: list[str | None]) -> Any:
    return pytest.importorskip("pandas").Series(texts)


def as_polars(texts: list[str | None]) -> Any:
    return pytest.importorskip("polars").Series(texts)


def as_spacy(texts: list[str | None]) -> Any:
    return map(pytest.importorskip("spacy").blank("en"), filter(None, texts))


@pytest.mark.parametrize("column", [as_pandas, as_polars, as_spacy])
def test_columns_and_spacy_documents_give_the_bytes_of_a_file(tmp_path: Path, from_file: Path, column: Any) -> None:
    with_gaps = [None, *DOCUMENTS, None]
    assert files(encode(column(with_gaps), tmp_path / "a").path) == files(from_file)
    assert files(encode(texts=column(with_gaps), output=tmp_path / "b").path) == files(from_file)


def test_raw_documents_give_the_bytes_of_a_file(tmp_path: Path, from_file: Path) -> None:
    assert files(encode(texts=iter(DOCUMENTS), output=tmp_path / "c").path) == files(from_file)
    model = train(texts=DOCUMENTS, output=tmp_path / "m", **SMALL)
    assert model.patterns is not None and model.patterns.count("poodle", "dog") == 60
    assert model.evidence("poodle", "dog")[0].sentence == DOCUMENTS[0]
    train(from_file, tmp_path / "n", **SMALL)
    train(from_file.parent / "texts", tmp_path / "o", **SMALL)
    assert files(tmp_path / "m") == files(tmp_path / "n") == files(tmp_path / "o")


def test_a_document_of_several_lines_stays_one(tmp_path: Path) -> None:
    corpus = encode(
        texts=["Dogs bark.\nCats sleep.\n\nBirds sing.", "", "Fish swim."], output=tmp_path / "c", min_count=1
    )
    assert corpus.header["totals"]["documents"] == 2  # an empty one is none
    assert len(corpus.header["input"]["files"]) == 1
    assert corpus.sentence_text(1) == "Cats sleep."


class Counted(str):
    """A text that says how many of its kind are alive."""

    alive: ClassVar[int] = 0
    most: ClassVar[int] = 0

    def __new__(cls, text: str) -> Counted:
        cls.alive += 1
        cls.most = max(cls.most, cls.alive)
        return super().__new__(cls, text)

    def __del__(self) -> None:
        Counted.alive -= 1


def test_raw_documents_are_never_held_together(tmp_path: Path) -> None:
    texts = (Counted("Dogs bark and cats sleep. " * 20) for _ in range(2000))
    source = DocumentSource("texts", documents=texts)
    corpus = encode_text(source, tmp_path / "c", block_bytes=10_000, threads=1, min_count=1)
    assert corpus.header["totals"]["documents"] == 2000
    assert Counted.most <= 3


def test_tagged_documents_go_to_other_processes(tmp_path: Path) -> None:
    pytest.importorskip("textblob")
    corpus = encode(texts=iter(DOCUMENTS[:20]), output=tmp_path / "c", pos="textblob", threads=2, min_count=1)
    assert "dog|n" in corpus.vocabulary


def test_token_lists_are_taken_as_they_are_and_the_lack_of_patterns_is_said_once(tmp_path: Path) -> None:
    lists = [text.rstrip(".").split() for text in DOCUMENTS]
    notes = Notes()
    corpus = encode(iter(lists), tmp_path / "c", min_count=1, progress=notes)
    assert "poodles" in corpus.vocabulary
    assert patterns_of(corpus.path) is None
    assert [note for note in notes.notes if "patterns" in note] == [
        "note: token lists give no patterns; pass raw text as texts=[...] to have them"
    ]
    notes = Notes()
    assert train(iter(lists), tmp_path / "m", progress=notes, **SMALL).patterns is None
    assert len([note for note in notes.notes if "patterns" in note]) == 1
    with pytest.raises(OptionError, match="token lists give no patterns"):
        encode(lists, tmp_path / "d", patterns=True)
    with pytest.raises(OptionError, match="keep_text is an option for text"):
        encode(lists, tmp_path / "d", keep_text=True)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere.txt", "nowhere.txt: no such file or folder .*texts="),
        (["A poodle is a dog.", "x" * 5000], "A poodle is a dog.: no such file .*texts="),
        ((text for text in DOCUMENTS), "texts="),
        ("x" * 5000, "xxx…: no such file or folder .*texts="),
        ("is it a [dog]?", "matches no file .*texts="),
        ([], "no input"),
        (7, "int is no.* text"),
        (["README.md", 7], "texts="),
    ],
)
def test_strings_that_are_no_paths_say_how_to_pass_text(tmp_path: Path, source: Any, said: str) -> None:
    for reader in (encode, train):
        with pytest.raises(InputError, match=said):
            reader(list(source) if inspect.isgenerator(source) else source, tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_wrong_documents_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="document 2 is list, not text"):
        encode(texts=["a dog", ["a", "dog"]], output=tmp_path / "c")
    with pytest.raises(InputError, match=r"texts=\[text\]"):
        encode(texts="a dog", output=tmp_path / "c")
    with pytest.raises(InputError, match="cannot both be read"):
        encode("README.md", tmp_path / "c", texts=["a dog"])
    with pytest.raises(OptionError, match="give output="):
        encode(texts=["a dog"])
    frame = pytest.importorskip("pandas").DataFrame({"title": ["a"], "body": ["b"]})
    with pytest.raises(InputError, match="title, body"):
        encode(frame, tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_the_verbs_are_the_functions(tmp_path: Path, from_file: Path, hyperdive: Run) -> None:
    text = from_file.parent / "texts"
    assert hyperdive("encode", text, "-o", tmp_path / "c").code == 0
    assert files(tmp_path / "c") == files(from_file)
    ran = hyperdive("train", tmp_path / "c", "-o", tmp_path / "m", "--dimensions", 3, "--set", "pmi_filter=none")
    assert ran.code == 0
    train(from_file, tmp_path / "n", dimensions=3, pmi_filter="none")
    assert files(tmp_path / "m") == files(tmp_path / "n")


# ---- one class that answers -------------------------------------------------------------------------------------


def test_everything_public_gives_the_class_that_answers(tmp_path: Path) -> None:
    made = train(texts=DOCUMENTS, output=tmp_path / "m", **SMALL)
    space = train(texts=DOCUMENTS, output=tmp_path / "s", space="sbow-freq")
    fitted = Dive(**SMALL).fit(texts=DOCUMENTS).model_
    for model in (made, space, fitted, hyperdive.load(tmp_path / "m"), hyperdive.load(tmp_path / "s")):
        assert type(model) is Model
        assert model.similar("dog", top=1)
    assert hyperdive.load(tmp_path / "m").subset(["dog", "poodle"]).hypernyms("poodle") is not None


def test_a_list_gives_one_table_and_an_unknown_word_in_it_is_no_error() -> None:
    model = Dive(**SMALL).fit(texts=DOCUMENTS).model_
    for ask in (model.hypernyms, model.hyponyms, model.similar):
        found = ask(["dog", "poodel"])
        assert {row.word for row in found} == {"dog"}
        assert [row.term for row in found] == [row.term for row in ask("dog")]
        assert "'poodel' is not in this model (did you mean poodle?)" in str(found)
        with pytest.raises(hyperdive.errors.UnknownWordError):
            ask("poodel")
        assert len(ask([])) == 0


def test_one_word_is_the_root_of_a_taxonomy(tmp_path: Path) -> None:
    model = Dive(**SMALL).fit(texts=DOCUMENTS).model_
    assert str(model.taxonomy("dog", score="P")) == str(model.taxonomy(root="dog", score="P"))
    (tmp_path / "terms.txt").write_text("dog\nanimal\n")
    assert model.taxonomy(tmp_path / "terms.txt").terms == model.taxonomy(["dog", "animal"]).terms
    with pytest.raises(OptionError, match="root"):
        model.taxonomy("dog", root="animal")


# ---- scikit-learn -----------------------------------------------------------------------------------------------


def test_scikit_learn_clones_and_sets_the_options() -> None:
    base = pytest.importorskip("sklearn.base")
    dive = Dive(dimensions=7, min_count=2)
    twin = base.clone(dive)
    assert twin is not dive and twin.get_params() == dive.get_params()
    assert twin.set_params(seed=3) is twin
    assert (twin.seed, dive.seed) == (3, 0)
    assert repr(twin) == "Dive(dimensions=7, seed=3, min_count=2)"
    fitted = dive.set_params(**SMALL).fit([text.split() for text in DOCUMENTS])
    assert fitted is dive and isinstance(dive.model_, Model)
    assert not hasattr(base.clone(dive), "model_")


def test_wrong_options_are_told_where_scikit_learn_expects_it() -> None:
    with pytest.raises(OptionError, match="did you mean dimensions"):
        Dive(dimension=7)
    with pytest.raises(OptionError, match="no option 'dimension'"):
        Dive().set_params(dimension=7)
    wrong = Dive(dimensions=0)
    with pytest.raises(OptionError, match="dimensions is 0"):
        wrong.fit(texts=DOCUMENTS)


def test_a_preset_of_the_estimator_is_that_of_the_verb(tmp_path: Path) -> None:
    options = {"dimensions": 3, "passes": 3, "pmi_filter": "none"}
    options |= {"min_count": 1, "last_line": "keep"}
    Dive.preset("paper", **options).fit(texts=DOCUMENTS, output=tmp_path / "a")
    train(texts=DOCUMENTS, output=tmp_path / "b", preset="paper", **options)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    with pytest.raises(OptionError, match="no preset"):
        Dive.preset("papers")


def test_every_public_name_is_there_and_in_the_reference() -> None:
    written = (Path(__file__).parents[1] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for name in hyperdive.__all__:
        assert getattr(hyperdive, name) is not None
        assert name == "__version__" or f"::: hyperdive.{name}\n" in written, name


def endless() -> Iterator[str]:
    while True:
        yield "no such path"


def test_an_endless_stream_of_text_as_paths_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="texts="):
        encode(endless(), tmp_path / "c")
