"""`python -m fuzz.rows`: each kind of failure that was found once, tried again with other seeds and other words.

python -m fuzz.rows                    all kinds, a new seed
python -m fuzz.rows lengths -n 200     one of them, 200 trials
python -m fuzz.rows --seed 7           the trials of another run again

A trial has a random generator of its own and says what went wrong, or nothing. It does what a user or a stranger can
do: folders are sealed again after they are damaged, commands run in processes of their own, and kills hit a random
write event.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import faults, folders
from fuzz.harness import memory, outcome
from fuzz.resealing import get_array, put_array, put_header, put_table, put_tensors
from hyperdive._store import HEADER

# training reads none of these files of a corpus
_UNREAD = {"document_sentences.npy", "sentences.npy", "documents.npy", "text.parquet"}
_DATA = (".bin", ".npy", ".parquet", ".txt")
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéñøπжñ漢字"


@dataclass(frozen=True)
class Place:
    """Where a trial works: healthy folders to copy from, and a folder of its own."""

    healthy: Path
    here: Path

    def copy(self, name: str) -> Path:
        """A copy of a healthy folder, to be damaged."""
        shutil.copytree(self.healthy / name, self.here / name)
        return self.here / name

    def run(self, line: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
        """A command in a shell; `{me}` is the program, `{healthy}` and `{here}` are folders."""
        me = f"{sys.executable} -W ignore -m hyperdive"
        command = line.format(me=me, healthy=self.healthy, here=self.here)
        environment = {**os.environ, **surroundings}
        return subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, timeout=300)


Trial = Callable[[random.Random, Place], str]


def word(choice: random.Random, least: int, most: int, letters: str = LETTERS) -> str:
    """A word that no text has."""
    return "".join(choice.choices(letters, k=choice.randint(least, most)))


def used(name: str, folder: Path) -> str:
    """Nothing where the folder holds or is refused in one line, else what happened."""
    told = outcome(lambda: folders.USES[name](folder))
    return "" if told == "held" or told.startswith("refused: ") else told


def refused(name: str, folder: Path) -> str:
    """Nothing where the folder is refused in one line, else what happened."""
    told = outcome(lambda: folders.USES[name](folder))
    return "" if told.startswith("refused: ") and "\n" not in told else told


# ---- folders of strangers -----------------------------------------------------------------------------------------


def lengths(choice: random.Random, place: Place) -> str:
    """1: negative row lengths of a model whose sum is right."""
    from safetensors.numpy import load_file

    folder = place.copy("model")
    values = load_file(folder / "model.safetensors")["dive.lengths"].astype(np.int64)
    one, other = choice.sample(range(len(values)), 2)
    step = int(values[other]) + choice.randint(1, 10**9)
    values[one] += step
    values[other] -= step
    put_tensors(folder, "model.safetensors", **{"dive.lengths": values})
    return refused("model", folder)


def stated(choice: random.Random, place: Place) -> str:
    """2: statements of patterns about terms, or by patterns, that are not there."""
    import pyarrow.parquet as pq

    name = choice.choice(("model", "corpus"))
    folder = place.copy(name) if name == "model" else place.copy(name) / "patterns"
    column = choice.choice(("hypo", "hyper", "pattern", "count"))
    values = pq.read_table(folder / "statements.parquet")[column].to_numpy().copy()
    wrong = 200 if column == "pattern" else choice.choice((-1, int(np.iinfo(values.dtype).max)))
    values[choice.randrange(len(values))] = wrong
    put_table(folder, "statements.parquet", **{column: values})
    return refused("model" if name == "model" else "patterns", folder)


def sparse(choice: random.Random, place: Place) -> str:
    """3: pointers and columns of a sparse space."""
    folder, file = place.copy("sparse"), choice.choice(("indptr.npy", "indices.npy"))
    values = get_array(folder, file)
    for at in choice.sample(range(len(values)), choice.randint(1, 5)):
        values[at] = choice.randint(-(2**31), 2**31 - 1)
    put_array(folder, file, values)
    return used("sparse", folder)


def fields(choice: random.Random, place: Place) -> str:
    """16: a field of a header missing, of another type, or a claim of very many dimensions."""
    name = choice.choice(("model", "corpus", "counts", "sparse", "gaussian", "lines"))
    folder = place.copy(name)
    header = json.loads((folder / HEADER).read_text())
    way, inner = [], header
    while isinstance(inner, dict) and inner:
        way.append(choice.choice(sorted(set(inner) - {"fingerprint"}) or sorted(inner)))
        inner = inner[way[-1]]
        if choice.randrange(3) == 0:
            break
    value = choice.choice((None, 2**31, 2**62, -1, "x", [], {}, 0.5, True, [[]], "é" * 900))
    if any("__" in part for part in way):
        return ""
    put_header(folder, **{"__".join(way): value})
    return used(name, folder)


def pipe(choice: random.Random, place: Place) -> str:
    """16: a pipe in the place of a file."""
    name = choice.choice(("model", "corpus", "counts", "sparse"))
    folder = place.copy(name)
    file = choice.choice(sorted(path.name for path in folder.iterdir() if path.is_file()))
    (folder / file).unlink()
    os.mkfifo(folder / file)
    return refused(name, folder)


def flip(choice: random.Random, place: Place) -> str:
    """5: one bit of a corpus, with its old checksum: neither `count` nor `train` uses it."""
    folder = place.copy("corpus")
    files = [
        path for path in folder.iterdir() if path.suffix in (".bin", ".npy", ".parquet", ".txt") and path.stat().st_size
    ]
    file = choice.choice(sorted(files))
    content = bytearray(file.read_bytes())
    content[choice.randrange(len(content))] ^= 1 << choice.randrange(8)
    file.write_bytes(content)
    told = outcome(lambda: folders.use_corpus(folder))
    counted = place.run("{me} train {here}/corpus -o {here}/m --dimensions 4 --passes 2 --progress none")
    if counted.returncode == 0 and file.name not in _UNREAD:
        return f"{file.name}: trained on"
    if "Traceback" in counted.stderr:
        return counted.stderr[-300:]
    return "" if told.startswith("refused: ") else f"{file.name}: {told}"


# ---- words and files ----------------------------------------------------------------------------------------------


def unknown(choice: random.Random, place: Place) -> str:
    """4: one long unknown word, in a question, a file of pairs or a list of terms."""
    text = word(choice, 5_000, 60_000)

    def ask() -> None:
        import resource

        from hyperdive import load

        model = load(place.healthy / "model")
        model.similar("dog")
        resource.setrlimit(resource.RLIMIT_DATA, (memory("VmData")[0] + (64 << 20), resource.RLIM_INFINITY))
        choice.choice(
            (
                lambda: model.similar(text),
                lambda: model.hypernyms(text),
                lambda: model.score([text, "dog"], ["dog", text], "C·ΔS"),
                lambda: model.taxonomy(terms=["dog", "cat", text]),
            )
        )()

    told = outcome(ask)
    if told != "held" and not told.startswith("refused: "):
        return told
    return f"echoed {len(told)} letters" if len(told) > 1_000 else ""


def json_line(choice: random.Random, place: Place) -> str:
    """12: a JSON line twice as long takes twice as long, not four times."""
    from hyperdive.text.readers import DocumentLayout, read_blocks
    from hyperdive.text.sources import TextSource

    one = word(choice, 3, 9, LETTERS[:26]) + " "

    def seconds(size: int) -> float:
        path = place.here / "a.jsonl"
        path.write_text(json.dumps({"text": one * (size // len(one))}) + "\n", encoding="utf-8")
        start = time.process_time()
        for _ in read_blocks(TextSource(str(path), "jsonl", path.stat().st_size), DocumentLayout()):
            pass
        return time.process_time() - start

    size = choice.randint(4, 12) << 20
    short, long = min(seconds(size) for _ in range(2)), min(seconds(4 * size) for _ in range(2))
    return "" if long < 9 * short + 0.2 else f"{size:,} bytes {short:.2f} s, four times as many {long:.2f} s"


def loss(choice: random.Random, place: Place) -> str:
    """15: linked folders, pipes and rows without text are told; cased vectors are found."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name, empty = word(choice, 4, 9).title(), choice.randint(1, 200)
    folder = place.here / "folder"
    (place.here / "other").mkdir()
    folder.mkdir()
    (folder / f"{name}-link").symlink_to(place.here / "other")
    os.mkfifo(folder / f"{name}.txt")
    texts = ["dogs bark at cats"] * 300 + [None] * empty
    choice.shuffle(texts)
    pq.write_table(pa.table({"text": texts}), folder / "a.parquet")
    ran = place.run("{me} encode {here}/folder -o {here}/c --min-count 1")
    if ran.returncode or ran.stderr.count("skipped") < 2 or f"{empty} rows have no text" not in ran.stderr:
        return ran.stderr[-400:]
    (place.here / "v.vec").write_text(f"2 3\n{name} 1 0 2\ncity 0 1 1\n", encoding="utf-8")
    ran = place.run(f"{{me}} import {{here}}/v.vec -o {{here}}/m && {{me}} similar {name} -m {{here}}/m")
    return "" if ran.returncode == 0 and "city" in ran.stdout else ran.stderr[-300:]


