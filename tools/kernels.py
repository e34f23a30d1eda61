"""Which compiled kernels commands use, with which argument types: writes `compilation/manifest.json`.

    python tools/kernels.py record TEXT           # run every command on the text and write the manifest
    python tools/kernels.py check [TEXT]          # the same; fails when a kernel is missing from the manifest
    python tools/kernels.py time                  # measure anew how long each kernel of the manifest takes to compile

A text of 20 MB or more is needed for `record`, which adds what a generated one asks for: counts change their type with
their size. `check` takes a generated one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

USES = ("encode", "count", "train", "terms", "add", "taxonomy", "score", "evaluate", "other")
"""Kinds of work, each after what it needs."""
FREQUENT = 300
"""Words that are trained together: few, so that a small text has rare ones, too, which have kernels of their own."""


def commands(text: Path, place: Path) -> Iterator[tuple[str, list[str]]]:
    """Commands of every kind, each with what it is; later ones use the results of earlier ones."""
    words = ["dog", "animal", "tree", "bird", "city", "music"]
    pairs, terms = place / "pairs.tsv", place / "terms.txt"
    corpus, counts, model = place / "corpus", place / "counts", place / "model"
    few = ["--dimensions", "8", "--passes", "2", "--pmi-filter", "none"]
    faithful = ["--dimensions", "8", "--pmi-filter", "none", "--ridge", "0", "--sample", "0"]
    yield "encode", ["encode", str(text), "-o", str(place / "words"), "--terms", "none"]
    yield "count", ["count", str(place / "words"), "-o", str(counts)]
    yield "train", ["train", str(place / "words"), "-o", str(place / "model-of-words"), *few]
    yield "terms", ["encode", str(text), "-o", str(corpus)]
    yield "terms", ["train", str(corpus), "-o", str(model), *few]
    yield "train", ["train", str(corpus), "-o", str(place / "filtered"), "--dimensions", "8", "--passes", "2"]
    yield "add", ["add", str(model), str(text), "-o", str(place / "added")]
    pairs.write_text("".join(f"{a}\t{b}\t{a < b}\n" for a in words for b in words if a != b) * 400)
    terms.write_text("".join(f"{word}\n" for word in (*words, "oak tree", "wild animal")))
    yield "score", ["score", str(pairs), "-m", str(model), "-s", "confidence"]
    yield "taxonomy", ["taxonomy", "-m", str(model), "--terms", str(terms)]
    yield "taxonomy", ["taxonomy", "-m", str(model), "--top", "200"]
    yield "score", ["score", str(pairs), "-m", str(model)]
    yield "score", ["score", str(pairs), "-m", str(model), "-s", "all"]
    yield "score", ["hypernyms", *words[:4], "-m", str(model)]  # by now with the compiled loops
    yield "evaluate", ["evaluate", "-m", str(model), "-d", str(pairs)]
    if os.environ.get("HYPERDIVE_DATA"):
        yield "evaluate", ["evaluate", "-m", str(model)]
    yield "other", ["topics", "-m", str(model)]
    yield "other", ["encode", str(text), "-o", str(place / "phrases"), "--phrases", "auto", "--preset", "paper"]
    yield "other", ["train", str(place / "phrases"), "-o", str(place / "paper"), "--solver", "paper", *faithful]
    for space in ("gaussian", "kmeans", "sbow-ppmi-is"):
        few_of = ["--dimensions", "8"] if space != "sbow-ppmi-is" else []
        yield "other", ["train", str(corpus), "-o", str(place / space), "--space", space, *few_of]
        yield "other", ["score", str(pairs), "-m", str(place / space)]
    part, more, more_counts = place / "part.txt", place / "more", place / "more-counts"
    part.write_bytes(text.read_bytes()[:300_000])
    yield "other", ["encode", str(part), "-o", str(more), "--terms", "none"]
    yield "other", ["count", str(more), "-o", str(more_counts)]
    yield "other", ["count", "--merge", str(counts), str(more_counts), "-o", str(place / "merged")]


def rehearse(text: Path) -> list[dict[str, Any]]:
    """Run the commands; the kernels that were asked for, in that order, with the use that asked first."""
    from numba.core.dispatcher import Dispatcher

    from hyperdive.cli.main import main
    from hyperdive.compilation.kernel import KernelCache
    from hyperdive.compilation.signatures import text_of
    from hyperdive.spaces.dive_options import DiveOptions

    DiveOptions.__init__.__kwdefaults__["frequent"] = FREQUENT
    asked: dict[tuple[str, str], dict[str, Any]] = {}
    state: dict[str, Any] = {"depth": 0, "use": ""}
    original = Dispatcher.compile

    def compile(self: Any, sig: Any) -> Any:
        state["depth"] += 1
        try:
            return original(self, sig)
        finally:
            state["depth"] -= 1
            if state["depth"] == 0 and isinstance(self._cache, KernelCache):
                types = text_of(sig)
                assert types is not None, f"{self._cache.name} has types without a notation: {sig}"
                entry = {"kernel": self._cache.name, "types": types, "use": state["use"]}
                asked.setdefault((self._cache.name, types), entry)

    Dispatcher.compile = compile
    try:
        with tempfile.TemporaryDirectory(prefix="hyperdive-kernels-") as folder:
            for state["use"], command in commands(text, Path(folder)):
                said = io.StringIO()
                out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
                    code = main(command)
                sys.stderr.write(f"{'ok' if code == 0 else 'failed'}  {' '.join(command)}\n")
                assert code == 0, said.getvalue()
    finally:
        Dispatcher.compile = original
    return list(asked.values())


def timed(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries with the seconds that each takes to compile in a process of its own kind, where nothing is kept."""
    from hyperdive.compilation.compiler import start_worker

    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        worker = start_worker()
        assert worker.stdin is not None and worker.stdout is not None
        for entry in entries:
            worker.stdin.write(f"{entry['kernel']}\t{entry['types']}\n")
            worker.stdin.flush()
            entry["seconds"] = round(float(worker.stdout.readline()), 1)
        worker.stdin.close()
        worker.wait()
    return entries


