"""Who is answered: hosts, origins, tokens; the headers of every answer; and no way from a request to a file."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from hyperdive.web import limits
from hyperdive.web.security import HEADERS
from hyperdive.web.server import listen
from tests.web.conftest import Running

Serve = Callable[..., Running]


@pytest.mark.parametrize("path", ["/", "/api/v1/server", "/api/v1/nothing", "/api/docs", "/nothing", "/icon.svg"])
def test_every_answer_has_the_security_headers(server: Running, path: str) -> None:
    headers = server.client.get(path).headers
    assert {name: headers.get(name) for name in HEADERS} == HEADERS
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert "server" not in headers and headers["cache-control"]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "10.0.0.1", ""])
def test_another_host_name_is_refused(server: Running, host: str) -> None:
    answer = server.client.get("/api/v1/server", headers={"host": host})
    assert answer.status_code in (400, 421)
    assert server.client.get("/", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("path", ["/", "/api/v1/server", "/api/v1/nothing"])
def test_head_is_answered_like_get_without_a_body(server: Running, path: str) -> None:
    head, get = server.client.head(path), server.client.get(path)
    assert (head.status_code, head.content) == (get.status_code, b"")


def test_names_of_this_machine_are_answered(server: Running) -> None:
    for host in ("localhost", f"127.0.0.1:{server.port}", "[::1]"):
        assert server.client.get("/api/v1/server", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    ],
)
def test_requests_of_other_sites_are_refused(server: Running, headers: dict[str, str]) -> None:
    for method, path in (("GET", "server"), ("POST", "taxonomies"), ("DELETE", "taxonomies/x")):
        answer = server.client.request(
            method, f"/api/v1/{path}", headers=headers, json={} if method == "POST" else None
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "cross_origin")


def test_a_form_of_another_site_cannot_write_and_a_link_can_read(server: Running) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert server.client.get("/", headers=link).status_code == 200
    assert server.client.get("/api/v1/server", headers=link).status_code == 200
    assert server.client.post("/api/v1/taxonomies", json={}, headers=link).status_code == 403
    form = server.client.post("/api/v1/taxonomies", data={"top": "5"})
    assert form.status_code == 415
    plain = server.client.post("/api/v1/taxonomies", content=b'{"top": 5}', headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    own = server.client.get("/api/v1/server", headers={"origin": server.address, "sec-fetch-site": "same-origin"})
    assert own.status_code == 200


def test_a_token_is_needed_where_there_is_one(serve: Serve, small: Path) -> None:
    running = serve(str(small), "--token", "correct-horse-battery")
    assert running.opened.endswith("/?token=correct-horse-battery")
    refused = [
        running.get("server"),
        running.client.get("/api/v1/server", headers={"authorization": "Bearer correct-horse"}),
        running.client.get("/api/v1/server", headers={"cookie": "hyperdive_token=wrong"}),
        running.client.get("/api/v1/server?token=correct-horse-battery"),
        running.client.get("/icon.svg"),
        running.client.post("/api/v1/taxonomies", json={"top": 5}),
    ]
    assert [answer.status_code for answer in refused] == [401] * 6
    page = running.client.get("/")
    assert page.status_code == 401 and "<form" in page.text and "correct" not in page.text
    bearer = {"authorization": "Bearer correct-horse-battery"}
    assert running.client.get("/api/v1/server", headers=bearer).status_code == 200
    signed = running.client.get("/?token=correct-horse-battery&x=1")
    assert signed.status_code == 303 and signed.headers["location"] == "/?x=1"
    cookie = signed.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
    assert running.client.get("/api/v1/server").status_code == 200  # the client keeps the cookie
    assert running.client.get("/").status_code == 200


def test_another_address_gets_a_token_of_its_own(serve: Serve, small: Path) -> None:
    running = serve(str(small), "--host", "0.0.0.0")
    token = running.opened.partition("?token=")[2]
    assert len(token) >= 24
    local = httpx.Client(base_url=f"http://127.0.0.1:{running.port}")
    assert local.get("/api/v1/server").status_code == 401
    assert local.get("/api/v1/server", headers={"authorization": f"Bearer {token}"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/assets/../../../pyproject.toml",
        "/..%2f..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..\\..\\server.py",
        "//etc/passwd",
        "/static/index.html",
        "/api/v1/taxonomies/..%2f..%2fserver",
        "/api/v1/corrections/..%2f..%2fetc%2fpasswd",
        "/index.html%00.css",
    ],
)
def test_no_path_of_a_request_opens_a_file(server: Running, path: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 20) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.split(b" ", 2)[1] in (b"400", b"404"), answer[:80]
    assert b"root:" not in answer and b"[project]" not in answer


def test_a_model_named_by_a_path_is_not_opened(server: Running, small: Path) -> None:
    for name in (str(small), "../small", "/etc"):
        answer = server.get("hypernyms", term="dog", model=name)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_model")


def test_a_read_only_server_saves_nothing(serve: Serve, small: Path, tmp_path: Path) -> None:
    running = serve(str(small), "--read-only", "--corrections", str(tmp_path))
    version = running.get("corrections/small").json()["version"]
    answer = running.post("corrections/small", version=version, operations=[{"op": "add", "term": "owl"}])
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "read_only")
    assert running.get("server").json()["read_only"] and list(tmp_path.glob("*.tsv")) == []


def test_a_folder_that_cannot_be_written_is_said(serve: Serve, small: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can write everywhere")
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    running = serve(str(small), "--corrections", str(folder))
    version = running.get("corrections/small").json()["version"]
    answer = running.post("corrections/small", version=version, operations=[{"op": "add", "term": "owl"}])
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_writable")


def test_what_is_served_can_be_checked_first(hyperdive: Callable[..., object], small: Path, tmp_path: Path) -> None:
    ran = hyperdive("serve", small, "--set", "check=yes", "--port", "1234", "--corrections", tmp_path)
    assert ran.code == 0  # type: ignore[attr-defined]
    shown = ran.out  # type: ignore[attr-defined]
    assert "http://127.0.0.1:1234/" in shown and "small:" in shown and "patterns, sentences, topics" in shown
    assert str(tmp_path / "small.corrections.tsv") in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--token", "short"), "a token has 8 or more"),
        (("--token", "has spaces in it"), "a token has 8 or more"),
        (("no-such-model",), "no-such-model"),
        (("--corrections", "no/such/folder"), "no such folder"),
        (("--host", "no.such.host.invalid", "--token", "long-enough-token"), "cannot listen"),
    ],
)
def test_wrong_options_are_one_line(hyperdive: Callable[..., object], arguments: tuple[str, ...], says: str) -> None:
    ran = hyperdive("serve", *arguments)
    assert ran.code != 0 and says in ran.err and len(ran.err.strip().splitlines()) <= 2  # type: ignore[attr-defined]


def test_a_port_in_use_is_said(server: Running, hyperdive: Callable[..., object]) -> None:
    ran = hyperdive("serve", "--port", server.port)
    assert ran.code != 0 and "choose another --port" in ran.err  # type: ignore[attr-defined]


def test_ctrl_c_stops_the_server_while_it_works(serve: Serve, small: Path) -> None:
    running = serve("en-wiki")
    running.post("taxonomies", top=4000)
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(15) in (0, 130, -2)
    assert "Traceback" not in running.log()


def test_every_limit_is_documented_with_its_value(server: Running) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "http.md").read_text(encoding="utf-8")
    table = page[page.index("## Limits") : page.index("## Security")]
    for name, value in limits.limits().items():
        rows = [line for line in table.splitlines() if f"`{name}`" in line]
        assert len(rows) == 1, name
        shown = f"{value >> 20} MB" if name.endswith("bytes") and value >= 1 << 20 else f"{value:,.0f}"
        shown = f"{int(value) >> 10} kB" if name == "header_bytes" else shown
        assert shown in rows[0], (name, shown)
    assert server.get("server").json()["limits"] == limits.limits()


def test_answers_are_sent_without_delay() -> None:
    """asyncio switches Nagle's delay off only for sockets whose protocol is named."""
    with listen("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP
