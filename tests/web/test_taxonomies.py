"""Taxonomies as jobs: progress, the same job again, cancelling, trees, exports, the worklist, and corrections on them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.web.conftest import Running
from tests.web.small_model import KINDS, TERMS

Serve = Callable[..., Running]
EDGES = [(child, parent) for parent, children in KINDS.items() for child in children]


@pytest.fixture(scope="module")
def corrected(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server over the small model for all tests that correct its tree."""
    folder = tmp_path_factory.mktemp("corrected")
    running = Running(folder, str(small), "--corrections", str(folder))
    yield running
    running.stop()


@pytest.fixture
def served(corrected: Running) -> Running:
    """The server with corrections that give its tree a known shape."""
    lines = "".join(f"force\t{child}\t{parent}\n" for child, parent in EDGES)
    (corrected.folder / "small.corrections.tsv").write_text(f"# by hand\n{lines}")
    return corrected


def events(running: Running, job: dict[str, Any]) -> Iterator[tuple[float, str, dict[str, Any]]]:
    """The events of a job: when, their names, their data."""
    with running.client.stream("GET", job["links"]["events"]) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield time.monotonic(), name, json.loads(line[6:])


def built(running: Running, **request: object) -> dict[str, Any]:
    """A finished job."""
    job = running.post("taxonomies", **request).json()
    *_, (_, name, last) = events(running, job)
    assert name == "done", last
    return last


def edges(running: Running, job: dict[str, Any], **query: object) -> set[tuple[str, str]]:
    tree = running.client.get(job["links"]["tree"], params=query).json()  # type: ignore[arg-type]
    return {(edge["child"], edge["parent"]) for edge in tree["edges"]}


def version(running: Running) -> str:
    found: str = running.get("corrections/small").json()["version"]
    return found


def correct(running: Running, *operations: dict[str, object], of: str | None = None) -> httpx.Response:
    return running.post("corrections/small", version=of or version(running), operations=list(operations))


def test_progress_comes_every_second_and_the_end_is_said(server: Running) -> None:
    answer = server.post("taxonomies", top=800)
    assert answer.status_code == 202 and answer.headers["location"] == answer.json()["links"]["self"]
    before, last, seen = time.monotonic(), {}, []
    for when, name, last in events(server, answer.json()):
        assert when - before < 5, "no sign of life"  # a busy machine is no failure
        before = when
        seen.append((name, last["stage"], last["done"]))
    assert [name for name, _, _ in seen[:-1]] == ["progress"] * (len(seen) - 1) and seen[-1][0] == "done"
    assert last["state"] == "done" and last["terms"] >= 780 and last["edges"] > 50
    shares = [done for _, stage, done in seen if stage == "scoring"]
    assert shares == sorted(shares) and len(set(shares)) > 2
    again = server.post("taxonomies", top=800)
    assert again.status_code == 200 and again.json()["id"] == last["id"]


def test_a_job_is_cancelled_and_forgotten(server: Running) -> None:
    job = server.post("taxonomies", top=4000).json()
    stopped = server.client.delete(job["links"]["self"])
    assert stopped.status_code == 200
    *_, (_, name, last) = events(server, job)
    assert name == "cancelled" and last["error"] is None
    tree = server.client.get(job["links"]["tree"])
    assert (tree.status_code, tree.json()["error"]["code"]) == (409, "not_finished")
    server.client.delete(job["links"]["self"])
    assert server.client.get(job["links"]["self"]).status_code == 404


@pytest.mark.parametrize(
    "request_",
    [{"root": "qwxyz"}, {"terms": ["dog"], "top": 5}, {"terms": []}, {"top": 10_001}, {"score": "no such", "top": 5}],
)
def test_what_cannot_be_built_is_said(server: Running, request_: dict[str, object]) -> None:
    answer = server.post("taxonomies", **request_)
    if answer.status_code == 202:
        *_, (_, name, last) = events(server, answer.json())
        assert name == "failed" and last["error"]["message"]
    else:
        assert answer.status_code == 400 and answer.json()["error"]["message"]


def test_corrections_change_the_tree_at_once_and_are_undone(served: Running) -> None:
    job = built(served, terms=list(TERMS))
    assert edges(served, job) == set(EDGES)
    first = version(served)
    moved = correct(served, {"op": "move", "child": "apple", "parent": "vehicle"}).json()
    assert moved["added"] == [{"verb": "force", "term": "apple", "other": "vehicle"}]
    tree = served.client.get(job["links"]["tree"]).json()
    assert tree["stale"] and tree["version"] == moved["version"] != first
    assert ("apple", "vehicle") in edges(served, job) and ("apple", "fruit") not in edges(served, job)
    assert edges(served, job, corrections="false") == set(EDGES)
    undone = correct(served, moved["undo"]).json()
    assert undone["version"] != moved["version"] and edges(served, job) == set(EDGES)
    again = correct(served, undone["undo"]).json()
    assert again["entries"] == moved["entries"]
    text = (served.folder / "small.corrections.tsv").read_text()
    assert text.startswith("# by hand\n") and "force\tapple\tvehicle\n" in text


