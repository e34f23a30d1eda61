"""What a run on a cluster will cost: tasks, bytes that move, hours; and whether one machine does better.

The rates of encoding, of counting and of the driver are processor times measured with `bench/spark.py` and
`bench/spark_cluster.py` (docs/spark.md); those of training are rough. Driver and executors are assumed to have cores
of their own: where they share some, the work of all of them divided by the cores is a further bound. A plan is an
estimate, not a promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hyperdive.text.parts import PART_BYTES
from hyperdive.text.plan import plan_text
from hyperdive.text.sources import TextSource

# bytes of text a second
_READ = 8.8e6  # one core: tokens, patterns and items of a part, and the three searches for terms
_TAKE_IN = 14e6  # the driver: taking parts in, selecting, choosing terms, writing
# tokens a second
_COUNT = 2.0e6  # one core: counting, and adding up what came through the shuffle
_SUM = 30e6  # the driver: adding up the columns of the finished store
_MOST_TOKENS = 1 << 26
# the packed rows of a part of n tokens have about _ROW_BYTES·n^_ROW_POWER bytes: rarer pairs come slower
_ROW_BYTES, _ROW_POWER = 890.0, 0.717
# Heaps' law on English Wikipedia: distinct words, and those with ten occurrences or more, for each √word
_TYPES, _VOCABULARY = 59.0, 9.5
_DIMENSIONS, _FREQUENT = 100, 20_000
_TOGETHER_SECONDS = 60.0  # the frequent words, on the driver: at most 4·10⁸ pairs whatever the text
_SKIPGRAM_SECONDS, _SKIPGRAM_TOKENS = 17.0, 30.6e6  # on the driver: it grows with distinct pairs, as rows do
_ROWS = 4_000.0  # rare words a second and core, both sides
_TYPE_BYTES = 24  # in a task of count: arrays over all words
_START_SECONDS = 20.0  # of executors, and of tasks by themselves: what is left of a measured run with one executor
_LOCAL_CORES = 8


@dataclass(frozen=True)
class SparkPlan:
    """Estimates for `train --engine spark` from text."""

    text_bytes: int
    executors: int
    parts: int
    """Tasks of encode."""
    count_tasks: int
    shuffle_bytes: int
    broadcast_bytes: int
    """What every executor reads of the tables of training."""
    task_memory: int
    """Bytes of the largest task."""
    encode_seconds: float
    count_seconds: float
    train_seconds: float
    driver_seconds: float
    """Of these, what the driver does alone, however many executors there are."""
    local_seconds: float
    """One machine with eight cores."""

    @property
    def seconds(self) -> float:
        """All stages."""
        return self.encode_seconds + self.count_seconds + self.train_seconds

    @property
    def advice(self) -> str:
        """Whether a cluster is worth it."""
        if self.local_seconds < 1.5 * self.seconds:
            return "one machine with eight cores takes about as long: use a cluster only if the text is there"
        return "a cluster is faster"


def plan_spark(sources: Sequence[TextSource], *, executors: int) -> SparkPlan | None:
    """Estimates for these files on so many executors of one core each; None when a size is unknown.

    >>> plan = plan_spark([TextSource("wiki.txt", size=0)], executors=4)
    >>> plan.parts, plan.shuffle_bytes
    (0, 0)
    """
    text = plan_text(sources, threads=1)
    return None if text is None else plan_bytes(text.text_bytes, text.tokens, executors)


def plan_bytes(text_bytes: int, tokens: int, executors: int) -> SparkPlan:
    """Estimates for so much text, of which so many tokens are kept.

    >>> terabyte = plan_bytes(10**12, 87 * 10**9, 50)
    >>> terabyte.parts, round(terabyte.shuffle_bytes / 1e12, 1), round(terabyte.driver_seconds / 3600)
    (14902, 0.5, 22)
    >>> terabyte.advice
    'one machine with eight cores takes about as long: use a cluster only if the text is there'
    """
    parts = -(-text_bytes // PART_BYTES)
    count_tasks = max(-(-tokens // _MOST_TOKENS), min(executors, tokens))
    each = tokens / max(count_tasks, 1)
    shuffle = int(count_tasks * _ROW_BYTES * each**_ROW_POWER)
    root = (text_bytes / 6.2) ** 0.5
    types, vocabulary = int(_TYPES * root), int(_VOCABULARY * root)
    broadcast = 4 * _DIMENSIONS * (min(_FREQUENT, vocabulary) + vocabulary)
    reading, counting = text_bytes / _READ, tokens / _COUNT
    solving = max(vocabulary - _FREQUENT, 0) / _ROWS
    together = _TOGETHER_SECONDS + _SKIPGRAM_SECONDS * (tokens / _SKIPGRAM_TOKENS) ** _ROW_POWER
    alone = text_bytes / _TAKE_IN + tokens / _SUM + together
    return SparkPlan(
        text_bytes=text_bytes,
        executors=executors,
        parts=parts,
        count_tasks=count_tasks,
        shuffle_bytes=shuffle,
        broadcast_bytes=broadcast,
        task_memory=int(max(400e6, 10 * min(each, _MOST_TOKENS) + _TYPE_BYTES * types + 300e6)),
        encode_seconds=reading / executors + text_bytes / _TAKE_IN + _START_SECONDS,
        count_seconds=counting / executors + tokens / _SUM,
        train_seconds=solving / executors + together,
        driver_seconds=alone,
        local_seconds=(reading + counting + solving) / _LOCAL_CORES + alone,
    )
