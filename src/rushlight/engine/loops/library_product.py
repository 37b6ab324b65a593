"""Products of matrices that a library makes on a GPU: which ones, and the loop that queues them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import symbolic
from rushlight.engine.core.dtype import dtype, float32
from rushlight.engine.cuda import context, cublaslt, launcher, libraries
from rushlight.engine.cuda.cublaslt import Described, Matrix, Operation, Product
from rushlight.engine.cuda.product_launcher import (
    Roles,
    queue_product,
    table_of,
    table_of_any_size,
)
from rushlight.engine.loops.library_loop import LibraryLoop

# The types of results and of factors; what is added is of the result's.
TYPES = {*((k, k, k) for k in ("f32", "f64", "f16", "bf16")), ("i32", "i8", "i8")}
# The same of scaled products; both factors are not of the shorter type.
_FLOATS8 = ("f8e4m3fn", "f8e4m3fn"), ("f8e4m3fn", "f8e5m2"), ("f8e5m2", "f8e4m3fn")
SCALED_TYPES = {(made, *both) for made in ("f32", "f16", "bf16") for both in _FLOATS8}


def library_product(
    device: int, kinds: Sequence[dtype], shape: Sequence[int], strides: Sequence[Sequence[int]], alpha: Any,
    beta: Any, activation: str, label: str, scaled: bool = False, is_fast: bool = False,
) -> LibraryProduct | ProductOfAnySize | None:  # fmt: skip
    """The loop of a product by cuBLASLt; None where it is not installed or has no kernel for it.

    Args:
        device: the number of the device
        kinds: the types of the result, of what is added if there is something, and of both factors
        shape: the sizes of k, n, m and of the batch's dimensions
        strides: those of the operands over the shape, in elements
        alpha: the factor of the product
        beta: the factor of what is added
        activation: ``relu``, ``gelu``, or nothing
        label: what messages call it
        scaled: whether factors have scales, which are the last two operands
        is_fast: whether sums of scaled products may be less precise
    """
    memories = kinds[0].memory, kinds[-2].memory, kinds[-1].memory
    if memories not in (SCALED_TYPES if scaled else TYPES):
        return None
    if any(k is not kinds[0] for k in kinds[1:-2]):
        return None
    if not all(shape) or libraries.find(cublaslt.NAME) is None:
        return None
    product = described(memories, shape, strides, alpha, beta, activation)
    if product is None:
        return None
    product = product._replace(scaled=scaled, is_fast=is_fast)
    if scaled:
        kinds = [*kinds, float32, float32]
        strides = [*strides, *[[0] * len(shape)] * 2]
    steps = [[s * k.itemsize for s in own[4:]] for own, k in zip(strides, kinds)]
    if symbolic.trace() is not None:
        with context.on(device):
            shared = cublaslt.operation_of(cublaslt.kind_of(product), device)
        return ProductOfAnySize(shared, product, kinds, shape[4:], steps, label)
    with context.on(device):
        found = Described(product, device)
    return LibraryProduct(found, kinds, shape[4:], steps, label) if found.can_run else None


def described(
    memories: tuple[str, str, str], shape: Sequence[int], strides: Sequence[Sequence[int]], alpha: Any, beta: Any, activation: str,
) -> Product | None:  # fmt: skip
    """A product in the library's words: columns for rows; None if its matrices lie as the library cannot read them."""
    made, *other, a, b = strides
    k, n, m = shape[:3]
    batch = shape[3] if len(shape) > 3 else 1

    def matrix(
        memory: str, rows: int, columns: int, down: int, across: int, own: Sequence[int]
    ) -> Matrix | None:
        apart = own[3] if batch > 1 else 0
        step = step_of(rows, columns, down, across)
        if step:
            return Matrix(memory, rows, columns, step, apart)
        step = step_of(columns, rows, across, down)
        return Matrix(memory, columns, rows, step, apart, turned=True) if step else None

    kind, a_kind, b_kind = memories
    first = matrix(b_kind, n, k, b[1], b[0], b)
    second = matrix(a_kind, k, m, a[0], a[2], a)
    result = matrix(kind, n, m, made[1], made[2], made)
    if first is None or second is None or result is None or result.turned:
        return None
    if batch > 1 and not made[3]:
        return None
    if not other:
        return Product(first, second, result, None, batch, alpha, 0, activation=activation)
    (x,) = other
    if beta == 1 and x[1] == 1 and (m == 1 or not x[2]):
        apart = x[3] if batch > 1 else 0
        return Product(first, second, result, None, batch, alpha, 0, apart, activation)
    added = matrix(kind, n, m, x[1], x[2], x)
    if added is None or added.turned:
        return None
    return Product(first, second, result, added, batch, alpha, beta, activation=activation)


def step_of(rows: int, columns: int, down: int, across: int) -> int:
    """How far apart columns of neighbours are; 0 if neighbours do not lie side by side, or columns overlap."""
    if rows > 1 and down != 1:
        return 0
    if columns == 1:
        return rows
    return across if across >= rows else 0


class LibraryProduct(LibraryLoop):
    """A product that cuBLASLt makes, for operands found at each run: the result, what is added, both factors, room.

    Args:
        product: its description
        kinds: the types of the operands
        sizes: the dimensions of the batch besides the first, for each of whose indices the library is called
        steps: by how many bytes each operand moves along them
        label: what messages call it
    """

    __slots__ = ("activation", "product")
    kernel = queue_product

    def __init__(
        self, product: Described, kinds: Sequence[dtype], sizes: Sequence[int], steps: Sequence[Sequence[int]],
        label: str,
    ) -> None:  # fmt: skip
        self.product = product
        self.activation = product.product.activation
        super().__init__(product.device, product.work, kinds, sizes, steps, label)

    def call(self, places: list[int]) -> None:
        self.product.queue([places[k - 1] for k in roles_of(self, self.product.product.scaled)])

    def table(self, status: launcher.Status) -> launcher.Table:
        roles = roles_of(self, self.product.product.scaled)
        return table_of(self.product, self.label, roles, status)


class ProductOfAnySize(LibraryLoop):
    """The same for a class of calls: a program fills in the sizes, which machine code tells the library.

    Args:
        operation: what products of this kind share
        product: what is asked for; its sizes are symbols
        kinds, sizes, steps, label: as for `LibraryProduct`
    """

    __slots__ = ("activation", "operation", "product")
    kernel = queue_product

    def __init__(
        self, operation: Operation, product: Product, kinds: Sequence[dtype], sizes: Sequence[int],
        steps: Sequence[Sequence[int]], label: str,
    ) -> None:  # fmt: skip
        self.operation, self.product, self.activation = operation, product, product.activation
        super().__init__(operation.device, operation.most_work, kinds, sizes, steps, label)

    def table(self, status: launcher.Status) -> launcher.Table:
        given = self.operation, self.product, self.label
        return table_of_any_size(*given, roles_of(self, self.product.scaled), status)


def roles_of(loop: LibraryLoop, is_scaled: bool) -> Roles:
    """Which operands of a product's loop are what."""
    scales = 2 * is_scaled
    count = len(loop.strides) - bool(loop.room) - scales
    added = 2 if count > 3 else 1
    room = count + scales + 1 if loop.room else 1
    if not is_scaled:
        return Roles(1, added, count, count - 1, room)
    return Roles(1, added, count, count - 1, room, count + 2, count + 1)
