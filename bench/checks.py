"""What it costs to open a folder of a stranger safely: checksums and checks, in processor time of this run.

python bench/checks.py [MODEL or CORPUS ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hyperdive import _checks, _store
from hyperdive.model import Model
from hyperdive.patterns import files
from hyperdive.spaces import folding, space, tensors
from hyperdive.spaces.model_folder import composition_of, space_of
from hyperdive.spaces.packaged_models import find_model
from hyperdive.text import corpus, kept_text, term_occurrences

CHECKS = ("row_pointers", "are_pointers", "are_below", "rise_in_rows", "are_finite")
spent = {"checksums": 0.0, "checks": 0.0}


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its processor time added up under a name."""

    def measured(*arguments: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return function(*arguments, **named)
        finally:
            spent[name] += time.process_time() - start

    return measured


def read_all(path: str) -> None:
    """Read every part of a folder."""
    if _store.read_header(find_model(path))["format"] == "hyperdive-corpus":
        opened = corpus.Corpus.open(path)
        _ = opened.tokens, opened.all_words, opened.line_offsets, opened.sentence_offsets, opened.terms, opened.text
        return
    model = Model.load(path)
    _ = model.contexts, model.skipgram
    _ = space_of(model, "skipgram"), composition_of(model)
    if model.patterns is not None:
        _ = model.patterns.evidence_rows


def main() -> None:
    """Print a line a folder."""
    for module in (tensors, space, files, folding, corpus, kept_text, term_occurrences):
        for name in CHECKS:
            if hasattr(module, name):
                setattr(module, name, timed("checks", getattr(_checks, name)))
    _store.Artifact.verify = timed("checksums", _store.Artifact.verify)  # type: ignore[method-assign]
    for path in sys.argv[1:] or ["en-wiki"]:
        read_all(path)  # the modules it needs are loaded
        spent.update(checksums=0.0, checks=0.0)
        start = time.process_time()
        read_all(path)
        whole = 1_000 * (time.process_time() - start)
        parts = ", ".join(f"{name} {1_000 * value:.0f} ms" for name, value in spent.items())
        print(f"{Path(path).name}: reading everything {whole:.0f} ms, of it {parts}")


if __name__ == "__main__":
    main()
