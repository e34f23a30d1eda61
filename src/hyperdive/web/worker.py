"""A process that answers questions for a server: a question per frame in, an answer per frame out.

python -P -m hyperdive.web.worker

A frame is its length in four bytes and so many bytes. The first one in lists the models, the first one out says which
versions of them were opened. The process ends when its input does, so that it does not outlive the server.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import time
import traceback
from dataclasses import fields
from threading import Thread
from typing import Any, BinaryIO

from hyperdive import _resources
from hyperdive.errors import Error
from hyperdive.kernels import claim_process
from hyperdive.scores._blocks import kernels
from hyperdive.web.answers import written
from hyperdive.web.endpoints import ENDPOINTS, Endpoint
from hyperdive.web.problems import Problem, problem_of
from hyperdive.web.schema import plain, read_message
from hyperdive.web.served_models import Catalogue, open_models
from hyperdive.web.service import Service

HEAD_BYTES = 4
_WATCH_SECONDS = 1.0
_APART = {endpoint.name: endpoint for endpoint in ENDPOINTS if endpoint.apart}
ANSWER, PROBLEM, DEFECT = b"a", b"p", b"d"
"""The first byte of a reply: an answer in JSON, an error for the client in JSON, the name of an exception."""


def frame(content: bytes) -> bytes:
    """Content behind its length.

    >>> frame(b"dog")
    b'\\x00\\x00\\x00\\x03dog'
    """
    return len(content).to_bytes(HEAD_BYTES, "big") + content


def question(endpoint: Endpoint, message: Any) -> bytes:
    """A request as a worker reads it: the fields that are not as they are by default."""
    given = {field.name: getattr(message, field.name) for field in fields(message)}
    said = {field.name: given[field.name] for field in fields(message) if given[field.name] != field.default}
    return json.dumps([endpoint.name, plain(said)]).encode()


def answer_of(reply: bytes) -> bytes:
    """The answer in the reply of a worker; an error is raised as the question would have raised it."""
    kind, content = reply[:1], reply[1:]
    if kind == ANSWER:
        return content
    if kind == PROBLEM:
        told = json.loads(content)
        raise Problem(told["code"], told["message"], hint=told["hint"], near=tuple(told["near"]))
    raise Problem("failed", f"the server failed: {content.decode()}")


def versions(catalogue: Catalogue) -> bytes:
    """Which models there are, and a hash of each."""
    return json.dumps({name: served.version for name, served in catalogue.models.items()}).encode()


def reply_to(service: Service, asked: bytes) -> bytes:
    """Answer a question."""
    name, values = json.loads(asked)
    endpoint = _APART[name]
    try:
        return ANSWER + written(endpoint.work(service, read_message(endpoint.request, values)))
    except Problem as problem:
        told = problem
    except Error as error:
        told = problem_of(error)
    except Exception as defect:
        traceback.print_exc()
        return DEFECT + type(defect).__name__.encode()
    return PROBLEM + json.dumps(told.content()["error"]).encode()


def _received(stream: BinaryIO) -> bytes | None:
    """The next frame; None when the server has closed the pipe or is gone."""
    head = stream.read(HEAD_BYTES)
    return stream.read(int.from_bytes(head, "big")) if len(head) == HEAD_BYTES else None


def _send(stream: BinaryIO, content: bytes) -> None:
    stream.write(frame(content))
    stream.flush()


def _watch(server: int) -> None:
    """End the process in the middle of a long question whose server is gone."""
    while os.getppid() == server:  # the number of a server that is gone stays the same on Windows alone
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


def main() -> None:
    """Answer until there is no more input."""
    claim_process()
    _resources.default_threads = 1  # the other cores are for the other workers
    gc.set_threshold(100_000, 50, 50)  # questions make many small lists and no garbage
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the pipe
    Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    questions, replies = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    places = _received(questions)
    if places is None:
        return
    catalogue = open_models(json.loads(places), read_only=True)
    service = Service(catalogue, read_only=True)
    kernels.load()
    for served in catalogue.models.values():
        for word in served.model.words[:2]:
            served.model.hypernyms([word])
    gc.freeze()  # what was read lasts, and need not be looked through for garbage
    with contextlib.suppress(BrokenPipeError):
        _send(replies, versions(catalogue))
        while (asked := _received(questions)) is not None:
            _send(replies, reply_to(service, asked))
    os._exit(0)  # the memory of the models need not be taken down first


if __name__ == "__main__":
    main()
