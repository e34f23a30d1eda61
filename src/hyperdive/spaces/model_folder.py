"""The folder of a model (format `hyperdive-model`, version 4).

| file | content |
| --- | --- |
| `header.json` | format, version, parameters, facts about the corpus, training history, checksums |
| `vocabulary.parquet` | words, and terms after them: see `hyperdive.spaces.vocabulary_file` |
| `abbreviations.txt` | abbreviations with their long forms, where there are terms: see `hyperdive.text.abbreviations` |
| `model.safetensors` | the matrices `dive` and `skipgram`, a row per name, and `contexts`, a row per word |
| `README.md` | the model card |
| `statements.parquet`, … | pairs that the text states, when patterns were read: see `hyperdive.patterns.files` |
| `evidence.parquet`, `sentences.parquet` | sentences behind those pairs, when they were kept |

`hyperdive.spaces.tensors` describes the matrices. With contexts there are also the tensors `folding.*`, which rows of
new terms need (see `hyperdive.spaces.fold_in`), and where terms are composed the maps `composition.*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from hyperdive._store import HEADER, Artifact, ArtifactWriter, header_fields, read_header
from hyperdive._types import Ints
from hyperdive.errors import Error, FormatError, InputError
from hyperdive.patterns.files import STATEMENTS, about, write_files
from hyperdive.patterns.store import Patterns
from hyperdive.spaces.composition import Composition
from hyperdive.spaces.folding import ContextSpace, Folding, folding_of
from hyperdive.spaces.model_card import card
from hyperdive.spaces.space import KIND as SPACE
from hyperdive.spaces.space import VectorSpace, dense
from hyperdive.spaces.tensors import DAMAGED, MappedTensors, matrix_tensors
from hyperdive.spaces.vocabulary_file import VOCABULARY, VocabularyFile
from hyperdive.text.abbreviations import ABBREVIATIONS, Abbreviations

if TYPE_CHECKING:
    from hyperdive.model import Model

KIND, VERSION, TENSORS = "model", 4, "model.safetensors"
MADE_WITH = "hyperdive train TEXT -o MODEL"


def write_model(model: Model, facts: Mapping[str, Any], path: str | Path, *, force: bool = False) -> None:
    """Write a model folder, which appears when it is complete."""
    from safetensors.numpy import save

    vocabulary, patterns, folding = model.vocabulary, model.patterns, folding_of(model.contexts)
    tensors: dict[str, Any] = {}
    spaces: dict[str, Any] = {}
    for name in ("dive", "contexts", "skipgram"):
        space = space_of(model, name)
        if space is not None:
            # neighbours are found by products of dense matrices
            matrix = dense(space.matrix) if name == "skipgram" else space.matrix
            tensors |= matrix_tensors(name, matrix, sparse=name != "skipgram")
            spaces[name] = {"kind": space.kind, "dimensions": space.dimensions}
    for part in (folding, composition_of(model)):
        tensors |= {} if part is None else part.tensors()
    totals = {"words": len(model), "dimensions": model.dive.dimensions}
    totals |= {"terms": len(model.terms)} if vocabulary.has_terms else {}
    with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
        VocabularyFile(vocabulary, space_of(model).sums, pattern_numbers_of(model)).write(writer)
        if len(vocabulary.abbreviations):
            writer.put(ABBREVIATIONS, vocabulary.abbreviations.lines())
        writer.put(TENSORS, save(tensors))
        writer.put("README.md", card(model, facts).encode("utf-8"))
        header = {"parameters": model.parameters, "facts": dict(facts), "spaces": spaces, "totals": totals}
        if patterns is not None:
            write_files(patterns, writer)
            header["patterns"] = about(patterns)
        writer.finish(header)


def read_model(folder: Path, *, verify: bool = True) -> tuple[dict[str, Any], Ints | None]:
    """Return the arguments of a `Model` from a folder, of a model or of one space, and its numbers in the patterns.

    All parts but `dive` are read later.
    """
    if (folder / HEADER).is_file() and read_header(folder)["format"] == f"hyperdive-{SPACE}":
        space = VectorSpace.load(folder, verify=verify)
        return {"dive": space, "parameters": space.parameters}, None
    artifact = Artifact.open(folder, KIND, VERSION, made_with=MADE_WITH, verify=verify)
    with header_fields(folder):
        parameters, facts, spaces = (dict(artifact.header[name]) for name in ("parameters", "facts", "spaces"))
        kinds = {name: (str(one["kind"]), int(one["dimensions"])) for name, one in spaces.items()}
    if VOCABULARY not in artifact or TENSORS not in artifact:
        raise FormatError(f"{folder}: the model is incomplete", hint=DAMAGED)
    if "dive" not in kinds:
        raise Error(f"{folder}: this model has no dive vectors")
    names = VocabularyFile.read(artifact, Abbreviations.read(artifact))
    vocabulary, tensors = names.vocabulary, MappedTensors(artifact.file(TENSORS))

    def read(name: str) -> VectorSpace:
        kind, dimensions = kinds[name]
        of = vocabulary.of_words if name == "contexts" else vocabulary
        rows = tensors.rows(name, (len(of), dimensions))
        return VectorSpace(of, rows, kind=kind, parameters=parameters, sums=names.sums if name == "dive" else None)

    def contexts() -> ContextSpace:
        return ContextSpace.of(read("contexts"), Folding.read(tensors, vocabulary.word_count, kinds["dive"][1]))

    def patterns() -> Patterns:
        stated = Patterns.read(artifact)
        if names.pattern_numbers is None or int(names.pattern_numbers.max(initial=-1)) >= len(stated):
            raise FormatError(f"{folder}: {VOCABULARY} does not have the numbers of the patterns", hint=DAMAGED)
        return stated

    composition = partial(Composition.read, tensors, kinds["dive"][1], kinds.get("skipgram", ("", None))[1])
    parts = {
        "dive": read("dive"),
        "contexts": contexts if "contexts" in kinds else None,
        "skipgram": partial(read, "skipgram") if "skipgram" in kinds else None,
        "composition": composition if "composition.dive" in tensors else None,
        "patterns": patterns if STATEMENTS in artifact else None,
        "parameters": parameters,
        "facts": facts,
    }
    return parts, names.pattern_numbers


# ---- the parts of a model, which are read when they are needed -------------------------------------------------


@overload
def space_of(model: Model) -> VectorSpace: ...
@overload
def space_of(model: Model, name: str) -> VectorSpace | None: ...


def space_of(model: Model, name: str = "dive") -> VectorSpace | None:
    """Return the vectors of all words and terms (`dive` or `skipgram`), or `contexts`; None when there are none."""
    space = model._spaces[name]
    if callable(space):
        space = model._spaces[name] = space()
    if space is not None:
        expected = model.vocabulary.of_words if name == "contexts" else model.vocabulary
        if space.vocabulary != expected:
            raise InputError(f"the {name} of a model must have the words of its vectors, in the same order")
    return space


def composition_of(model: Model) -> Composition | None:
    """Return the maps that compose vectors of terms that the text does not have, or None."""
    if callable(model._composition):
        model._composition = model._composition()
    return model._composition


def pattern_numbers_of(model: Model) -> Ints | None:
    """Return the number of each word and term in the patterns, −1 for none; None without patterns."""
    if model._pattern_numbers is None and model.patterns is not None:
        model._pattern_numbers = model.patterns.numbers_of(model.vocabulary.names)
    return model._pattern_numbers
