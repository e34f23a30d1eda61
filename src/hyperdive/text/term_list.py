"""The user's own terms: a file with one term a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hyperdive.errors import InputError
from hyperdive.options import EncodeOptions
from hyperdive.text.lemmas import FormResolver
from hyperdive.text.term_names import is_acronym, split_term

MAX_LINES = 1_000_000
MAX_WORDS = 16
_MAX_LINE = 10_000
_PIECE = 1 << 20
_HINT = "use auto, none, or a file with one term a line"


@dataclass(frozen=True)
class TermList:
    """A user's terms by name, each with the user's spelling, and how many lines were left out and why."""

    spellings: dict[str, str]
    left_out: dict[str, int]

    @property
    def note(self) -> str:
        """What was left out, as one line; empty when nothing was."""
        return ", ".join(f"{count:,} {reason}" for reason, count in self.left_out.items() if count)


def read_terms(path: str | Path, options: EncodeOptions) -> TermList:
    """The terms of a file, named by the rules of the text; a line ends at a tab, and quotes around a term are cut off.

    Args:
        path: the file, UTF-8, one term a line; empty lines and lines that start with # are skipped.
        options: the rules by which the text becomes words.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "terms.txt"
    >>> _ = place.write_text('"X-rays"\\nAIDS\\nbirds of prey\\t12\\nof the\\nx ray\\n')
    >>> terms = read_terms(place, EncodeOptions())
    >>> terms.spellings
    {'x ray': 'X-rays', 'AIDS': 'AIDS', 'bird of prey': 'birds of prey'}
    >>> terms.note
    '1 only stop words, 1 given twice'
    """
    path = Path(path)
    resolver = FormResolver(options)
    spellings: dict[str, str] = {}
    left_out = {"without a word": 0, f"longer than {MAX_WORDS} words": 0, "only stop words": 0, "given twice": 0}
    for line in _lines(path):
        spelling = " ".join(line.partition("\t")[0].strip().strip("\"'\u201c\u201d").split())
        words = split_term(spelling)
        if not words:
            left_out["without a word"] += 1
        elif len(words) > MAX_WORDS:
            left_out[f"longer than {MAX_WORDS} words"] += 1
        elif len(words) == 1 and is_acronym(words[0]):
            spellings.setdefault(words[0], spelling)
        else:
            keys, stops = zip(*map(resolver.key, words), strict=True)
            if all(stops):
                left_out["only stop words"] += 1
            else:
                name = " ".join(keys)
                left_out["given twice"] += name in spellings
                spellings.setdefault(name, spelling)
    if not spellings:
        raise InputError(f"{path}: no term in it", hint="write one term a line, such as: blood pressure")
    return TermList(spellings, left_out)


def _check_lines(path: Path, number: int) -> None:
    if number > MAX_LINES:
        raise InputError(f"{path}: more than {MAX_LINES:,} lines", hint="give the terms you need")


def _lines(path: Path) -> Iterator[str]:
    """The lines of the file, read one by one, so that a file that is too long is refused without reading it whole."""
    try:
        if path.is_dir():
            raise InputError(f"{path}: a folder, not a file of terms", hint=_HINT)
        with path.open("rb") as file:
            if path.is_file():  # not a pipe: its lines are counted before any is looked at
                ends = 0
                while ends <= MAX_LINES and (piece := file.read(_PIECE)):
                    ends += piece.count(b"\n")
                _check_lines(path, ends)
                file.seek(0)
            number = 0
            while raw := file.readline(_MAX_LINE):
                if b"\0" in raw:
                    raise InputError(f"{path}: not a text file (it has NUL bytes)", hint=_HINT)
                try:
                    line = raw.decode("utf-8-sig" if number == 0 else "utf-8").strip("\r\n ")
                except UnicodeDecodeError:
                    raise InputError(f"{path}: line {number + 1} is not UTF-8 text", hint=_HINT) from None
                number += 1
                if len(raw) == _MAX_LINE:
                    raise InputError(f"{path}: line {number} is too long for a term", hint=_HINT)
                _check_lines(path, number)
                if line and not line.startswith("#"):
                    yield line
    except FileNotFoundError:
        raise InputError(f"{path}: no such file of terms", hint=_HINT) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", hint="check the permissions") from None
