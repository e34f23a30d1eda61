"""Engines: who runs the tasks into which the stages of `pipeline` are cut.

    stage      cut into            a task makes                                  put together by
    ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    encode     parts of the text   tokens, forms, patterns, items of the part    taking parts in one after the other
               chunks of items     candidates for terms; occurrences of terms    appending, as one machine does
    count      blocks of tokens    pieces of counts, one for each range of rows  exchange: a range's pieces are added up
    train      blocks of rows      rows of rare contexts and words, of terms     their places in the tables

The algorithms (`hyperdive.text.parts`, `hyperdive.counts.count`, `hyperdive.spaces.row_tasks`) know only what an engine
is (`hyperdive._engine`); `LocalEngine` runs tasks in this process, `SparkEngine` in the executors of a cluster.
"""

from __future__ import annotations

from hyperdive.engines.local import LocalEngine
from hyperdive.engines.spark import SparkEngine

__all__ = ["LocalEngine", "SparkEngine"]