def cells(choice: random.Random, place: Place) -> str:
    """16: cells that a spreadsheet would run, other encodings, very many threads."""
    start, name = choice.choice("=@+-"), word(choice, 2, 8)
    (place.here / "p.csv").write_text(f'hyponym,hypernym\n"{start}{name}(1)",dog\n', encoding="utf-8")
    ran = place.run("{me} score {here}/p.csv -m {healthy}/model -s cds")
    if not ran.stdout.splitlines()[1].startswith("'"):
        return ran.stdout
    (place.here / "t.txt").write_bytes((f"{name} dogs bark\n" * 99).encode(choice.choice(("utf-32", "utf-16"))))
    ran = place.run("{me} encode {here}/t.txt -o {here}/c")
    if ran.returncode != 1 or "UTF-" not in ran.stderr or ran.stderr.count("\n") != 1:
        return ran.stderr
    ran = place.run(f"{{me}} count {{healthy}}/corpus -o {{here}}/n --threads {choice.randint(513, 10**6)}")
    return "" if ran.returncode == 1 and "at most" in ran.stderr else ran.stderr


# ---- surroundings -------------------------------------------------------------------------------------------------


def homeless(choice: random.Random, place: Place) -> str:
    """6: no home and no cache that can be written."""
    verb = choice.choice(
        (
            "similar dog",
            "hypernyms poodle",
            "general",
            "topics",
            "explain poodle dog",
            "taxonomy --top 6",
            "compare dog cat",
        )
    )
    (place.here / "home").touch()
    home = str(place.here / "home")
    ran = place.run(f"{{me}} {verb} -m {{healthy}}/model", HOME=home, XDG_CACHE_HOME=f"{home}/cache", TMPDIR="/tmp")
    return "" if ran.returncode == 0 and "Traceback" not in ran.stderr else f"{verb}: {ran.stderr[-300:]}"


