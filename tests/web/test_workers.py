"""Processes that answer questions: the same bytes as without them, in turn, and no harm when one dies or the server does."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hyperdive import _resources
from hyperdive.errors import Error
from hyperdive.web import app
from hyperdive.web import messages as m
from hyperdive.web import worker as worker_module
from hyperdive.web import workers as workers_module
from hyperdive.web.answers import written
from hyperdive.web.endpoints import ENDPOINTS, Endpoint
from hyperdive.web.problems import Problem, problem_of
from hyperdive.web.schema import plain, read_message
from hyperdive.web.served_models import Catalogue, open_models
from hyperdive.web.service import Service
from hyperdive.web.worker import DEFECT, answer_of, question, reply_to
from hyperdive.web.workers import CROWD, NoWorkers, Workers, default_workers
from tests.web.conftest import Running
from tests.web.load import load, questions
from tests.web.small_model import TERMS

stops_processes = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
reads_proc = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")

MESSAGES = {
    "/hypernyms": m.HypernymsQuery(("poodle", "café"), top=3, evidence=1, min_confidence=0.1),
    "/hyponyms": m.AnswersQuery(("animal",), block=("dog",)),
    "/similar": m.SimilarQuery(("dog",), top=2),
    "/explain": m.ExplainQuery("dog", "animal"),
    "/compare": m.CompareQuery(("dog", "animal")),
    "/topics": m.TopicsQuery(),
    "/general": m.GeneralQuery(),
    "/score": m.ScoreQuery((("dog", "animal"), ("dog", "unicorn"))),
}
APART = [endpoint for endpoint in ENDPOINTS if endpoint.apart]
HYPERNYMS = next(endpoint for endpoint in APART if endpoint.path == "/hypernyms")


@pytest.fixture(scope="module")
def catalogue(small: Path) -> Catalogue:
    return open_models([str(small)], read_only=True)


@pytest.fixture(scope="module")
def service(catalogue: Catalogue) -> Service:
    return Service(catalogue, read_only=True)


def in_loop(work: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine on a thread of its own: the browser's tests may have an event loop on this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def asked_about(term: str) -> bytes:
    return question(HYPERNYMS, m.HypernymsQuery((term,)))


def with_workers(catalogue: Catalogue, count: int, work: Callable[[Workers], Awaitable[None]]) -> None:
    """Do something with so many workers that all run."""

    async def run() -> None:
        workers = Workers(catalogue, count)
        workers.start()
        try:
            await running(workers, count)
            await work(workers)
        finally:
            await workers.close()
        assert not workers.ready

    in_loop(run())


async def running(workers: Workers, count: int, *, without: tuple[int, ...] = ()) -> list[int]:
    """The numbers of the processes, as soon as so many run that are none of these."""
    async with asyncio.timeout(60):
        while True:
            numbers = [one.process.pid for one in workers._running if one.process.pid not in without]
            if len(numbers) == count:
                return numbers
            await asyncio.sleep(0.02)


async def holder(workers: Workers) -> int:
    """The process that has a question."""
    await asyncio.sleep(0.1)
    (number,) = (one.process.pid for one in workers._running if one not in workers._idle)
    return number


# ---- what is said ------------------------------------------------------------------------------------------------------


def test_questions_to_the_model_alone_are_answered_apart() -> None:
    assert {endpoint.path for endpoint in APART} == MESSAGES.keys()
    assert all(endpoint.apart != endpoint.quick for endpoint in ENDPOINTS if endpoint.lasting)
    assert not any(endpoint.quick for endpoint in APART)


def test_work_without_a_number_of_threads_takes_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_resources, "default_threads", 7)
    assert (_resources.check_threads(None), _resources.check_threads(2)) == (7, 2)


@pytest.mark.parametrize("endpoint", APART, ids=lambda endpoint: endpoint.name)
def test_a_question_and_its_answer_survive_the_way(endpoint: Endpoint, service: Service) -> None:
    message = MESSAGES[endpoint.path]
    assert read_message(endpoint.request, json.loads(json.dumps(plain(message)))) == message
    assert answer_of(reply_to(service, question(endpoint, message))) == written(endpoint.work(service, message))


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("/explain", m.ExplainQuery("dgo", "animal")),
        ("/hypernyms", m.HypernymsQuery(("dog",), model="other")),
        ("/hypernyms", m.HypernymsQuery(("dog",), score="no such score")),
    ],
)
def test_errors_survive_the_way(endpoint: str, message: object, service: Service) -> None:
    asked = next(one for one in APART if one.path == endpoint)
    with pytest.raises((Problem, Error)) as here:
        asked.work(service, message)
    expected = problem_of(here.value) if isinstance(here.value, Error) else here.value
    assert isinstance(expected, Problem)
    with pytest.raises(Problem) as there:
        answer_of(reply_to(service, question(asked, message)))
    assert there.value.content() == expected.content() and there.value.status == expected.status


def test_a_defect_is_told_by_its_name_and_shown_in_the_log(
    service: Service, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worker_module, "written", lambda _: MESSAGES["no such key"])
    reply = reply_to(service, asked_about("dog"))
    assert reply == DEFECT + b"KeyError" and "Traceback" in capfd.readouterr().err
    with pytest.raises(Problem, match="KeyError") as failed:
        answer_of(reply)
    assert failed.value.status == 500


# ---- processes ---------------------------------------------------------------------------------------------------------


def test_workers_give_the_same_bytes_in_turn(catalogue: Catalogue, service: Service) -> None:
    async def work(workers: Workers) -> None:
        every = [(endpoint, MESSAGES[endpoint.path]) for endpoint in APART] * 3
        answers = await asyncio.gather(*(workers.ask(question(*one)) for one in every))
        assert answers == [written(endpoint.work(service, message)) for endpoint, message in every]
        with pytest.raises(Problem, match="dgo"):
            await workers.ask(question(*_explain("dgo")))

    with_workers(catalogue, 2, work)


def _explain(term: str) -> tuple[Endpoint, m.ExplainQuery]:
    return next(one for one in APART if one.path == "/explain"), m.ExplainQuery(term, "animal")


def test_who_waits_longest_is_next(catalogue: Catalogue) -> None:
    order: list[int] = []

    async def work(workers: Workers) -> None:
        async def ask(number: int) -> None:
            await workers.ask(asked_about("dog"))
            order.append(number)
            if number < 5:  # asks again at once, and goes behind those who wait already
                await ask(number + 10)

        await asyncio.gather(*map(ask, range(10)))

    with_workers(catalogue, 1, work)
    assert order == [*range(10), *range(10, 15)]


@stops_processes
def test_a_killed_worker_is_replaced_and_its_question_answered(
    catalogue: Catalogue, service: Service, capfd: pytest.CaptureFixture[str]
) -> None:
    async def work(workers: Workers) -> None:
        expected = written(HYPERNYMS.work(service, m.HypernymsQuery(("dog",))))
        first = await running(workers, 2)
        os.kill(first[0], signal.SIGKILL)  # while it has nothing to do
        os.kill(first[1], signal.SIGSTOP)
        (third,) = await running(workers, 1, without=tuple(first))
        asked = [asyncio.create_task(workers.ask(asked_about("dog"))) for _ in range(3)]
        await asyncio.wait(asked, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        os.kill(first[1], signal.SIGKILL)  # while it has a question
        assert await asyncio.gather(*asked) == [expected] * 3
        assert third in await running(workers, 2, without=tuple(first))

    with_workers(catalogue, 2, work)
    assert capfd.readouterr().err.count(f"ended (status -{signal.SIGKILL:d}); another one is started") == 2


@stops_processes
def test_a_question_that_ends_two_workers_is_refused(catalogue: Catalogue) -> None:
    async def work(workers: Workers) -> None:
        for number in await running(workers, 2):
            os.kill(number, signal.SIGSTOP)
        asked = asyncio.create_task(workers.ask(asked_about("dog")))
        for _ in range(2):
            os.kill(await holder(workers), signal.SIGKILL)
            await asyncio.sleep(0.1)
        with pytest.raises(Problem) as refused:
            await asked
        assert (refused.value.code, refused.value.status) == ("unavailable", 503)
        assert await workers.ask(asked_about("dog"))  # as soon as there is a new one

    with_workers(catalogue, 2, work)


@stops_processes
def test_a_question_that_takes_too_long_ends_its_worker_alone(catalogue: Catalogue) -> None:
    async def work(workers: Workers) -> None:
        (first,) = await running(workers, 1)
        os.kill(first, signal.SIGSTOP)
        late, waits = (asyncio.create_task(workers.ask(asked_about(term))) for term in ("dog", "cat"))
        given_up = asyncio.create_task(workers.ask(asked_about("cow")))
        await asyncio.sleep(0.1)
        given_up.cancel()
        late.cancel()
        await asyncio.wait([late, given_up])
        assert late.cancelled() and given_up.cancelled()
        assert json.loads(await waits)["results"][0]["term"] == "cat"
        assert await running(workers, 1, without=(first,))

    with_workers(catalogue, 1, work)


def test_a_model_that_changed_is_not_asked(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def run() -> None:
        monkeypatch.setattr(workers_module, "versions", lambda _: b'{"small": "another"}')
        workers = Workers(catalogue, 1)
        workers.start()
        with pytest.raises(NoWorkers):
            await workers.ask(asked_about("dog"))
        with pytest.raises(NoWorkers):
            await workers.ask(asked_about("dog"))
        assert not workers.ready
        await workers.close()

    in_loop(run())
    assert "a model has changed since the server was started" in capfd.readouterr().err


def test_workers_that_cannot_start_are_given_up(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def run() -> None:
        workers = Workers(catalogue, 2)
        workers.start()
        with pytest.raises(NoWorkers):
            await workers.ask(asked_about("dog"))

    monkeypatch.setattr(sys, "executable", str(Path(sys.executable).parent / "no-such-python"))
    in_loop(run())
    assert "without processes of their own" in capfd.readouterr().err


def test_workers_that_end_at_once_are_started_three_times(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    started = []

    async def start() -> workers_module._Worker:
        pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        started.append(await asyncio.create_subprocess_exec(sys.executable, "-c", "", **pipes))  # type: ignore[arg-type]
        return workers_module._Worker(started[-1])

    async def run() -> None:
        workers = Workers(catalogue, 1)
        workers.start()
        with pytest.raises(NoWorkers):
            await workers.ask(asked_about("dog"))

    monkeypatch.setattr(workers_module._Worker, "start", start)
    monkeypatch.setattr(workers_module, "_PAUSE_SECONDS", 0.01)
    in_loop(run())
    assert len(started) == 3 and all(process.returncode == 0 for process in started)
    assert "without processes of their own" in capfd.readouterr().err


def test_a_long_question_ends_with_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended(Exception):
        pass

    def end(code: int) -> None:
        raise Ended(code)

    parents = iter([7, 7, 1])
    monkeypatch.setattr(worker_module, "_WATCH_SECONDS", 0.001)
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    monkeypatch.setattr(os, "_exit", end)
    with pytest.raises(Ended):
        worker_module._watch(7)
    assert next(parents, None) is None


@pytest.mark.parametrize(
    ("content", "read"), [(b"\0\0\0\3dogs", b"dog"), (b"\0\0\0\0", b""), (b"\0\0", None), (b"", None)]
)
def test_frames_are_read_until_the_pipe_is_closed(content: bytes, read: bytes | None) -> None:
    assert worker_module._received(io.BytesIO(content)) == read


# ---- the server --------------------------------------------------------------------------------------------------------


def children(number: int) -> list[int]:
    lists = Path(f"/proc/{number}/task").glob("*/children")
    return [int(child) for file in lists for child in file.read_text().split()]


def exists(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def spent(number: int) -> int:
    return sum(map(int, Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[11:13]))


def crowd(running: Running) -> int:
    """Ask so much at one time that the worker is started; its number, as soon as it answers."""
    paths = questions(TERMS, "similar")
    for top in range(11, 300):
        here = children(running.process.pid)
        before = sum(map(spent, here))
        seen = load(running.port, [f"{path}&top={top}" for path in paths], clients=2 * CROWD, seconds=0.3)
        assert seen.errors == (), seen.errors[:3]
        after = sum(map(spent, here))
        time.sleep(0.2)
        if here and sum(map(spent, here)) == after > before:  # it works when there are questions, and rests otherwise
            return here[0]
    raise AssertionError("no worker was started")


@reads_proc
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_no_worker_outlives_the_server(name: str, serve: Callable[..., Running], small: Path) -> None:
    server = serve(str(small), "--workers", "1")
    worker = crowd(server)
    server.process.send_signal(signal.Signals[name])
    server.process.wait(15)
    end = time.monotonic() + 15
    while exists(worker) and time.monotonic() < end:
        time.sleep(0.05)
    assert not exists(worker)
    assert server.log() == ""


@reads_proc
def test_a_server_answers_the_same_when_its_worker_dies(
    serve: Callable[..., Running], small: Path, service: Service
) -> None:
    server = serve(str(small), "--workers", "1")
    worker = crowd(server)
    for term in TERMS[:6]:
        if term == TERMS[3]:
            os.kill(worker, signal.SIGKILL)
        answer = server.get("hypernyms", term=term)
        assert answer.content == written(HYPERNYMS.work(service, m.HypernymsQuery((term,))))
    assert server.get("explain", hyponym="dgo", hypernym="animal").json()["error"]["code"] == "unknown_term"
    assert crowd(server) != worker and "Traceback" not in server.log()


@reads_proc
@stops_processes
def test_a_question_that_a_stopping_server_cannot_answer_is_refused(serve: Callable[..., Running], small: Path) -> None:
    server = serve(str(small), "--workers", "1")
    os.kill(crowd(server), signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(server.get, "hypernyms", term="pear", top=7)
        time.sleep(0.3)
        server.process.terminate()
        answer = asked.result()
    assert answer.status_code == 503 and answer.json()["error"]["message"] == "the server is stopping"


def test_workers_are_started_by_more_questions_than_one_page_asks(service: Service) -> None:
    class Counted:
        starts, ready = 0, False

        def start(self) -> None:
            self.starts += 1

    server, workers = app._Server(service, 0), Counted()
    server._workers = workers  # type: ignore[assignment]
    for active, expected in ((1, 0), (CROWD, 0), (CROWD + 1, 1)):
        server._active = active
        in_loop(server._asked(HYPERNYMS, m.HypernymsQuery(("dog",))))
        assert workers.starts == expected


@reads_proc
def test_a_server_without_workers_starts_none(serve: Callable[..., Running], small: Path) -> None:
    server = serve(str(small), "--workers", "0")
    seen = load(server.port, questions(TERMS, "similar"), clients=2 * CROWD, seconds=1)
    assert seen.errors == () and children(server.process.pid) == []


@pytest.mark.parametrize(("cores", "workers"), [(1, 0), (2, 3), (3, 4), (4, 4), (64, 4)])
def test_there_is_one_worker_more_than_a_few_cores(cores: int, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "check_threads", lambda _: cores)
    assert default_workers() == workers
