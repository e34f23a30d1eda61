"""Compiling ahead: two processes each run a part of hyperdive on made-up text, which compiles the kernels it uses.

python -P -m hyperdive.kernels.warmup
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from hyperdive.kernels import claim_process

PARTS = ("text", "numbers")
_TEXT = (
    "They keep dogs such as poodles and other pets (PETs). A guide dog is a dog. The guide dog of a blind man barks.\n"
    "Oaks, maples and other trees grow in the oak forest. Types of trees are oaks and maples. Music is an art.\n"
)
_OPTIONS: tuple[dict[str, Any], ...] = ({"passes": 2}, {"preset": "paper"}, {"space": "gaussian"})


def compile_all() -> bool:
    """Compile all kernels that are not in the cache folder yet; return whether the folder now keeps all of them."""
    from hyperdive.kernels.decorator import cache_folder, is_complete, is_lasting

    folder = cache_folder()
    if is_complete():
        return True
    if folder is None or not is_lasting() or not sys.executable:
        return False
    command = [sys.executable, "-P", "-m", __name__]
    processes = [
        subprocess.Popen([*command, part], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for part in PARTS
    ]
    try:
        if sum(process.wait() != 0 for process in processes):
            return False
    finally:
        for process in processes:
            process.kill()
    (folder / "complete").touch()
    return True


def run_part(part: str) -> None:
    """Run one of the `PARTS` in this process."""
    import hyperdive

    command = import_module("hyperdive.cli.main").main
    with tempfile.TemporaryDirectory(prefix="hyperdive-kernels-") as name:
        folder = Path(name)
        if part == "text":
            text = folder / "text.txt"
            text.write_text(_TEXT * 400)
            corpus = hyperdive.encode(text, folder / "corpus", min_count=1)
            model = hyperdive.train(corpus, folder / "model", dimensions=8, passes=2)
            hyperdive.add(model, text, folder / "larger")
            return
        tokens = [[f"w{(i * j) % 60}" for i in range(400)] for j in range(1, 60)]
        corpus = hyperdive.encode(tokens, folder / "corpus", min_count=1)
        for number, options in enumerate(_OPTIONS):
            hyperdive.train(corpus, folder / f"model-{number}", dimensions=8, **options)
        pairs = folder / "pairs.tsv"
        pairs.write_text("".join(f"w{i}\tw{j}\t{i < j}\n" for i in range(30) for j in range(30) if i != j))
        with redirect_stdout(sys.stderr):
            command(["evaluate", "-m", str(folder / "model-0"), "-d", str(pairs)])
            command(["taxonomy", "-m", str(folder / "model-0"), "--top", "30"])


if __name__ == "__main__":
    claim_process()
    if len(sys.argv) > 1:
        run_part(sys.argv[1])
    else:
        sys.exit(not compile_all())