def streams(choice: random.Random, place: Place) -> str:
    """13: streams that the shell closed, and readers that leave."""
    verb = choice.choice(
        ("similar dog", "hypernyms poodle --json", "general", "topics", "taxonomy --top 6", "evidence poodle dog")
    )
    end = choice.choice((">&-", "2>&-", ">&- 2>&-", "<&-", "| head -c 1; exit ${PIPESTATUS[0]}", "> /dev/full"))
    ran = place.run(f"{{me}} {verb} -m {{healthy}}/model {end.replace('{', '{{').replace('}', '}}')}")
    wanted = 1 if "full" in end else 0
    return (
        ""
        if ran.returncode == wanted and "Traceback" not in ran.stderr
        else f"{verb} {end}: {ran.returncode} {ran.stderr[-300:]}"
    )


def limit(choice: random.Random, place: Place) -> str:
    """7: a limit of memory is kept or refused."""
    from tests.robustness.test_memory import letters, peak_of

    text = place.here / "t.txt"
    with text.open("w", encoding="utf-8") as file:
        for _ in range(choice.randint(20_000, 60_000)):
            one, other = (letters(choice.randrange(50_000)) for _ in range(2))
            file.write(f"There are {one}s such as {other}s near the {word(choice, 3, 6)} road.\n")
    asked = choice.randint(150, 420)
    verb = "encode"
    code, peak, told = peak_of(verb, text, place.here / "c", f"{asked}MB", "--min-count", "1")
    if code == 0 and peak <= 1.05e6 * asked:
        verb = "count"
        code, peak, told = peak_of(verb, place.here / "c", place.here / "n", f"{asked}MB")
    if code == 0:
        return "" if peak <= 1.05e6 * asked else f"{verb}: {peak / 1e6:.0f} MB for {asked} MB"
    return "" if "at least --memory" in told and told.count("\n") == 1 else told[-300:]


# ---- kills --------------------------------------------------------------------------------------------------------


