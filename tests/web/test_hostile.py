"""Requests that nobody should send: each has a clean answer, and the server goes on."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperdive.web import limits
from tests.web.conftest import Running

JSON = {"content-type": "application/json"}


def raw(running: Running, data: bytes, *, wait: float = 30) -> bytes:
    """Everything that the server answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", running.port), wait) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


def alive(running: Running) -> None:
    assert running.get("server").status_code == 200
    assert "Traceback" not in running.log()


def test_huge_bodies_are_refused_without_being_read(server: Running) -> None:
    declared = raw(
        server,
        b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 99999999999\r\n\r\n{",
    )
    assert declared.startswith(b"HTTP/1.1 413") and b"too_large" in declared

    def endless() -> object:
        for _ in range(200):
            yield b" " * 65536

    try:
        answer = server.client.post("/api/v1/score", content=endless(), headers=JSON)  # type: ignore[arg-type]
        assert answer.status_code == 413
    except Exception as error:  # the connection may be closed while the client still writes
        assert "Write" in type(error).__name__ or "Read" in type(error).__name__ or "Protocol" in type(error).__name__
    alive(server)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe{}",
        b'{"pairs": [["\xc3\x28", "dog"]]}',
        b'{"pairs": [["\\ud800", "dog"]]}',
        b'{"pairs": [["a\\u0000b", "dog"]]}',
        b'{"pairs": NaN}',
        b'{"pairs": [["dog", "animal"]], "scores": [1e999]}',
        b'{"pairs": [["dog"]]}',
        b'{"pairs": {"0": "dog"}}',
        b'{"pairs": [["dog", "animal"]], "nonsense": 1}',
        b'{"pairs": [["dog", "animal"]], "model": 7}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
    ],
)
def test_bodies_that_are_no_message(server: Running, body: bytes) -> None:
    answer = server.client.post("/api/v1/score", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request"), body[:40]
    alive(server)


@pytest.mark.parametrize(
    "query",
    [
        "term=%ff%fe",
        "term=%c3%28",
        "term=dog%00",
        "term=%ed%a0%80",
        "&".join(["term=dog"] * 5000),
        "term=dog&term[]=x",
        "%",
    ],
)
def test_queries_that_are_no_message(server: Running, query: str) -> None:
    answer = raw(
        server, f"GET /api/v1/hypernyms?{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    )
    assert answer.startswith(b"HTTP/1.1 400"), answer[:80]
    alive(server)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + b"X: y\r\n" * 10_000 + b"\r\n",
        b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
        b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json"
        b"\r\nConnection: close\r\n\r\nzz\r\n",
    ],
)
def test_bytes_that_are_no_request(server: Running, data: bytes) -> None:
    try:
        answer = raw(server, data)
    except ConnectionError:
        answer = b""
    assert answer == b"" or answer.split(b" ", 2)[1] in (b"400", b"421"), answer[:80]
    alive(server)


def test_slow_clients_are_cut_off_and_hold_nobody_up(server: Running) -> None:
    """Fifty clients that send a byte now and then: heads that never end, and a body that never comes."""
    head = b"GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\nX: "
    body = b"POST /api/v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
    slow = [socket.create_connection(("127.0.0.1", server.port), 30) for _ in range(51)]
    began = time.monotonic()
    for connection in slow[1:]:
        connection.sendall(head)
    slow[0].sendall(body)
    assert server.get("suggest", q="po").status_code == 200
    assert time.monotonic() - began < limits.REQUEST_SECONDS, "the quick client waited for the slow ones"
    for connection in slow[1:]:
        connection.sendall(b"y")
    answers = []
    for connection in slow:
        connection.settimeout(limits.REQUEST_SECONDS + 10)
        answers.append(b"".join(iter(lambda connection=connection: connection.recv(4096), b"")))  # type: ignore[misc]
        connection.close()
    assert time.monotonic() - began >= limits.REQUEST_SECONDS - 1
    assert {answer.split(b" ", 2)[1] for answer in answers} == {b"408"}
    alive(server)


def test_a_client_that_leaves_early_is_no_defect(server: Running) -> None:
    for data in (b"GET /api/v1/topics HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /api/v1/score HTTP/1.1\r\nHo"):
        with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
            connection.sendall(data)
    alive(server)


def test_too_much_at_one_time_is_refused_with_a_hint(serve: Callable[..., Running]) -> None:
    running = serve("en-wiki")
    jobs = limits.RUNNING_JOBS + limits.WAITING_JOBS
    built = [running.post("taxonomies", top=3000 + number) for number in range(jobs + 1)]
    assert [answer.status_code for answer in built] == [202] * jobs + [429]
    assert built[-1].headers["retry-after"] and "cancel one" in built[-1].json()["error"]["hint"]
    for answer in built[:-1]:
        running.client.delete(answer.json()["links"]["self"])
    body = json.dumps({"terms": ["animal"] * limits.TERMS, "top": 1000}).encode()
    head = f"POST /api/v1/hyponyms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    clients = [socket.create_connection(("127.0.0.1", running.port), 30) for _ in range(limits.QUESTIONS + 5)]
    for client in clients:
        client.sendall(f"{head}\r\n\r\n".encode() + body)
    answers = [client.recv(4096) for client in clients[-3:]]
    assert all(answer.startswith(b"HTTP/1.1 429") and b"retry-after" in answer for answer in answers)
    for client in clients:
        client.close()


def test_text_of_the_corpus_is_escaped_in_every_file(
    serve: Callable[..., Running], small: Path, tmp_path: Path
) -> None:
    running = serve(str(small), "--corrections", str(tmp_path))
    evil = '<script>alert("x")</script> & \\"]; \''
    version = running.get("corrections/small").json()["version"]
    saved = running.post(
        "corrections/small", version=version, operations=[{"op": "add", "term": evil, "parent": "dog"}]
    )
    assert saved.status_code == 200, saved.text
    job = running.post("taxonomies", terms=["animal", "dog", evil]).json()
    while (state := running.client.get(job["links"]["self"]).json()["state"]) in ("waiting", "running"):
        time.sleep(0.05)
    assert state == "done"
    for format in running.get("server").json()["formats"]:
        answer = running.client.get(job["links"]["export"], params={"format": format["name"]})
        assert answer.status_code == 200 and answer.headers["content-disposition"].startswith("attachment")
        assert "text/html" not in answer.headers["content-type"]
        if format["name"] not in ("tsv", "tree", "json", "skos-ttl", "owl-ttl", "dot"):
            assert "<script>" not in answer.text, format["name"]
    tree = running.client.get(job["links"]["tree"])
    assert tree.headers["content-type"] == "application/json" and json.loads(tree.text)["terms"]
