"""Sizes that no machine holds: an error each time, by the first call and by remembered ones."""

import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.engine.core import size as sizes
from rushlight.engine.native import memory, runtime

HERE = Path(__file__).parent
pytestmark = pytest.mark.usefixtures("collect")


def test_no_call_harms_the_process():
    expected, calls = [], []
    for line in (HERE / "huge_sizes.txt").read_text().splitlines():
        outcome, call = line.split(maxsplit=1)
        expected.append(outcome)
        calls.append(call)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", HERE / "huge_sizes.py"],
        input="\n".join(calls),
        capture_output=True,
        text=True,
    )
    found = done.stdout.splitlines()
    after = calls[min(len(found), len(calls) - 1)]
    assert done.returncode == 0, f"ended with {done.returncode} in {after}: {done.stderr}"
    wrong = [
        f"{call}: {words}, not {outcome}"
        for call, words, outcome in zip(calls, found, expected, strict=True)
        if set(words.split()) != {outcome}
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.zeros(2**62, 4), "Storage size calculation overflowed with sizes=[4611686018427387904, 4]"),
        (lambda: torch.zeros(0, 2**62, 4), "Stride calculation overflowed"),
        (lambda: torch.ones(1).expand(2**62, 4), "numel: integer multiplication overflow"),
        (lambda: torch.ones(3).resize_(2**62, 4), "numel: integer multiplication overflow"),
        (lambda: torch.empty_strided((2,), (2**62,)), "with sizes=[2] and strides=[4611686018427387904]"),
        (lambda: torch.empty_strided((2,), (-1,)), "with sizes=[2] and strides=[-1]"),
        (lambda: torch.zeros(2**63), "at pos 1 with error \"Overflow when unpacking long long\""),
        (lambda: torch.zeros(2**40), "DefaultCPUAllocator: can't allocate memory"),
    ],
)  # fmt: skip
def test_messages(call, message):
    for _ in range(3):
        with pytest.raises((RuntimeError, TypeError)) as caught:
            call()
        assert message in str(caught.value)


def test_a_tensor_keeps_its_geometry_when_it_cannot_be_resized():
    x = torch.arange(3.0)
    for size in ((2**62, 4), (2**62,), (2**45,)):
        with pytest.raises(RuntimeError):
            x.resize_(size)
        assert x.shape == (3,)
        assert x.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("nbytes", [-1, -(2**63), 2**63 - 1, 2**62, 2**52, 2**63 - 64, 2**50])
def test_the_allocator_takes_any_word(nbytes):
    allocate = runtime.callable_from_python(memory.allocate)
    before = torch.cpu.memory_allocated()
    assert allocate(nbytes) == -1
    assert torch.cpu.memory_allocated() == before


def test_products_are_checked():
    assert sizes.numel((2**31, 2**31)) == 2**62
    assert sizes.numel((0, 2**62, 4)) == 0
    with pytest.raises(RuntimeError, match="numel"):
        sizes.numel((2**32, 2**31))
    assert sizes.storage_bytes((2, 3), (3, 1), 1, 4) == 28
    with pytest.raises(RuntimeError, match="Storage size"):
        sizes.storage_bytes((2**61,), (1,), 0, 4)
    with pytest.raises(RuntimeError, match="Storage size"):
        sizes.count_bytes(2**61)


def test_memory_that_runs_out_for_others_is_the_same_error():
    with pytest.raises(torch.OutOfMemoryError, match="memory ran out during the call"):
        torch.histc(torch.ones(3), bins=2**45)
    with pytest.raises(torch.OutOfMemoryError, match="memory ran out during the call"):
        torch.ones(1).expand(2**60).tolist()
