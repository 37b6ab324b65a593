"""Guards on tensors as one call: which tensors a table takes."""

from __future__ import annotations

import threading

import pytest

import rushlight as torch
from rushlight.engine.core import tensor
from rushlight.engine.core.tensor_guards import Expected, Table
from rushlight.engine.native import heap_types

pytestmark = pytest.mark.skipif(
    not heap_types.supported(), reason="generated code does not touch objects here"
)


def expected(x: torch.Tensor, size: bool = True) -> Expected:
    sizes = (x._size_, x._stride_) if size else (None, None)
    return Expected(type(x), *sizes, x._dtype_, x._keys_)


def holds(table: Table, *tensors: object) -> bool:
    found: bool = tensor.machine()["are_expected"](table.address, *tensors)
    return found


def test_a_table_takes_tensors_that_are_alike():
    table = Table([expected(torch.ones(2, 3)), expected(torch.ones(4))], None)
    assert holds(table, torch.zeros(2, 3), torch.zeros(4))
    for other in (
        torch.zeros(3, 2),
        torch.zeros(3, 2).t(),
        torch.zeros(2, 3, dtype=torch.float64),
        torch.zeros(2, 3, requires_grad=True),
        torch.nn.Parameter(torch.zeros(2, 3)),
        None,
        "x",
    ):
        assert not holds(table, other, torch.zeros(4))
        assert not holds(table, torch.zeros(2, 3), other)


def test_sizes_may_be_left_open():
    table = Table([expected(torch.ones(2, 3), size=False)], None)
    assert holds(table, torch.zeros(5).view(5, 1).t())
    assert not holds(table, torch.zeros(2, 3, dtype=torch.int64))


def test_recording_is_that_of_the_thread():
    on, off = (Table([expected(torch.ones(2))], recording) for recording in (True, False))
    x = torch.ones(2)
    assert holds(on, x) and not holds(off, x)
    with torch.no_grad():
        assert holds(off, x) and not holds(on, x)
        found: list[tuple[bool, bool]] = []

        def look() -> None:
            found.append((holds(on, x), holds(off, x)))
            with torch.no_grad():
                # Two threads have gradients switched off.
                found.append((holds(on, x), holds(off, x)))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert found == [(True, False), (False, True)]
