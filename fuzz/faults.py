"""`python -m fuzz.faults`: every verb that writes, killed or hindered at each of its write events, and what is left.

A verb runs in a child process with an audit hook that counts what it does to the disk: files opened for writing,
renames, removals, new folders. At the chosen event the process is killed (SIGKILL), or the call fails (full disk,
input/output error, no permission). Then the outcome is looked at, and the same command is run again.

| outcome | the output is |
| --- | --- |
| none | not there |
| old | what it was before, whole |
| new | what an undisturbed run makes, byte for byte |

Everything else is a finding: other bytes, an output that does not open, a trace, files left behind after the same
command was run again, or a second run that does not make the same bytes.
"""

from __future__ import annotations

import argparse
import errno
import hashlib
import io
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fuzz import folders

FAULTS = {"kill": 0, "full": errno.ENOSPC, "eio": errno.EIO, "eacces": errno.EACCES}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink"}


@dataclass(frozen=True)
class Scenario:
    """A verb with its arguments; `{healthy}` and `{here}` are folders."""

    name: str
    arguments: tuple[str, ...]
    output: str
    resumes: bool = False
    changes: bool = False
    """Whether the verb changes its input, which is then a copy."""
    keeps: str = ""
    """A file that stays next to the output: the lock under which it is written."""
    call: Callable[[Path, Path], None] | None = None
    """What is done in the place of a command line, with the folders `{healthy}` and `{here}`."""


def _correct(healthy: Path, here: Path) -> None:
    """What the explorer does when a user accepts an edge of a taxonomy."""
    from hyperdive.web import taxonomies
    from hyperdive.web import taxonomy_messages as messages
    from hyperdive.web.service import Service, open_models

    models = open_models([str(healthy / "model")], corrections=here)
    operation = messages.Accept(op="accept", child="poodle", parent="dog")
    request = messages.CorrectionsContent(version=models[None].corrections().version, operations=[operation])
    taxonomies.change(Service(models), "model", request)