def written(entries: list[dict[str, Any]]) -> int:
    """Write these entries into the manifest, with the seconds that each takes."""
    from hyperdive.compilation.signatures import MANIFEST

    entries = sorted(timed(entries), key=lambda entry: (USES.index(entry["use"]), entry["kernel"], entry["types"]))
    MANIFEST.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n", encoding="utf-8")
    sys.stdout.write(f"{len(entries)} kernels, {sum(entry['seconds'] for entry in entries):.0f} s\n")
    return 0


def run() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "check", "time"])
    parser.add_argument("text", type=Path, nargs="?")
    given = parser.parse_args()
    from hyperdive.cli.generated_text import write_generated
    from hyperdive.compilation import compiler, environment
    from hyperdive.compilation.signatures import MANIFEST

    if given.action == "time":
        return written(json.loads(MANIFEST.read_text(encoding="utf-8")))
    environment.own_process, compiler.in_other_processes = True, False
    with tempfile.TemporaryDirectory() as folder:
        generated = write_generated(Path(folder))[0]
        asked = rehearse(given.text or generated)
        if given.action == "record":
            known = {(entry["kernel"], entry["types"]) for entry in asked}
            asked += [entry for entry in rehearse(generated) if (entry["kernel"], entry["types"]) not in known]
    if given.action == "record":
        return written(asked)
    known = {(entry["kernel"], entry["types"]) for entry in json.loads(MANIFEST.read_text(encoding="utf-8"))}
    absent = [entry for entry in asked if (entry["kernel"], entry["types"]) not in known]
    for entry in absent:
        sys.stdout.write(f"not in the manifest: {json.dumps(entry)}\n")
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(run())
