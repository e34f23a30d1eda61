"""Does counting stay inside a memory limit when the text is much larger? A generated corpus, counted by the command.

    python bench/large_counts.py                         # 500 M tokens of 1 M words under 4 GB: 20 GB of disk, minutes
    python bench/large_counts.py --tokens 20e6 --memory 500MB

Tokens are drawn independently by Zipf's law, so more pairs are different than in text of the same size. They are
written as a corpus folder, and counted in a process of its own; the peak is that of its anonymous memory.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import common
from hyperdive._store import ArtifactWriter
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.text.corpus import KIND, VERSION, Corpus
from hyperdive.text.token_lists import encode_tokens

CHUNK = 1 << 24
LINE = 100


def chunks(tokens: int, words: int) -> Iterator[npt.NDArray[np.uint32]]:
    """Independent draws by Zipf's law, the same ones each time."""
    shares = 1 / np.arange(1, words + 1)
    shares /= shares.sum()
    for start in range(0, tokens, CHUNK):
        draw = np.random.default_rng([0, start])
        chunk = np.repeat(np.arange(words, dtype=np.uint32), draw.multinomial(min(CHUNK, tokens - start), shares))
        draw.shuffle(chunk)
        yield chunk


def zipf_corpus(folder: Path, tokens: int, words: int) -> Path:
    """A corpus of independent draws, words numbered by falling count."""
    small = encode_tokens([["a", "b"]], folder / "small", min_count=1, line_length=LINE)
    names = {Path(name).stem: name for name in small.header["files"]}
    counts = np.zeros(words, dtype=np.int64)
    for chunk in chunks(tokens, words):
        counts += np.bincount(chunk, minlength=words)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    numbers = np.zeros(words, dtype=np.uint32)
    numbers[order] = np.arange(1, len(order) + 1)
    place, one = folder / "corpus", np.array([0, tokens], dtype=np.int64)
    with ArtifactWriter(place, KIND, VERSION) as writer:
        stream = writer.stream(names["tokens"], "<u4")
        for chunk in chunks(tokens, words):
            stream.append(numbers[chunk])
        writer.put(names["words"], "".join(f"{word}\n" for word in ["<unk>", *(f"w{i}" for i in order)]).encode())
        writer.put(names["counts"], np.concatenate([[0], counts[order]]))
        writer.put(names["document_frequency"], np.ones(len(order) + 1, dtype=np.int64))
        for name in ("documents", "sentences"):
            writer.put(names[name], one)
        writer.put(names["document_sentences"], np.array([0, 1], dtype=np.int64))
        totals = {"tokens": tokens, "types": len(order), "documents": 1, "sentences": 1, "lines": -(-tokens // LINE)}
        writer.finish({"parameters": small.parameters, "totals": totals, "accounting": {}, "input": {}})
    return place


def run(*arguments: object) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak anonymous memory in MB of a command."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "hyperdive", *map(str, arguments)], stdout=subprocess.DEVNULL)
    most, cpu = 0, 0.0
    while process.poll() is None:
        most, cpu = max(most, anonymous(process.pid)), max(cpu, processor_seconds(process.pid))
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"hyperdive {arguments[0]} failed")
    return time.perf_counter() - start, cpu, most / 1e6


def _lines(path: str) -> Iterator[list[str]]:
    try:
        yield from (line.split() for line in Path(path).read_text().splitlines())
    except OSError:  # the process has just ended, or this is not Linux
        return


def anonymous(pid: int) -> int:
    """Bytes of a process's own memory."""
    return next((int(line[1]) << 10 for line in _lines(f"/proc/{pid}/status") if line[0] == "RssAnon:"), 0)


def processor_seconds(pid: int) -> float:
    """User and system time of a process."""
    return next(((int(line[13]) + int(line[14])) / 100 for line in _lines(f"/proc/{pid}/stat")), 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=float, default=500e6)
    parser.add_argument("--words", type=float, default=1e6)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder unless given")
    options = parser.parse_args()
    print(common.machine())
    folder = Path(tempfile.mkdtemp(prefix="hyperdive-bench-", dir=options.folder))
    try:
        start = time.perf_counter()
        corpus = Corpus.open(zipf_corpus(folder, int(options.tokens), int(options.words)))
        print(f"corpus: {len(corpus):,} tokens, {len(corpus.counts) - 1:,} words, {time.perf_counter() - start:.0f} s")
        wall, cpu, peak = run("count", corpus.path, "-o", folder / "counts", "--memory", options.memory)
        counts = Cooccurrence.open(folder / "counts")
        size = sum(file.stat().st_size for file in counts.path.iterdir())
        print(f"count under {options.memory}: {wall:.0f} s, {cpu:.0f} s of processor time, peak {peak:.0f} MB")
        print(f"{counts.header['totals']['entries']:,} entries, {size / 1e6:,.0f} MB")
        start, total = time.perf_counter(), 0
        for part in counts.ranges():
            total += int(counts.block(part)[2].data.sum())
        print(f"one pass over all rows: {time.perf_counter() - start:.0f} s, {total:,} meetings of known words")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
