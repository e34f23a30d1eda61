"""Estimates of time, memory and disk for reading text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hyperdive._progress import duration, human
from hyperdive._resources import check_threads
from hyperdive.options import EncodeOptions
from hyperdive.text.sources import TextSource, compression_by_name, is_address, open_source

# Measured on English Wikipedia with two cores of 2024; a plan is an estimate, not a promise.
_BYTES_A_SECOND = 10e6  # a thread: words and patterns
_TERMS_BYTES_A_SECOND = 12e6  # a thread: terms beside them
_START_SECONDS = 3.0  # libraries, compiled code and the lemmas
_TAGGED_BYTES_A_SECOND = 0.9e6  # a process
_UNPACKED = {"": 1.0, "gzip": 3.0, "bzip2": 3.6, "xz": 3.7, "zstd": 3.2}
_BYTES_A_WORD = 6.2
_KEPT = 0.55
# Terms of English Wikipedia: TERMS·bytes^_TERMS_POWER, and an occurrence for every fifth kept token
_TERMS, _TERMS_POWER = 0.0110, 0.885
_OCCURRENCES = 0.21
_OCCURRENCE_BYTES, _TERM_BYTES = 13, 38
_FORM_BYTES = 400
_PROCESS_BYTES = 250_000_000  # Python, its libraries and the lemmas
_LONG = 20_000_000
# the candidates that are counted, which are bounded, and pages of the file of items
_TERMS_FIXED_MEMORY, _TERMS_MEMORY, _MOST_TERMS_MEMORY = 30e6, 1.5, 1_000_000_000

WORDS_ALONE = EncodeOptions(terms="none")


@dataclass(frozen=True)
class TextPlan:
    """Estimates for `encode`; `terms` is how many there will be, 0 where none are read."""

    text_bytes: int
    tokens: int
    terms: int
    seconds: float
    memory: int
    disk: int
    work_disk: int

    @property
    def is_long(self) -> bool:
        """Whether the estimate should be shown before the run starts."""
        return self.text_bytes > _LONG

    def __str__(self) -> str:
        return (
            f"reading {human(self.text_bytes, 'B')} of text: about {duration(self.seconds)}, "
            f"{human(self.memory, 'B')} of memory, {human(self.disk, 'B')} of disk"
        )


def plan_text(
    sources: Sequence[TextSource],
    *,
    threads: int | None = None,
    keep_text: bool | None = None,
    rules: EncodeOptions = WORDS_ALONE,
) -> TextPlan | None:
    """Estimates for encoding these sources; None when a size is unknown (standard input).

    Args:
        sources: the files.
        threads: how many threads will be used; None for all cores.
        keep_text: whether the text is kept in the corpus; None keeps it up to 1 GiB.
        rules: whether parts of speech are tagged, and terms are read.

    >>> plan = plan_text([TextSource("notes.txt", "text", 0)], threads=2)
    >>> plan.tokens, plan.disk
    (0, 0)
    """
    if any(source.size is None for source in sources):
        return None
    size = int(sum(_text_bytes(source) for source in sources))
    workers = check_threads(threads)
    rate = (_TAGGED_BYTES_A_SECOND if rules.pos != "none" else _BYTES_A_SECOND) * workers
    seconds = size / rate + (_START_SECONDS if size else 0.0)
    tokens = int(size / _BYTES_A_WORD * _KEPT)
    # Heaps' law: distinct forms grow roughly with the square root of the text
    forms = int(60 * (size / _BYTES_A_WORD) ** 0.5)
    kept_text_bytes = size * 0.36 if keep_text or (keep_text is None and size < 1 << 30) else 0
    memory = _PROCESS_BYTES + 110_000_000 * workers + forms * _FORM_BYTES
    disk = int(8.2 * tokens + kept_text_bytes)
    work_disk = int(8.4 * tokens / _KEPT)
    if rules.terms == "none":
        return TextPlan(size, tokens, 0, seconds, memory, disk, work_disk)
    found, occurrences = int(_TERMS * size**_TERMS_POWER), int(_OCCURRENCES * tokens)
    return TextPlan(
        size,
        tokens,
        found,
        seconds + size / (_TERMS_BYTES_A_SECOND * workers),
        memory + min(int(_TERMS_FIXED_MEMORY + _TERMS_MEMORY * size), _MOST_TERMS_MEMORY),
        disk + _OCCURRENCE_BYTES * occurrences + _TERM_BYTES * found,
        work_disk + int(4 * tokens / _KEPT) + 4 * occurrences,
    )


def _text_bytes(source: TextSource) -> float:
    if source.size == 0:
        return 0.0
    if is_address(source.path):
        return (source.size or 0) * _UNPACKED[compression_by_name(source.path)]
    with open_source(source) as stream:
        return (source.size or 0) * _UNPACKED[stream.compression]
