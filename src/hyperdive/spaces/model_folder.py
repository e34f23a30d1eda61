"""The folder of a model (format `hyperdive-model`, version 3).

| file | content |
| --- | --- |
| `header.json` | format, version, parameters, facts about the corpus, training history, checksums |
| `vocabulary.txt` | one word per line, by falling frequency; the unknown symbol is not in it |
| `model.safetensors` | `frequencies`; of `dive` and `contexts` the non-zero entries row by row; `skipgram` dense |
| `terms.txt`, `abbreviations.txt` | terms beside the words, when there are some: see `hyperdive.spaces.term_table` |
| `README.md` | the model card |
| `statements.parquet`, … | pairs that the text states, when patterns were read: see `hyperdive.patterns.files` |
| `evidence.parquet`, `sentences.parquet` | sentences behind those pairs, when they were kept |

Values are stored in 16 bits when that loses nothing; training rounds its results so that it never does. Rows of
`skipgram` that were rounded to 8 bits are stored as int8, with `skipgram.exponents` (see `hyperdive._quantize`).
With contexts the tensors `folding.*` are there too, which rows of new terms need (see `hyperdive.spaces.fold_in`).
Version 2 had no terms and no `folding.*`, version 1 no patterns.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperdive._store import HEADER, Artifact, ArtifactWriter, header_fields, narrowest, read_header
from hyperdive.patterns.files import STATEMENTS, about, write_files
from hyperdive.patterns.store import Patterns
from hyperdive.spaces.folding import ContextSpace, folding_of
from hyperdive.spaces.model_card import card
from hyperdive.spaces.model_files import TENSORS as SPACE_TENSORS
from hyperdive.spaces.model_files import VOCABULARY, StoredSpaces, space_tensors
from hyperdive.spaces.space import KIND as SPACE
from hyperdive.spaces.space import VectorSpace
from hyperdive.spaces.term_table import TERMS, TermTable
from hyperdive.text.abbreviations import ABBREVIATIONS

if TYPE_CHECKING:
    from hyperdive.model import Model

KIND, VERSION = "model", 3
MADE_WITH = "hyperdive train TEXT -o MODEL"


def write_model(model: Model, facts: Mapping[str, Any], path: str | Path, *, force: bool = False) -> None:
    """Write a model folder, which appears when it is complete."""
    from safetensors.numpy import save

    terms, patterns, folding = model.terms, model.patterns, folding_of(model.contexts)
    stored: dict[str, VectorSpace | None] = {
        "dive": model.dive,
        "contexts": model.contexts,
        "skipgram": model.skipgram,
        "terms.dive": None if terms is None else terms.dive,
        "terms.skipgram": None if terms is None else terms.skipgram,
    }
    tensors: dict[str, Any] = {"frequencies": narrowest(model.frequencies, int(model.frequencies.max(initial=0)))}
    spaces: dict[str, Any] = {}
    for name, space in stored.items():
        if space is not None:
            tensors |= space_tensors(name, space)
            sparse = f"{name}.lengths" in tensors
            spaces[name] = {"kind": space.kind, "dimensions": space.dimensions, "sparse": sparse}
    totals = {"words": len(model), "dimensions": model.dive.dimensions}
    with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
        writer.put(VOCABULARY, "".join(f"{word}\n" for word in model.words).encode("utf-8"))
        if folding is not None:
            tensors |= folding.tensors()
        if terms is not None:
            tensors |= terms.tensors()
            totals["terms"] = len(terms)
        writer.put(SPACE_TENSORS, save(tensors))
        if terms is not None:
            writer.put(TERMS, terms.lines())
            writer.put(ABBREVIATIONS, terms.abbreviations.lines())
        writer.put("README.md", card(model, facts).encode("utf-8"))
        header = {"parameters": model.parameters, "facts": dict(facts), "spaces": spaces, "totals": totals}
        if patterns is not None:
            write_files(patterns, writer)
            header["patterns"] = about(patterns)
        writer.finish(header)


def read_model(folder: Path, *, verify: bool = True) -> dict[str, Any]:
    """Return the arguments of a `Model` from a folder, of a model or of one space; all but `dive` are read later."""
    if (folder / HEADER).is_file() and read_header(folder)["format"] == f"hyperdive-{SPACE}":
        space = VectorSpace.load(folder, verify=verify)
        return {"dive": space, "parameters": space.parameters}
    artifact = Artifact.open(folder, KIND, VERSION, made_with=MADE_WITH, verify=verify)
    with header_fields(folder):
        parameters, facts, spaces = (dict(artifact.header[name]) for name in ("parameters", "facts", "spaces"))
    stored = StoredSpaces(artifact)
    return {
        "dive": stored.space("dive"),
        "contexts": partial(ContextSpace.read, stored) if "contexts" in spaces else None,
        "skipgram": partial(stored.space, "skipgram") if "skipgram" in spaces else None,
        "terms": partial(TermTable.read, artifact, stored) if TERMS in artifact else None,
        "patterns": partial(Patterns.read, artifact) if STATEMENTS in artifact else None,
        "parameters": parameters,
        "facts": facts,
    }
