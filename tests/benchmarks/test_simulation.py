"""The model of latency and bandwidth, by steps whose times can be worked out."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from simulation import network, training  # noqa: E402
from simulation.network import Network  # noqa: E402

FREE = Network(0.0, float("inf"))
MODEL = training.Model(layers=4, width=64, vocabulary=100, sequence=32)
SPEED = 1e9


def computing(examples: int) -> float:
    """The seconds of a step on one rank."""
    operations = MODEL.layers * MODEL.block_operations(examples) + MODEL.head_operations(examples)
    return (1 + training.BACKWARD) * operations / SPEED


def test_collectives_cost_messages_and_bytes():
    assert network.costs("all_reduce", 8, 800) == (6, 1400)
    assert network.costs("all_gather", 4, 800) == (2, 600)
    assert network.costs("all_to_all", 4, 800) == (3, 600)
    assert network.costs("broadcast", 5, 800) == (3, 800)
    assert network.costs("all_reduce", 1, 800) == (0, 0)
    assert Network(1e-3, 1e6).seconds("all_gather", 4, 8000) == pytest.approx(2e-3 + 6e-3)
    with pytest.raises(ValueError, match="gossip"):
        network.costs("gossip", 2, 1)


def test_latency_and_bandwidth_are_found_from_times():
    there = Network(2e-5, 3e9)
    calls = [
        (kind, ranks, 1 << k, there.seconds(kind, ranks, 1 << k))
        for kind in ("all_reduce", "broadcast") for ranks in (2, 4) for k in (8, 14, 20, 26)
    ]  # fmt: skip
    found = network.fitted(calls)
    assert found.latency == pytest.approx(2e-5, rel=1e-3)
    assert found.bandwidth == pytest.approx(3e9, rel=1e-3)
    assert network.worst_error(found, calls) < 1.001
    kind, ranks, nbytes, seconds = calls[0]
    assert network.worst_error(found, [(kind, ranks, nbytes, 2 * seconds)]) == pytest.approx(
        2, rel=1e-3
    )


@pytest.mark.parametrize("step", [training.data_parallel, training.fully_sharded])
def test_steps_take_what_is_computed_where_the_network_is_free(step):
    found = step(MODEL, FREE, 64, 2, SPEED)
    assert found.seconds == pytest.approx(computing(2)) and found.waited == 0


@pytest.mark.parametrize("step", [training.data_parallel, training.fully_sharded])
def test_steps_take_what_is_sent_where_the_network_is_slow(step):
    slow = Network(0.0, 1e3)
    found = step(MODEL, slow, 8, 1, SPEED)
    matrices = MODEL.layers * MODEL.block * MODEL.item * 7 / 8
    words = MODEL.vocabulary * MODEL.width * MODEL.item * 7 / 8
    # All gradients there and back, or all blocks gathered twice and their gradients scattered.
    sent = 2 * (matrices + words) if step is training.data_parallel else 3 * matrices
    assert found.seconds == pytest.approx(sent / 1e3, rel=0.01)
    assert found.waited == pytest.approx(found.seconds - computing(1))


def test_buckets_are_sent_beside_the_backward_pass():
    # As long to send as to compute: with small buckets both go on at once.
    sent = 2 * MODEL.parameters * MODEL.item / 2
    links = Network(0.0, sent / computing(4))
    small = training.data_parallel(MODEL, links, 2, 4, SPEED, bucket=1 << 10)
    large = training.data_parallel(MODEL, links, 2, 4, SPEED, bucket=1 << 30)
    assert large.seconds == pytest.approx(2 * computing(4))
    assert small.seconds < 1.5 * computing(4)


def test_blocks_are_gathered_ahead():
    block = MODEL.block_operations(4) / SPEED
    links = Network(0.0, MODEL.block * MODEL.item / 2 / block)
    ahead = training.fully_sharded(MODEL, links, 2, 4, SPEED)
    alone = training.fully_sharded(dataclasses.replace(MODEL, layers=1), links, 2, 4, SPEED)
    # Only the first gather and the last scatter are waited for.
    assert ahead.waited == pytest.approx(2 * block) == pytest.approx(alone.waited)


def test_ranks_that_share_a_block_wait_for_each_other():
    inner = Network(0.0, 1e6)
    found = training.fully_sharded(MODEL, FREE, 16, 2, SPEED, training.Shared(8, inner))
    words = 2 * 8 * MODEL.sequence * MODEL.width * MODEL.item
    # Two exchanges a block in each pass.
    waited = 2 * 2 * MODEL.layers * inner.seconds("all_reduce", 8, words)
    assert found.waited == pytest.approx(waited)
    assert found.seconds == pytest.approx(computing(2) + waited)


def test_the_table_is_printed():
    ended = subprocess.run(
        [sys.executable, str(BENCHMARKS / "simulation"), "--no-measurement"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[-10].split()[0] == "8" and lines[-1].split()[0] == "4096"