def killed(name: str) -> Trial:
    """8 to 11: a verb killed at a random write event; the same command makes the same bytes and leaves nothing."""

    def trial(choice: random.Random, place: Place) -> str:
        scenario = next(one for one in faults.SCENARIOS if one.name == name)
        attempt = faults.Trial(scenario, place.healthy, place.here)
        temporary = place.here / "tmp"
        temporary.mkdir()
        os.environ["TMPDIR"], tempfile.tempdir = str(temporary), str(temporary)
        try:
            attempt.reset()
            _, told = attempt.run(faults.Hook(attempt.here))
            events, new = int(told.split("\n", 1)[0]), faults.state(attempt.output)
            attempt.reset()
            at = choice.randint(1, events)
            attempt.run(faults.Hook(attempt.here, at))
            if scenario.resumes and (left := list(temporary.iterdir())):
                return f"killed at {at}: {left} in the temporary folder"
            outcomes = faults.Outcomes(name, "kill")
            faults.again(attempt, at, new, outcomes)
            return "; ".join(outcomes.found)
        finally:
            tempfile.tempdir = None
            del os.environ["TMPDIR"]

    return trial


def owners(choice: random.Random, place: Place) -> str:
    """14: of starts in the same moment one owns the folder, and a user's own folder is left alone."""
    from hyperdive._resume import WorkFolder
    from hyperdive.errors import OutputError

    name = word(choice, 3, 9)
    answers, told = os.pipe()
    ended, end = os.pipe()
    pids = []
    start = time.time() + 0.05
    for _ in range(6):
        pid = os.fork()
        if pid == 0:
            os.close(end)
            while time.time() < start:
                pass
            try:
                WorkFolder(place.here / f".{name}.work", place.here / name, "x")
                os.write(told, b"1")
            except OutputError:
                os.write(told, b"0")
            os.read(ended, 1)  # all have tried
            os.kill(os.getpid(), signal.SIGKILL)
        pids.append(pid)
    many = sum(os.read(answers, 1) == b"1" for _ in pids)
    for one in (end, ended, answers, told):
        os.close(one)
    for pid in pids:
        os.waitpid(pid, 0)
    own = place.here / ".n.work"
    own.mkdir()
    (own / f"{name}.txt").write_text("mine")
    ran = place.run("{me} count {healthy}/corpus -o {here}/n --force")
    if not (own / f"{name}.txt").exists() or ran.returncode != 1:
        return f"a user's folder: {ran.stderr[-200:]}"
    return "" if many == 1 else f"{many} owners"


TRIALS: dict[str, tuple[Trial, int]] = {
    "lengths": (lengths, 40),
    "stated": (stated, 30),
    "sparse": (sparse, 80),
    "unknown": (unknown, 16),
    "flip": (flip, 10),
    "homeless": (homeless, 4),
    "limit": (limit, 4),
    "dropped": (killed("info --drop-text"), 12),
    "trained": (killed("train TEXT"), 12),
    "encoded": (killed("encode --force"), 8),
    "added": (killed("add"), 6),
    "exported": (killed("export"), 6),
    "json": (json_line, 3),
    "streams": (streams, 12),
    "owners": (owners, 12),
    "loss": (loss, 3),
    "fields": (fields, 80),
    "pipe": (pipe, 20),
    "cells": (cells, 3),
}


def main() -> int:
    """Print what was tried and what went wrong; the exit code is 1 when something did."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.rows", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"which of {', '.join(TRIALS)}; none are all")
    parser.add_argument("-n", "--trials", type=int, help="so many of each kind")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    base: Any = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    found = 0
    with tempfile.TemporaryDirectory(prefix="hyperdive-rows-", dir=base) as folder:
        healthy = faults.prepare(Path(folder) / "healthy")
        for kind in options.kinds or TRIALS:
            trial, usual = TRIALS[kind]
            many = options.trials or usual
            wrong = []
            for number in range(many):
                here = Path(folder) / "trial"
                here.mkdir()
                try:
                    told = trial(random.Random(f"{options.seed}:{kind}:{number}"), Place(healthy, here))
                except Exception as error:
                    told = repr(error)
                if told:
                    wrong.append(f"    {kind} {options.seed}:{number} {told}")
                shutil.rmtree(here, ignore_errors=True)
            print(f"{kind:<10} {many:>4} trials, {len(wrong)} findings", *wrong[:5], sep="\n", flush=True)
            found += len(wrong)
    print(f"{found} findings, seed {options.seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
