"""How fast is counting? `hyperdive.counts` against a numpy sort of all pairs, on the same corpus in the same run.

    python bench/count.py --text wiki.txt.xz
    python bench/count.py --corpus CORPUS

The alternative is what one writes first in numpy: every ordered pair inside the window as a 64-bit key, sorted and
counted by `numpy.unique`. It runs on a tenth of the corpus, where its keys still fit into memory, and so do we for the
ratio. Then the whole corpus: tokens a second, memory in memory mode and with --memory 500MB, and the same bytes either
way. Our times include reading the corpus, checksums and writing the store.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import common
from hyperdive._resources import Run
from hyperdive._store import ArtifactWriter
from hyperdive.counts.count import count
from hyperdive.options import CountOptions
from hyperdive.text.corpus import KIND, VERSION, Corpus
from hyperdive.text.encoder import encode_text

WINDOW = 10


def first_part(corpus: Corpus, share: float, place: Path) -> Corpus:
    """The first lines of a corpus as a corpus of its own, words numbered anew by falling count."""
    lines = max(1, int((len(corpus.line_offsets) - 1) * share))
    size = int(corpus.line_offsets[lines])
    counts = np.bincount(corpus.tokens[:size], minlength=len(corpus.counts))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    number = np.zeros(len(counts), dtype=np.uint32)
    number[order] = np.arange(1, len(order) + 1)
    ends = np.array([0, size], dtype=np.int64)
    with ArtifactWriter(place, KIND, VERSION) as writer:
        writer.put("tokens.bin", number[corpus.tokens[:size]])
        words = ["<unk>", *(corpus.all_words[i] for i in order)]
        writer.put("words.txt", "".join(f"{word}\n" for word in words).encode())
        writer.put("counts.bin", np.concatenate([[0], counts[order]]).astype(np.int64))
        writer.put("document_frequency.bin", np.ones(len(words), dtype=np.int64))
        for name in ("documents.bin", "sentences.bin", "document_sentences.bin"):
            writer.put(name, ends if name != "document_sentences.bin" else np.array([0, 1]))
        if "lines.bin" in corpus.header["files"]:
            writer.put("lines.bin", corpus.line_offsets[: lines + 1])
        totals = {"tokens": size, "types": len(order), "documents": 1, "sentences": 1, "lines": lines}
        writer.finish({"parameters": corpus.parameters, "totals": totals, "accounting": {}, "input": {}})
    return Corpus.open(place)


def sort_and_unique(corpus: Corpus) -> tuple[float, int, int]:
    """Seconds, different pairs and all pairs of the numpy alternative."""
    start = time.perf_counter()
    ids = corpus[:].astype(np.uint64)
    line = np.repeat(np.arange(len(corpus.line_offsets) - 1), np.diff(corpus.line_offsets))
    keys = []
    for distance in range(1, WINDOW + 1):
        inside = line[distance:] == line[:-distance]
        left, right = ids[:-distance][inside], ids[distance:][inside]
        keys += [left << np.uint64(32) | right, right << np.uint64(32) | left]
    unique, counts = np.unique(np.concatenate(keys), return_counts=True)
    return time.perf_counter() - start, len(unique), int(counts.sum())


def run(corpus: Path, place: Path, **options: object) -> dict[str, float]:
    """Count in a process of its own: seconds, processor seconds, peak of its anonymous memory and of all in MB."""
    program = (
        "import sys, json; sys.path.insert(0, sys.argv[4]); import count as bench\n"
        "bench.child(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))\n"
    )
    here = str(Path(__file__).parent)
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(corpus), str(place), json.dumps(options), here], stdout=subprocess.PIPE
    )
    most = {"RssAnon": 0, "VmHWM": 0}
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        try:
            lines = [line.split() for line in status.read_text().splitlines()]
        except OSError:  # it has just ended, or this is not Linux
            lines = []
        for name, value in ((line[0].rstrip(":"), line[1]) for line in lines if line[0].rstrip(":") in most):
            most[name] = max(most[name], int(value))
        time.sleep(0.01)
    if process.returncode or process.stdout is None:
        raise SystemExit("counting failed")
    told: dict[str, float] = json.loads(process.stdout.read())
    return {**told, "anonymous": most["RssAnon"] / 1e3, "peak": most["VmHWM"] / 1e3}


def child(corpus: str, place: str, options: dict[str, int]) -> None:
    """What the process of `run` does."""
    start, cpu = time.perf_counter(), time.process_time()
    count([Corpus.open(corpus)], place, options=CountOptions(window=WINDOW), run=Run(force=True, **options))  # type: ignore[arg-type]
    used = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    print(json.dumps(used))


def header(place: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((place / "header.json").read_text(encoding="utf-8"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", help="a large text file, encoded first with the paper's rules")
    parser.add_argument("--corpus", help="a corpus that is encoded already")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not (options.text or options.corpus):
        print("needs --text or --corpus: skipped")
        return

    print(common.machine())
    folder = Path(tempfile.mkdtemp(prefix="hyperdive-bench-"))
    if options.corpus:
        corpus = Corpus.open(options.corpus)
    else:
        corpus = encode_text([options.text], folder / "corpus", preset="paper", keep_text=False)
    print(
        f"corpus: {len(corpus):,} tokens, {corpus.vocabulary_size:,} words, {len(corpus.counts) - 1:,} with rare ones"
    )

    tenth = first_part(corpus, 0.1, folder / "tenth")
    place = folder / "counts"
    settings = CountOptions(window=WINDOW)
    count([tenth], place, options=settings, run=Run(force=True))  # the first run compiles
    marks = set()
    for threads in (1, 2, 5):
        count([tenth], place, options=settings, run=Run(threads=threads, force=True))
        marks.add(header(place)["fingerprint"])
    ours = common.seconds(
        lambda: count([tenth], place, options=settings, run=Run(threads=2, force=True)), options.repeat
    )
    cpu = time.process_time()
    count([tenth], place, options=settings, run=Run(threads=2, force=True))
    cpu_ours, cpu = time.process_time() - cpu, time.process_time()
    slow, different, pairs = sort_and_unique(tenth)
    cpu_slow = time.process_time() - cpu
    slow = min([slow, *(sort_and_unique(tenth)[0] for _ in range(min(options.repeat, 2) - 1))])
    print(f"\na tenth: {len(tenth):,} tokens, {pairs:,} pairs, {different:,} different")
    print(f"hyperdive, 2 threads      {ours:7.2f} s")
    print(f"numpy sort and unique     {slow:7.2f} s   {slow / ours:.1f} times as long (bar: 6)")
    print(
        f"  processor time          {cpu_ours:7.2f} s   numpy {cpu_slow:.2f} s, {cpu_slow / cpu_ours:.1f} times as long"
    )
    print(f"threads 1, 2, 5           {'same bytes' if len(marks) == 1 else 'DIFFERENT BYTES'}")

    print(f"\nthe whole: {len(corpus):,} tokens")
    runs = [run(corpus.path, place, threads=2) for _ in range(options.repeat)]
    best = min(runs, key=lambda found: found["seconds"])
    whole = header(place)
    entries = int(whole["totals"]["entries"])  # type: ignore[index]
    csr = entries * 8 / 1e6
    rate = len(corpus) / best["seconds"] / 1e6
    core = len(corpus) / min(found["cpu"] for found in runs) / 1e6
    print(f"hyperdive, 2 threads      {best['seconds']:7.2f} s   {rate:.1f} M tokens/s (bar: 4 on an idle machine)")
    print(f"  processor time          {best['cpu']:7.2f} s   {core:.1f} M tokens for each second of one core")
    memory = max(found["anonymous"] for found in runs)
    print(f"  anonymous memory        {memory:7.0f} MB  {memory / csr:.2f} of the final CSR of {csr:.0f} MB (bar: 3)")
    print(f"  all memory, maps too    {best['peak']:7.0f} MB")
    for megabytes in (500, 300):
        bounded = run(corpus.path, folder / "bounded", threads=2, memory=megabytes * 10**6)
        same = header(folder / "bounded")["fingerprint"] == whole["fingerprint"]
        print(
            f"--memory {megabytes}MB            {bounded['seconds']:7.2f} s   "
            f"anonymous memory {bounded['anonymous']:.0f} MB (bar: {megabytes}), "
            f"{'same bytes' if same else 'DIFFERENT BYTES'}"
        )
    print(f"the store                 {sum(f['bytes'] for f in whole['files'].values()) / 1e6:7.0f} MB")  # type: ignore
    os.sync()


if __name__ == "__main__":
    main()
