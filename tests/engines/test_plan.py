"""Plans for a cluster beside what was measured (docs/spark.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperdive.engines.plan import plan_bytes, plan_spark
from hyperdive.text.sources import TextSource


@pytest.mark.parametrize(("tokens", "measured"), [(1_900_000, 28.1e6), (7_700_000, 76.7e6), (30_609_699, 206.2e6)])
def test_shuffle_bytes_of_one_task_are_those_measured(tokens: int, measured: float) -> None:
    assert plan_bytes(int(tokens * 10.94), tokens, 1).shuffle_bytes == pytest.approx(measured, rel=0.03)


def test_more_executors_share_what_tasks_do_and_not_what_the_driver_does() -> None:
    few, many = (plan_bytes(10**11, 87 * 10**8, executors) for executors in (10, 100))
    assert few.driver_seconds == many.driver_seconds
    assert many.seconds > many.driver_seconds
    shared = few.seconds - few.driver_seconds - 20
    assert (many.seconds - many.driver_seconds - 20) == pytest.approx(shared / 10)
    assert (few.count_tasks, many.count_tasks) == (130, 130)
    assert plan_bytes(10**9, 87 * 10**6, 10).count_tasks == 10  # a task for every executor, at least


@pytest.mark.parametrize(("executors", "encode", "count"), [(1, 83, 22), (2, 81, 19)])
def test_the_plan_beside_runs_of_two_cores(executors: int, encode: float, count: float) -> None:
    """335 MB on a cluster whose driver and executors share two cores; an executor of `count` starts in some six seconds."""
    plan = plan_bytes(334_949_984, 30_609_699, executors)
    assert plan.encode_seconds == pytest.approx({1: 82.0, 2: 63.0}[executors], abs=0.2)
    assert plan.count_seconds + 6 == pytest.approx({1: 22.3, 2: 14.7}[executors], abs=0.1)
    assert 1 <= encode / plan.encode_seconds < 1.3
    assert 0.95 < count / (plan.count_seconds + 6) < 1.3


def test_the_driver_takes_in_text_and_trains_skip_gram() -> None:
    """335 MB: 4.7 s for 60 MB of text and 8.4 s for 120 MB; count, DIVE and skip-gram took 111 s on two idle cores."""
    plan = plan_bytes(334_949_984, 30_609_699, 2)
    assert plan.driver_seconds == pytest.approx(334.9 / 14 + 1 + 60 + 17, abs=0.5)
    assert 111 / 1.5 < plan.count_seconds + plan.train_seconds < 111 * 1.5
    shorter = plan_bytes(334_949_984 // 4, 30_609_699 // 4, 2)
    assert shorter.train_seconds == pytest.approx(68.2, abs=0.2)


def test_broadcast_is_the_tables_of_contexts_and_frequent_words() -> None:
    plan = plan_bytes(6_200_000, 10**6, 2)  # 9.5·√(10⁶) words
    assert plan.broadcast_bytes == 4 * 100 * 2 * 9_500
    assert plan.parts == 1


def test_a_pipe_has_no_plan() -> None:
    assert plan_spark([TextSource("-", size=None)], executors=2) is None


def test_the_command(tmp_path: Path, text: Path, hyperdive: Callable[..., Any]) -> None:
    command = ["plan", "--engine", "spark", "--executors", "50", "--executor-memory", "8g", text]
    told = hyperdive(*command)
    assert told.code == 0
    assert "estimate for training on 50 executors of one core" in told.out
    assert "one machine with eight cores takes about as long" in told.out
    assert "cores of their own for the driver and each executor" in told.out
    assert "more than the" not in told.out
    plan = json.loads(hyperdive(*command, "--json").out)["spark"]
    assert (plan["executors"], plan["parts"], plan["text_bytes"]) == (50, 1, text.stat().st_size)
    small = hyperdive("plan", "--engine", "spark", "--executor-memory", "100m", text)
    assert "more than the 100.0 MB of an executor" in small.out
    refused = hyperdive("plan", "--engine", "spark", "s3a://bucket/text")
    assert refused.code == 1
    assert "s3a://bucket/text: plan starts no Spark" in refused.err
