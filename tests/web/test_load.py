"""Many clients at one time have no error; `bench/serve.py` measures how fast they are answered."""

from __future__ import annotations

import pytest

from hyperdive import load as load_model
from tests.web.conftest import Running
from tests.web.load import load, questions


def mixed(words: list[str]) -> list[str]:
    """What people in front of the page ask for: completions most of all."""
    paths = []
    for word in words:
        paths += [
            f"/api/v1/suggest?q={word[:3]}",
            f"/api/v1/suggest?q={word[:5]}",
            *questions([word]),
            f"/api/v1/similar?term={word}",
            f"/api/v1/evidence?hyponym={word}&hypernym=animal",
            "/api/v1/server",
            "/",
        ]
    return paths


@pytest.fixture(scope="module")
def words() -> list[str]:
    """Words with letters only, the most frequent ones."""
    return [word for word in load_model("en-wiki").words[:600] if word.isascii() and word.isalpha()]


def test_twenty_clients_for_three_seconds_have_no_error(server: Running, words: list[str]) -> None:
    seen = load(server.port, mixed(words[:40]), clients=20, seconds=3)
    assert seen.errors == (), seen.errors[:5]
    assert len(seen.seconds) >= 20  # one for each client, however busy the machine is


@pytest.mark.slow
def test_fifty_clients_for_thirty_seconds_have_no_error(
    server: Running, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = load(server.port, mixed(words), clients=50, seconds=30)
    assert seen.errors == (), seen.errors[:5]
    with capsys.disabled():
        rate = len(seen.seconds) / seen.duration
        print(f"\n50 clients, 30 s: {rate:.0f} answers/s, p95 {1000 * seen.percentile(0.95):.0f} ms")  # noqa: T201
    assert "Traceback" not in server.log()
