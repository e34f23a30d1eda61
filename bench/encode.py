"""How fast is reading? `hyperdive encode` against the obvious loop and gensim, on the same text in the same run.

    python bench/encode.py --text wiki.txt.xz

The obvious loop is what one writes first: `re.findall` on the lower-cased line, a dictionary from word to number, the
lemma looked up once per word type. gensim is `simple_preprocess` and `Dictionary.doc2idx` (no lemmas, no stop words).
The slow alternatives run on a part of the text and are scaled by its size; hyperdive runs on all of it, as a command,
with its start-up.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from pathlib import Path

import simplemma

import common
from hyperdive.text.lemmas import ENGLISH_STOPWORDS


def obvious_loop(path: Path) -> tuple[float, int]:
    """Seconds and kept tokens."""
    pattern = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
    start = time.perf_counter()
    numbers: dict[str, int] = {}
    cache: dict[str, int] = {}
    ids = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            for word in pattern.findall(line.lower()):
                number = cache.get(word)
                if number is None:
                    number = -1
                    if word.isascii() and word.isalpha():
                        lemma = simplemma.lemmatize(word, lang="en").lower()
                        if lemma not in ENGLISH_STOPWORDS:
                            number = numbers.setdefault(lemma, len(numbers))
                    cache[word] = number
                if number >= 0:
                    ids.append(number)
    return time.perf_counter() - start, len(ids)


def gensim_loop(path: Path) -> float:
    from gensim.corpora import Dictionary
    from gensim.utils import simple_preprocess

    start = time.perf_counter()
    dictionary = Dictionary()
    with path.open(encoding="utf-8") as file:
        for line in file:
            tokens = simple_preprocess(line)
            dictionary.add_documents([tokens])
            dictionary.doc2idx(tokens)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", required=True, help="a large text file, one document a line, possibly compressed")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--part", type=float, default=0.25, help="share of the text the alternatives run on")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()

    print(common.machine())
    text = common.first_bytes(options.text, options.megabytes * 1_000_000)
    part = common.first_bytes(str(text), int(text.stat().st_size * options.part))
    scale = text.stat().st_size / part.stat().st_size
    print(f"text: {text.stat().st_size / 1e6:.0f} MB; alternatives on {part.stat().st_size / 1e6:.0f} MB, scaled")

    place = Path(tempfile.mkdtemp(prefix="hyperdive-bench-")) / "corpus"
    arguments = (
        "encode",
        "--set",
        "patterns=no",
        text,
        "-o",
        place,
        "--preset",
        "paper",
        "--no-keep-text",
        "--force",
        "--progress",
        "none",
    )
    common.command(*arguments)  # the first run compiles
    runs = [common.command(*arguments, "--threads", 2) for _ in range(options.repeat)]
    ours, memory = min(runs)
    one = min(common.command(*arguments, "--threads", 1) for _ in range(options.repeat))[0]
    loop = min(obvious_loop(part)[0] for _ in range(options.repeat)) * scale
    gensim = gensim_loop(part) * scale

    print(f"hyperdive encode, 2 threads   {ours:7.1f} s   peak memory {memory:.0f} MB")
    print(f"hyperdive encode, 1 thread    {one:7.1f} s")
    print(f"the obvious loop              {loop:7.1f} s   {loop / ours:.1f} times as long (bar: 4)")
    print(f"gensim                        {gensim:7.1f} s   {gensim / ours:.1f} times as long (bar: 6)")


if __name__ == "__main__":
    main()