@pytest.mark.parametrize(
    ("operation", "line"),
    [
        ({"op": "accept", "child": "apple", "parent": "fruit"}, "force\tapple\tfruit"),
        ({"op": "reject", "child": "apple", "parent": "fruit"}, "forbid\tapple\tfruit"),
        ({"op": "move", "child": "apple", "parent": None}, "root\tapple"),
        ({"op": "merge", "term": "beagle", "into": "poodle"}, "merge\tbeagle\tpoodle"),
        ({"op": "rename", "term": "truck", "name": "Lorry"}, "rename\ttruck\tLorry"),
        ({"op": "add", "term": "owl", "parent": "animal"}, "force\towl\tanimal"),
    ],
)
def test_every_operation_is_a_line_of_the_file(served: Running, operation: dict[str, object], line: str) -> None:
    assert correct(served, operation).status_code == 200
    assert line in (served.folder / "small.corrections.tsv").read_text().splitlines()
    assert built(served, terms=list(TERMS))["state"] == "done"


def test_contradictions_are_refused_and_nothing_of_the_request_is_saved(served: Running) -> None:
    before = (served.folder / "small.corrections.tsv").read_bytes()
    for operations in (
        [{"op": "add", "term": "owl"}, {"op": "move", "child": "animal", "parent": "poodle"}],
        [{"op": "merge", "term": "dog", "into": "dog"}],
        [{"op": "edit", "add": [{"verb": "forbid", "term": "dog", "other": "animal"}], "remove": []}],
    ):
        answer = correct(served, *operations)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "contradiction"), answer.text
    assert (served.folder / "small.corrections.tsv").read_bytes() == before


def test_an_outdated_version_is_refused_and_the_present_one_told(served: Running) -> None:
    old = version(served)
    assert correct(served, {"op": "add", "term": "owl"}).status_code == 200
    late = correct(served, {"op": "add", "term": "bat"}, of=old)
    assert (late.status_code, late.json()["error"]["code"]) == (409, "version_conflict")
    assert late.json()["error"]["version"] == version(served)
    with (served.folder / "small.corrections.tsv").open("a") as file:  # an editor is a program like any other
        file.write("add\tbee\n")
    assert correct(served, {"op": "add", "term": "bat"}, of=late.json()["error"]["version"]).status_code == 409


def test_corrections_survive_a_killed_server(serve: Serve, small: Path, tmp_path: Path) -> None:
    """Killed amid a series of steps: every step that was answered is in the file, and the file is whole."""
    first = serve(str(small), "--corrections", str(tmp_path))
    answered = []
    for number in range(30):
        answer = correct(first, {"op": "add", "term": f"owl {number}", "parent": "animal"})
        assert answer.status_code == 200
        answered.append(f"force\towl {number}\tanimal")
        if number == 29:
            first.process.kill()
    first.process.wait()
    lines = (tmp_path / "small.corrections.tsv").read_text().splitlines()
    assert set(answered) <= set(lines)
    second = serve(str(small), "--corrections", str(tmp_path))
    assert len(second.get("corrections/small").json()["entries"]) == 2 * len(answered)
    assert list(tmp_path.glob("*.tmp*")) == []


def test_exports_follow_corrections_and_the_least_confidence(served: Running) -> None:
    job = built(served, terms=list(TERMS))
    correct(served, {"op": "move", "child": "apple", "parent": "vehicle"})
    export = job["links"]["export"]
    rows = served.client.get(export, params={"format": "tsv"})
    assert rows.headers["content-disposition"] == 'attachment; filename="taxonomy.tsv"'
    assert "apple\tvehicle" in rows.text and "apple\tfruit" not in rows.text
    as_built = served.client.get(export, params={"format": "tsv", "corrections": "false"}).text
    assert "apple\tfruit" in as_built
    sure = served.client.get(export, params={"format": "json", "min_confidence": 1}).json()
    assert len(sure["edges"]) == len(EDGES)  # experts are sure
    none = served.client.get(export, params={"format": "json", "min_confidence": 1.01}).json()
    assert none["edges"] == [] and set(none["unplaced"]) == set(TERMS)


def test_the_worklist_has_the_least_sure_edges_first(server: Running) -> None:
    job = built(server, top=300)
    work = server.client.get(job["links"]["worklist"], params={"top": 5}).json()
    tree = server.client.get(job["links"]["tree"]).json()
    least = sorted(edge["confidence"] for edge in tree["edges"] if edge["reason"] != "expert")
    assert [edge["confidence"] for edge in work["edges"]] == pytest.approx(least[:5])
    assert work["left"] == len(least)
    for edge in work["edges"]:
        assert edge["parent"] not in [other["term"] for other in edge["alternatives"]]
