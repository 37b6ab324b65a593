"""A scalar function over lists of tensors, as optimizers need it: see `core.tensor_lists`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import objects
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import COMPLEX, dtype
from rushlight.engine.core.tensor_lists import LIST
from rushlight.engine.loops import promotion
from rushlight.engine.loops.map_kernel import map_ir
from rushlight.engine.loops.plan import number_kind
from rushlight.engine.native import heap_types, machine, threads


class ListLoop:
    """A loop over rows of contiguous tensors; the first ones of each row are written.

    Args:
        body: the scalar function, from a row's elements and the numbers to the written elements
        dtypes: the types of a row's tensors; complex ones are walked as pairs of real numbers
        outputs: how many tensors of a row are written
        numbers: how many numbers the function takes besides
    """

    __slots__ = ("_keep", "address")

    def __init__(
        self, body: Callable[..., Any], dtypes: Sequence[dtype], outputs: int, numbers: int
    ) -> None:
        reals = [d.to_real() for d in dtypes]
        parts = 2 if dtypes[0].category == COMPLEX else 1
        if any((d.category == COMPLEX) != (parts == 2) for d in dtypes):
            raise TypeError("a row holds complex and real tensors")
        memories = [d.memory for d in reals]
        compute = promotion.compute_type(reals[0])
        letters = "c" * (outputs + len(dtypes)) + "s" * numbers
        ins = [*memories, *[compute] * numbers]
        text = map_ir(body, memories[:outputs], ins, [compute] * len(ins), letters)
        kinds = (ctypes.c_uint8 * max(numbers, 1))(*[number_kind(compute)] * numbers)
        strides = (ctypes.c_int64 * (2 * len(letters)))()
        header = {
            LIST.kernel: machine.address(text),
            LIST.columns: len(dtypes),
            LIST.outputs: outputs,
            LIST.numbers: numbers,
            LIST.parts: parts,
            LIST.moved: sum(d.itemsize for d in reals) + sum(d.itemsize for d in reals[:outputs]),
            LIST.kinds: ctypes.addressof(kinds),
            LIST.strides: ctypes.addressof(strides),
        }
        words = [header[position] for position in sorted(header)]
        for given, real in zip(dtypes, reals):
            words += [given.code | objects.CONTIGUOUS, real.itemsize]
        buffer = (ctypes.c_int64 * len(words))(*words)
        self.address = ctypes.addressof(buffer)
        self._keep = (buffer, kinds, strides)
        threads.ensure_started()

    def run(self, rows: list[Any], *numbers: float) -> bool:
        """Run over a flat list of rows; False, with nothing done, if a tensor is out of the ordinary.

        That is: of another type or length, not contiguous, of a subclass, with keys of its own.
        """
        if not heap_types.supported():
            return False
        return bool(tensors.machine()["run_rows"](self.address, rows, *numbers))


def elements(tensors_: list[Any]) -> tuple[float, ...] | None:
    """The numbers of one-element tensors at once; None where one is out of the ordinary."""
    if not heap_types.supported():
        return None
    found: tuple[float, ...] | None = tensors.machine()["elements"](tensors_)
    return None if found is None or None in found else found
