"""Score a file of pairs of any length, block by block; pairs with unknown words are marked, never dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive.scores.pair_files import PairFile, PairWriter
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.pattern_scores import SILENCE, is_silent
from hyperdive.scores.registry import Score
from hyperdive.scores.source import Source
from hyperdive.scores.terms import terms_of

UNKNOWN, SILENT_ON = "unknown", "silent"
_EXAMPLES = 5


@dataclass
class Summary:
    """What came out: pairs read, pairs with an unknown word, and a few of those words."""

    pairs: int = 0
    unknown: int = 0
    examples: list[str] = field(default_factory=list)


def score_stream(
    source: Source,
    pairs: PairFile,
    scores: Sequence[Score],
    writer: PairWriter,
    *,
    lemmas: bool = True,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Summary:
    """Write every pair with a column for each score and the column `unknown`, which names words without a vector.

    Where scores from patterns are among them, the column `silent` names those that have nothing to go by.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    summary = Summary()
    stating = [score.name for score in scores if score.name.partition(":")[0] in SILENCE]
    with progress.stage("scoring", unit="pairs") as bar:
        for block in pairs:
            hyponyms, hypernyms = block.column(0).combine_chunks(), block.column(1).combine_chunks()
            both = pa.concat_arrays([_array(hyponyms), _array(hypernyms)])
            coded = pc.dictionary_encode(both)
            names = coded.dictionary.to_pylist()
            codes = coded.indices.to_numpy().astype(np.int64)
            q, p = codes[: block.num_rows], codes[block.num_rows :]
            terms = terms_of(source, names, lemmas=lemmas, threads=threads)
            known = terms.found[q] & terms.found[p]
            chosen = terms.pairs(q[known], p[known], places=summary.pairs + np.flatnonzero(known))
            table = block
            for score in scores:
                values = np.zeros(block.num_rows)
                values[known] = score(chosen)
                table = table.append_column(score.name, pa.array(values, mask=~known))
            if stating:
                table = table.append_column(SILENT_ON, _silence(stating, chosen, known))
            in_space = terms.found[: len(names)]  # heads of phrases may come after them
            table = table.append_column(UNKNOWN, _unknown_words(coded.dictionary, in_space, q, p, known))
            writer.write(table)
            summary.pairs += block.num_rows
            summary.unknown += int((~known).sum())
            for number in np.flatnonzero(~in_space)[: _EXAMPLES - len(summary.examples)]:
                summary.examples.append(names[number])
            bar.advance(block.num_rows)
    return summary


def _array(column: Any) -> Any:
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _silence(names: Sequence[str], pairs: Pairs, known: Any) -> Any:
    """The names of the scores that are silent on each pair, joined by commas."""
    import pyarrow as pa

    which = np.zeros(len(pairs), dtype=np.int64)
    for bit, name in enumerate(names):
        which |= is_silent(pairs, name).astype(np.int64) << bit
    distinct, inverse = np.unique(which, return_inverse=True)
    spelled = [", ".join(name for bit, name in enumerate(names) if int(one) >> bit & 1) for one in distinct]
    numbers = np.full(len(known), -1, dtype=np.int64)
    numbers[known] = inverse.ravel()
    return pa.array([*spelled, ""]).take(pa.array(np.where(numbers < 0, len(spelled), numbers)))


def _unknown_words(dictionary: Any, found: Any, q: Any, p: Any, known: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if known.all():
        return pa.repeat("", len(q))
    words = pc.if_else(pa.array(found), "", dictionary)
    left, right = words.take(pa.array(q)), words.take(pa.array(p))
    right = pc.if_else(pa.array(q == p), "", right)
    comma = pc.if_else(pa.array(~found[q] & ~found[p] & (q != p)), ", ", "")
    return pc.binary_join_element_wise(left, right, comma)
