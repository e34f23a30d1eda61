"""What is fuzzed: every folder format, every reader of text, every small file, and the HTTP API."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fuzz import folders
from fuzz.harness import Case
from fuzz.mutations import mutated_bytes, mutated_folder, mutated_json, mutated_lines
from hyperdive._store import HEADER

SHARES = {
    "files": 36, "text": 18, "tables": 16, "sparse": 5, "gaussian": 5, "lines": 4, "counts": 4, "patterns": 4,
    "http": 4, "model": 2, "corpus": 2,
}  # fmt: skip
"""Hundredths of all mutations that a target gets: more where one takes less time."""


def folder_case(name: str, healthy: Path) -> Case:
    """Damage a copy of a folder, seal it again, and do what users do with it."""
    use = folders.USES[name]
    use(healthy)  # what is healthy must hold, and loads what the cases need
    contents = {file.relative_to(healthy): file.read_bytes() for file in healthy.rglob("*") if file.is_file()}
    size = sum(map(len, contents.values()))

    def case(choice: random.Random, own: Path) -> int:
        place = own / name
        if not place.exists():
            shutil.copytree(healthy, place)
        damaged = {Path(HEADER)}
        try:
            for _ in range(choice.choice((1, 1, 1, 2))):
                try:
                    damaged.add(Path(mutated_folder(place, choice)))
                except (OSError, ValueError, KeyError, TypeError, AttributeError):  # nothing left to damage
                    damaged |= contents.keys()
                    break
            if choice.randrange(16) == 0:
                folders.use_info(place)
            use(place, choice)
        finally:  # only what was damaged is put back, as new files: the old ones may still be mapped
            for file in damaged & contents.keys():
                (place / file).unlink(missing_ok=True)
                (place / file).write_bytes(contents[file])
        return size

    return case


def _text_bytes() -> bytes:
    return "\n".join(folders.sentences()[:60]).encode()


def _compressed(name: str) -> bytes:
    import bz2
    import lzma

    import pyarrow as pa

    text = _text_bytes()
    if name == "zst":
        return bytes(pa.Codec("zstd").compress(text, asbytes=True))
    return {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[name](text)


def _table_bytes(suffix: str) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    texts = [*folders.sentences()[:40], None, "é\u200d <b>", ""]
    if suffix == "jsonl":
        return "".join(json.dumps({"text": text, "n": {"m": 1}}) + "\n" for text in texts).encode()
    if suffix == "tsv":  # no quotes
        return b"id\ttext\n" + b"".join(f"{n}\t{text or ''}\n".encode() for n, text in enumerate(texts))
    out = io.BytesIO()
    table = pa.table({"id": list(range(len(texts))), "text": texts})
    if suffix == "parquet":
        pq.write_table(table, out)
    else:
        csv.write_csv(table, out)
    return out.getvalue()


def read_text(path: Path) -> None:
    """Read a file as `encode` does, up to its tokens."""
    from hyperdive.options import EncodeOptions
    from hyperdive.text.readers import DocumentLayout, read_blocks
    from hyperdive.text.sources import find_sources
    from hyperdive.text.tokens import tokenise

    rules = _rules(EncodeOptions)
    for source in find_sources([path], lambda *_: None):
        for block in read_blocks(source, DocumentLayout()):
            tokenise(block, rules)


@cache
def _rules(options: Callable[[], Any]) -> Any:
    """The default rules, made once."""
    return options()


def small_files(folder: Path) -> Iterator[tuple[str, bytes, Callable[[Path], object]]]:
    """Files that users write: name, a healthy content, what reads it."""
    from hyperdive.ask.question import term_lines
    from hyperdive.benchmark.datasets import read_pairs
    from hyperdive.benchmark.discovery import read_discovery
    from hyperdive.benchmark.gold_taxonomy import read_taxonomy
    from hyperdive.options import EncodeOptions
    from hyperdive.scores.files import open_pairs
    from hyperdive.spaces.formats import read
    from hyperdive.taxonomy.corrections import CorrectionsFile, read_corrections
    from hyperdive.text.lemmas import FormResolver
    from hyperdive.text.term_list import read_terms

    terms = b'dog\n# pets\nguide dog\t7\n"Cat"\nAIDS\nfire engine\n'
    pairs = b"hyponym\thypernym\tlabel\n" + b"poodle\tdog\tTrue\ndog\tpoodle\tFalse\n" * 8
    lines = b"".join(
        json.dumps({"hyponym": "poodle", "hypernym": "dog", "label": n % 2}).encode() + b"\n" for n in range(9)
    )
    vectors = b"3 4\ndog 1 0 0.5 2\ncat 0 1 0 3\nLondon 0.1 0.2 0.3 1e-3\n"
    table = b"child\tparent\tconfidence\npoodle\tdog\t0.9\ndog\tanimal\t0.8\nanimal\t\t1\n"
    rules = b"force\tpoodle\tdog\nforbid\tanimal\tfruit\nroot\tanimal\nrename\tcat\tfeline\nadd\tpony\n"
    yield "terms.txt", terms, lambda path: (term_lines(path), read_terms(path, EncodeOptions()))
    yield "stop.txt", terms, lambda path: FormResolver(EncodeOptions(stopwords=str(path)))
    yield "pairs.tsv", pairs, read_pairs
    yield "pairs.csv", pairs.replace(b"\t", b","), read_pairs
    yield "pairs.jsonl", lines, read_pairs
    yield "corrections.tsv", rules, lambda path: (read_corrections(path), CorrectionsFile(path).read())
    yield "tree.tsv", table, read_corrections
    yield "gold.taxo", b"1\tpoodle\tdog\n2\tdog\tanimal\n3\tguide dog\tdog\n", read_taxonomy
    yield "gold.txt", b"dog\tConcept\nLondon\tEntity\n", lambda path: read_discovery(path, path, path)
    yield "score.tsv", pairs, lambda path: [len(block) for block in open_pairs(path)]
    yield "vectors.vec", vectors, read
    yield "vectors.vec.gz", gzip.compress(vectors), read
    yield "vectors.json", b'{"dog": {"0": 1.5, "3": 2}, "cat": {"1": 0.25}}', read
    yield "vectors.parquet", _vectors_parquet(), read


def _vectors_parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    columns = {"word": ["dog", "cat"], "frequency": [3, 2], "vector": [[1.0, 2.0], [0.5, 0.0]]}
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def file_case(files: list[tuple[str, bytes, Callable[[Path], object]]]) -> Case:
    """Damage the content of a file and read it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, healthy, read in files:  # what is healthy must hold, and loads what the cases need
            Path(folder, name).write_bytes(healthy)
            read(Path(folder, name))

    def case(choice: random.Random, own: Path) -> int:
        name, healthy, read = choice.choice(files)
        content = (mutated_lines if choice.randrange(3) == 0 else mutated_bytes)(healthy, choice)
        (own / name).write_bytes(content)
        read(own / name)
        return len(content)

    return case


