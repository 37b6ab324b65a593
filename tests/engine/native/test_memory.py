"""The allocator."""

import ctypes
import random
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.engine.core import storage
from rushlight.engine.native import memory

assert torch.ones(1).numel() == 1  # the run-time system is there from here on
allocate, free = storage._allocate, storage._free


@pytest.mark.parametrize("size", [1, 63, 64, 65, 4095, 4096, 4097, 100_000, (1 << 21) + 1])
def test_blocks_are_aligned_and_counted(size):
    before = memory.words.current
    block = allocate(size)
    assert block % 64 == 0
    assert size <= memory.words.current - before <= size + size // 4 + 64
    ctypes.memset(block, 0xAB, size)
    free(block)
    assert memory.words.current == before


def test_blocks_are_used_again():
    block = allocate(5000)
    free(block)
    assert allocate(5000) == block
    free(block)


def test_odd_requests():
    assert allocate(0) == 0
    assert allocate(-1) == -1
    assert allocate(1 << 60) == -1
    free(0)


def test_blocks_do_not_overlap():
    generator = random.Random(0)
    before = memory.words.current
    held = {}
    for step in range(2000):
        if held and generator.random() < 0.5:
            block, (size, mark) = held.popitem()
            assert ctypes.string_at(block, size) == bytes([mark]) * size
            free(block)
        else:
            size = generator.choice([1, 64, 100, 700, 5000, 70_000])
            block, mark = allocate(size), step % 251
            assert block not in held
            ctypes.memset(block, mark, size)
            held[block] = size, mark
    for block in held:
        free(block)
    assert memory.words.current == before


def test_the_lists_are_bounded():
    limit, memory.words.cache_limit = memory.words.cache_limit, memory.words.cached
    try:
        waiting = memory.words.cached
        free(allocate(12_345_678))
        assert memory.words.cached <= waiting
    finally:
        memory.words.cache_limit = limit


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
def test_a_block_takes_hardly_more_memory_than_it_has():
    program = """
import rushlight as torch
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
kept = [torch.zeros(1 << 20)]
before = resident()
kept += [torch.zeros(1 << 20) for _ in range(16)]
assert resident() - before < 17.5 * 2**22, resident() - before
"""
    subprocess.run([sys.executable, "-c", program], check=True)