def _fetch(healthy: Path, here: Path) -> None:
    """`datasets fetch` of one file from a server on loopback."""
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from unittest.mock import patch

    from hyperdive.benchmark import datasets, download

    content = (healthy / "upstream" / "o" / "r" / "raw" / "abc" / "pairs.tsv").read_bytes()
    sha = hashlib.sha256(content).hexdigest()
    entry = datasets.ManifestEntry("LEDS", "out.tsv", sha, len(content), "o/r", "pairs.tsv", "abc", "none")
    spec = datasets.Spec("LEDS", ("out.tsv",), "label and header", 1, 1)
    handler = partial(SimpleHTTPRequestHandler, directory=str(healthy / "upstream"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            with (
                patch.object(download, "manifest", lambda: {"out.tsv": entry}),
                patch.object(download, "spec_of", lambda _: spec),
            ):
                download.fetch(here, ["LEDS"], upstream=f"http://127.0.0.1:{server.server_port}", pause=0.01)
        finally:
            server.shutdown()


_FEW = (
    "--dimensions",
    "8",
    "--set",
    "pmi_filter=none",
    "--set",
    "passes=4",
    "--threads",
    "1",
    "--set",
    "progress=none",
)
SCENARIOS = (
    Scenario("encode", ("encode", "{healthy}/text.txt", "-o", "{here}/out", "--min-count", "3", "--threads", "1",
                        "--set", "progress=none"), "out"),
    Scenario("encode --force", ("encode", "{healthy}/text.txt", "-o", "{here}/out", "--min-count", "3", "--threads",
                                "1", "--set", "progress=none", "--force"), "out"),
    Scenario("count", ("count", "{healthy}/corpus", "-o", "{here}/out", "--threads", "1", "--set", "progress=none"),
             "out", resumes=True),
    Scenario("count --merge", ("count", "--merge", "{healthy}/first", "{healthy}/second", "-o", "{here}/out",
                               "--threads", "1", "--set", "progress=none"), "out", resumes=True),
    Scenario("train", ("train", "{healthy}/corpus", "-o", "{here}/out", *_FEW), "out", resumes=True),
    Scenario("train TEXT", ("train", "{healthy}/text.txt", "-o", "{here}/out", "--min-count", "3", *_FEW), "out",
             resumes=True),
    Scenario("train --force", ("train", "{healthy}/counts", "-o", "{here}/out", *_FEW, "--force"), "out", resumes=True),
    Scenario("add", ("add", "{healthy}/model", "{healthy}/text.txt", "-o", "{here}/out", "--threads", "1",
                     "--set", "progress=none"), "out"),
    Scenario("taxonomy", ("taxonomy", "--top", "6", "-m", "{healthy}/model", "--format", "tsv", "-o", "{here}/out.tsv"),
             "out.tsv"),
    Scenario("score", ("score", "{healthy}/pairs.tsv", "-m", "{healthy}/model", "-s", "C·ΔS", "-o", "{here}/out.tsv",
                       "--set", "progress=none"), "out.tsv"),
    Scenario("export", ("export", "{healthy}/model", "{here}/out.vec"), "out.vec"),
    Scenario("import", ("import", "{healthy}/vectors.vec", "-o", "{here}/out"), "out"),
    Scenario("datasets fetch", (), "out.tsv", call=_fetch, resumes=True),
    Scenario("serve (corrections)", (), "model.corrections.tsv", call=_correct,
             keeps=".model.corrections.tsv.lock"),
    Scenario("info --drop-text", ("info", "{here}/out", "--drop-text"), "out", changes=True),
)  # fmt: skip


@dataclass
class Outcomes:
    """What became of one verb under one fault, over all its events."""

    verb: str
    fault: str
    events: int = 0
    states: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)

    def row(self) -> str:
        """A line of the table."""
        states = ", ".join(f"{name} {self.states[name]}" for name in ("none", "old", "new") if self.states[name])
        return f"| {self.verb} | {self.fault} | {self.events} | {states} | {len(self.found)} |"


def prepare(folder: Path) -> Path:
    """Healthy inputs of all verbs."""
    places = folders.make(folder)
    (folder / "pairs.tsv").write_text("poodle\tdog\ncat\tanimal\napple\tfruit\n", encoding="utf-8")
    labelled = "poodle\tdog\tTrue\ndog\tpoodle\tFalse\ncat\tanimal\tTrue\nanimal\tcat\tFalse\n"
    (folder / "labelled.tsv").write_text(labelled, encoding="utf-8")
    upstream = folder / "upstream" / "o" / "r" / "raw" / "abc"
    upstream.mkdir(parents=True, exist_ok=True)
    (upstream / "pairs.tsv").write_text("word1\tword2\tlabel\n" + labelled, encoding="utf-8")
    lines = folders.sentences()
    for name, part in (("first", lines[:200]), ("second", lines[200:])):
        if not (folder / name).exists():
            (folder / f"{name}.txt").write_text("\n".join(part), encoding="utf-8")
            _quietly(["encode", str(folder / f"{name}.txt"), "-o", str(folder / f"{name}-corpus"), "--min-count", "3"])
            _quietly(["count", str(folder / f"{name}-corpus"), "-o", str(folder / name)])
    if not (folder / "vectors.vec").exists():
        _quietly(["export", str(places["model"]), str(folder / "vectors.vec")])
    return folder


def _quietly(arguments: list[str], call: Callable[[], None] | None = None) -> tuple[int, str]:
    """Run a verb (or a call) in this process; its exit code and what it wrote to stderr."""
    import contextlib

    from hyperdive.cli.main import main
    from hyperdive.errors import Error

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        if call is None:
            code = main(arguments)
            return code, err.getvalue()
        try:
            call()
        except Error as error:
            return 1, f"hyperdive: {error}\n"
    return 0, ""


def in_child(function: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """Run a function in a child; its exit code (-9 when it was killed) and message."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            code, text = function()
        except BaseException as error:
            code, text = 99, f"Traceback: {error!r}"
        os.write(write, text[-4_000:].encode())
        os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    return (-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)), text


class Hook:
    """Counts write events below a folder, and strikes at one of them."""

    def __init__(self, folder: Path, at: int = -1, fault: str = "kill", *, lasting: bool = False) -> None:
        self.folder, self.at, self.fault, self.lasting = str(folder), at, fault, lasting
        self.events = 0
        self.own = os.getpid()

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(flags, int) or not flags & _WRITES:
                return
        elif event in _EVENTS:
            path = arguments[0]
        else:
            return
        if not isinstance(path, str | bytes | os.PathLike) or os.getpid() != self.own:
            return
        if not os.fsdecode(path).startswith(self.folder) and event != "os.rmdir":
            return
        self.events += 1
        if self.events == self.at or (self.lasting and 0 < self.at < self.events and event in ("open", "os.mkdir")):
            if self.fault == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(FAULTS[self.fault], os.strerror(FAULTS[self.fault]), os.fsdecode(path))


def state(path: Path) -> str:
    """A hash of everything in a file or folder; "" where there is none."""
    if not os.path.lexists(path):
        return ""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    sha = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file():
            sha.update(f"{file.relative_to(path)}\n".encode())
            sha.update(hashlib.sha256(file.read_bytes()).digest())
    return sha.hexdigest()


class Trial:
    """One scenario in a folder of its own."""

    def __init__(self, scenario: Scenario, healthy: Path, work: Path) -> None:
        self.scenario, self.healthy, self.here = scenario, healthy, work / "here"
        self.arguments = [part.format(healthy=healthy, here=self.here) for part in scenario.arguments]
        self.output = self.here / scenario.output

    def reset(self) -> None:
        """The folder as it is before the verb."""
        shutil.rmtree(self.here, ignore_errors=True)
        self.here.mkdir(parents=True)
        if self.scenario.changes:
            shutil.copytree(self.healthy / "corpus", self.output)
        elif "--force" in self.arguments:
            shutil.copytree(
                self.healthy / ("lines" if self.scenario.name.startswith("encode") else "sparse"), self.output
            )

    def run(self, hook: Hook | None = None) -> tuple[int, str]:
        """The verb in a child."""

        def in_process() -> tuple[int, str]:
            if hook is not None:
                hook.own = os.getpid()
                sys.addaudithook(hook)
            code, text = self.work()
            return code, f"{hook.events if hook else 0}\n{text}"

        return in_child(in_process)

    def work(self) -> tuple[int, str]:
        """The verb in this process; its exit code and messages."""
        call = self.scenario.call
        return _quietly(self.arguments, None if call is None else lambda: call(self.healthy, self.here))

    def litter(self) -> list[str]:
        """What is next to the output."""
        inside = [path for path in self.output.rglob("*") if ".partial-" in path.name] if self.output.is_dir() else []
        own = (self.scenario.output, self.scenario.keeps)
        return [path.name for path in [*self.here.iterdir(), *inside] if path.name not in own]


def matrix(
    scenario: Scenario, fault: str, healthy: Path, work: Path, *, every: int = 1, lasting: bool = False
) -> Outcomes:
    """Strike at every (or every n-th) event of a verb."""
    trial = Trial(scenario, healthy, work)
    outcomes = Outcomes(scenario.name, fault)
    trial.reset()
    old = state(trial.output)
    trial.work()  # children find everything loaded
    trial.reset()
    code, text = trial.run(Hook(trial.here))
    if code != 0:
        outcomes.found.append(f"undisturbed: {code} {text}")
        return outcomes
    events, new = int(text.split("\n", 1)[0]), state(trial.output)
    names = {"": "none", new: "new", **({old: "old"} if old else {})}
    for at in range(1, events + 1, every):
        trial.reset()
        code, text = trial.run(Hook(trial.here, at, fault, lasting=lasting))
        outcomes.events += 1
        message = text.partition("\n")[2]
        if fault == "kill" and code != -signal.SIGKILL:
            continue  # fewer events this time
        told = [line for line in message.splitlines() if line.startswith("hyperdive: ")]
        if fault != "kill" and ("Traceback" in text or code not in (0, 1) or (code and len(told) != 1)):
            outcomes.found.append(f"{at}: exit {code}: {text[:300]}")
        found = names.get(state(trial.output), "other")
        if scenario.changes and found == "other":
            found = "old"  # judged by what a second call leaves
        outcomes.states[found] += 1
        if found == "other":
            outcomes.found.append(f"{at}: an output of other bytes: {sorted(p.name for p in trial.here.iterdir())}")
        if fault != "kill" and code != 0 and not scenario.resumes and (left := trial.litter()):
            outcomes.found.append(f"{at}: left behind: {left}")
        again(trial, at, new, outcomes)
    return outcomes


def again(trial: Trial, at: int, new: str, outcomes: Outcomes) -> None:
    """The same command once more: it makes the same bytes, or refuses what is complete, and leaves nothing."""
    there = state(trial.output) == new and "--force" not in trial.arguments
    code, text = trial.run()
    if code != 0 and not there:
        outcomes.found.append(f"{at}: again: exit {code}: {text[:300]}")
    if state(trial.output) != new:
        outcomes.found.append(f"{at}: again: other bytes")
    if left := trial.litter():
        outcomes.found.append(f"{at}: again: left behind: {left}")


def main() -> int:
    """Print the table; the exit code is 1 when something was found."""
    from fuzz import surroundings

    kinds = [*FAULTS, *surroundings.KINDS]
    parser = argparse.ArgumentParser(prog="python -m fuzz.faults", description=__doc__)
    parser.add_argument("verbs", nargs="*", help="names of scenarios; none are all")
    parser.add_argument("--faults", default=",".join(kinds), help=f"which of {', '.join(kinds)}, separated by commas")
    parser.add_argument("--every", type=int, default=1, help="strike at every n-th event only")
    parser.add_argument("--folder", type=Path, help="where healthy inputs are made, and kept")
    options = parser.parse_args()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="hyperdive-faults-", dir=memory) as temporary:
        healthy, work = prepare(options.folder or Path(temporary) / "healthy"), Path(temporary)
        if "foreign" in options.faults:
            surroundings.readable(healthy)
            work.chmod(0o755)
        print("| verb | fault | events | outcomes | findings |\n| --- | --- | --- | --- | --- |")
        for scenario in SCENARIOS:
            if options.verbs and scenario.name not in options.verbs:
                continue
            for fault in options.faults.split(","):
                outcomes: Outcomes | None
                if fault in FAULTS:
                    outcomes = matrix(scenario, fault, healthy, work, every=options.every, lasting=fault == "full")
                else:
                    outcomes = surroundings.KINDS[fault](scenario, healthy, work)
                if outcomes is None:
                    continue  # this machine or user cannot make that trouble
                print(outcomes.row(), flush=True)
                for line in outcomes.found[:10]:
                    print(f"    {line}", flush=True)
                found += outcomes.found
    return 1 if found else 0


if __name__ == "__main__":
    from fuzz.faults import main as main_of_the_module  # the module that `surroundings` imports

    sys.exit(main_of_the_module())