def http_case(model: Path) -> Case:
    """Send damaged requests to the application, without a socket; no answer may be 500 or a trace."""
    from starlette.testclient import TestClient

    from hyperdive.web.app import ENDPOINTS, PREFIX, create_app
    from hyperdive.web.service import Service, open_models

    held: dict[int, TestClient] = {}
    bodies = (
        {"terms": ["poodle"], "top": 3},
        {"term": "poodle", "hyponym": "poodle", "hypernym": "dog", "words": ["dog", "cat"], "prefix": "do"},
        {"pairs": [["poodle", "dog"]], "scores": ["C·ΔS"]},
        {"top": 5, "terms": ["dog", "cat", "animal"], "format": "json"},
        {"operations": [{"kind": "edge", "child": "dog", "parent": "animal"}], "version": 0},
    )

    def case(choice: random.Random, own: Path) -> int:
        client = held.get(os.getpid())
        if client is None:  # threads do not live through a fork
            service = Service(open_models([str(model)], corrections=own))
            client = held[os.getpid()] = TestClient(create_app(service), base_url="http://127.0.0.1:8765")
            client.__enter__()  # one loop for all requests
        endpoint = choice.choice(ENDPOINTS)
        path = endpoint.path.replace("{id}", choice.choice(("1", "x", "..", "%00", "9" * 400)))
        path = path.replace("{model}", choice.choice((model.name, "x", "..%2f..", "")))
        path = path.removesuffix("/events")  # they go on as long as the job
        value = mutated_json(choice.choice(bodies), choice)
        headers = {"Origin": "http://127.0.0.1:8765", "Content-Type": "application/json"}
        if endpoint.method == "GET" and isinstance(value, dict):
            given = {key: part if isinstance(part, list) else str(part) for key, part in value.items()}
            answer = client.request("GET", PREFIX + path, params=given, headers=headers)  # type: ignore[arg-type]
        else:
            content = json.dumps(value).encode()
            if choice.randrange(4) == 0:
                content = mutated_bytes(content, choice)
            answer = client.request(endpoint.method, PREFIX + path, content=content, headers=headers)
        assert answer.status_code < 500, f"{endpoint.method} {path} {value!r}: {answer.status_code}"
        assert "Traceback" not in answer.text
        return len(str(value))

    return case


def targets(folder: Path, wanted: Sequence[str] = ()) -> Iterator[tuple[str, Case]]:
    """All targets (or those wanted) by name; healthy inputs are made in the folder."""
    places = folders.make(folder)
    for name in folders.USES:
        if not wanted or name in wanted:
            yield name, folder_case(name, places[name])
    if not wanted or "text" in wanted:
        plain = ("a.txt", _text_bytes(), read_text)
        yield (
            "text",
            file_case(
                [plain, *((f"a.txt.{name}", _compressed(name), read_text) for name in ("gz", "bz2", "xz", "zst"))]
            ),
        )
    if not wanted or "tables" in wanted:
        kinds = ("jsonl", "csv", "tsv", "parquet")
        yield "tables", file_case([(f"a.{kind}", _table_bytes(kind), read_text) for kind in kinds])
    if not wanted or "files" in wanted:
        yield "files", file_case(list(small_files(folder)))
    if not wanted or "http" in wanted:
        yield "http", http_case(places["model"])
