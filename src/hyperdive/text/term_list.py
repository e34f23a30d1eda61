"""The user's own terms: a file with one term per line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hyperdive._lines import read_lines
from hyperdive.errors import InputError
from hyperdive.options import EncodeOptions
from hyperdive.text.lemmas import FormResolver
from hyperdive.text.term_names import is_acronym, split_term

MAX_LINES = 1_000_000
MAX_WORDS = 16
_MAX_LINE = 10_000
_HINT = "use auto, none, or a file with one term per line"


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
        path: the file, UTF-8, one term per line; empty lines and lines that start with # are skipped.
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
    lines = []
    for number, line in read_lines(path, "file of terms", _HINT, longest=_MAX_LINE):
        if number > MAX_LINES:
            raise InputError(f"{path}: more than {MAX_LINES:,} lines", hint="give the terms you need")
        lines.append(line)
    resolver = FormResolver(options)
    spellings: dict[str, str] = {}
    left_out = {"without a word": 0, f"longer than {MAX_WORDS} words": 0, "only stop words": 0, "given twice": 0}
    for line in lines:
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
        raise InputError(f"{path}: no term in it", hint="write one term per line, such as: blood pressure")
    return TermList(spellings, left_out)
