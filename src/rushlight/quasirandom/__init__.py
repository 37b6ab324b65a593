"""Sequences that fill a cube more evenly than random points."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

import rushlight as torch

__all__ = ["SobolEngine"]

_BITS = 30


def _direction_numbers(line: str) -> list[int]:
    """A dimension's numbers, one per bit, from its polynomial and the first of them.

    A line has the polynomial's degree, its inner coefficients as bits, and as many odd numbers as
    the degree. (S. Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional
    projections, 2008.)
    """
    degree, inner, *first = map(int, line.split())
    numbers = [m << (_BITS - 1 - place) for place, m in enumerate(first)]
    for place in range(degree, _BITS):
        number = numbers[place - degree] ^ (numbers[place - degree] >> degree)
        for k in range(1, degree):
            if inner >> (degree - 1 - k) & 1:
                number ^= numbers[place - k]
        numbers.append(number)
    return numbers


@lru_cache(maxsize=1)
def _lines() -> list[str]:
    return resources.files(__name__).joinpath("directions.txt").read_text().splitlines()


def _directions(dimension: int) -> list[list[int]]:
    """The first dimension is that of van der Corput's sequence; the others are in the file."""
    known = 1 + len(_lines())
    if dimension > known:
        raise NotImplementedError(
            f"SobolEngine: rushlight has numbers for {known} dimensions, but got {dimension}"
        )
    first = [1 << (_BITS - 1 - place) for place in range(_BITS)]
    return [first, *map(_direction_numbers, _lines()[: dimension - 1])]


class SobolEngine:
    """Points of a Sobol sequence in the unit cube.

    Args:
        dimension: of the points
        scramble: turn the points by random matrices of bits and shift them
        seed: for the scrambling; the default generator's state is used if None
    """

    MAXBIT = _BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(
                "Supported range of dimensionality for SobolEngine is [1, " + f"{self.MAXDIM}]"
            )
        self.dimension = dimension
        self.scramble = scramble
        self.seed = seed
        self.sobolstate: Any = torch.tensor(_directions(dimension))
        self.shift: Any = torch.zeros(dimension, dtype=torch.int64)
        if scramble:
            self._scramble()
        self.quasi: Any = self.shift.clone()
        self.num_generated = 0

    def _scramble(self) -> None:
        generator = None if self.seed is None else torch.Generator().manual_seed(self.seed)
        size = (self.dimension, _BITS)
        shifts = torch.randint(2, size, generator=generator)
        self.shift = (shifts << torch.arange(_BITS)).sum(1)
        turns: Any = torch.randint(2, (*size, _BITS), generator=generator).tril()
        turns.diagonal(0, -2, -1).fill_(1)
        # The bits of each number, the highest first, times the matrix, modulo two.
        places = torch.arange(_BITS - 1, -1, -1)
        bits = self.sobolstate[:, None, :] >> places[:, None] & 1
        self.sobolstate = ((turns @ bits & 1) << places[:, None]).sum(1)

    def _numbers(self, first: int, n: int) -> Any:
        """The points from a place on, as whole numbers; each is the sum of a Gray code's bits."""
        places = torch.arange(first, first + n)
        codes = places ^ (places >> 1)
        made = self.shift.expand(n, self.dimension).clone()
        for bit in range((first + n).bit_length()):
            made ^= (codes >> bit & 1)[:, None] * self.sobolstate[:, bit]
        return made

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """The next points, as a tensor of ``n`` rows.

        Args:
            n: how many
            out: where to write them
            dtype: their type; the default type if None
        """
        numbers = self._numbers(self.num_generated, n)
        points = numbers.to(dtype or torch.get_default_dtype()) / 2**_BITS
        if n:
            self.quasi = numbers[-1]
        self.num_generated += n
        if out is None:
            return points
        return out.resize_(points.shape).copy_(points)

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """The next ``2**m`` points, where that leaves the number of all of them a power of two."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Go back to the first point."""
        self.quasi = self.shift.clone()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out points."""
        self.num_generated += n
        if self.num_generated:
            self.quasi = self._numbers(self.num_generated - 1, 1)[0]
        return self

    def __repr__(self) -> str:
        described = [f"dimension={self.dimension}"]
        described += ["scramble=True"] if self.scramble else []
        described += [] if self.seed is None else [f"seed={self.seed}"]
        return f"SobolEngine({', '.join(described)})"
