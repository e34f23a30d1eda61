"""The driver of a Spark job, as a program: `python -m tests.engines.driver '[verb, source, output, master, options]'`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import hyperdive
from hyperdive._resources import Run
from hyperdive.counts.count import count
from hyperdive.engines import SparkEngine
from hyperdive.options import CountOptions


def main() -> None:
    verb, source, output, master, options = json.loads(sys.argv[1])
    config = {"spark.executor.memory": "1g", "spark.executor.cores": "1"}
    with SparkEngine(master, config) as engine:
        if verb == "encode":
            hyperdive.encode(source, output, engine=engine, **options)
        elif verb == "count":
            corpus = hyperdive.Corpus.open(source)
            parts = options.pop("parts")
            run = Run(engine=engine)
            count(
                [corpus], Path(output), options=CountOptions(**options), block_tokens=-(-len(corpus) // parts), run=run
            )
        else:
            hyperdive.train(source, output, engine=engine, **options)


if __name__ == "__main__":
    main()
