"""A batch equals its elements: for every operator that promises to take dimensions in front of its own.

What elementwise operators, those along a dimension, those on matrices, and those on pictures make of a stack of
arguments is the stack of what they make of each: as a call, into `out=`, where parts of the batch broadcast, and for a
batch of none. `tests/func/test_all_operators.py` says the same of `vmap`, for all operators.
"""

import math

import pytest

import rushlight as torch
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.sparse import is_sparse
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import batching, samples
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.transforms import derived

FAMILIES = sorted({op.family for op in samples.every_operator()})
# Operators of linear algebra on one matrix, or on several in a row, and the dimensions of whose arguments are
# counted from the front.
OF_ONE = ("linalg_tensorinv", "linalg_tensorsolve", "vander", "_linalg_check_errors")
# Tolerances broadcast over the batch, so they have dimensions of it and none of an element.
TOLERANCES = ("linalg_pinv.rcond_tensor", "linalg_matrix_rank.tol_tensor")
# A norm over all other dimensions, those in front too; an order of all dimensions; how often each is repeated.
ACROSS = ("renorm", "permute", "permute_copy", "tile")
# What PyTorch refuses for tensors without elements.
NEVER_EMPTY = {"_chunk_cat", "quantile.scalar", "nanquantile.scalar"}
# Batches of these must be of one shape; or their dimension is the first of length 3.
OF_ONE_SHAPE = {
    "ormqr", "orgqr", "linalg_householder_product", "lu_unpack", "_cholesky_solve_helper", "cross",
}  # fmt: skip
# Elements of these look at others, or at all.
OF_ROWS = ("isin", "prelu", "glu", "log_sigmoid_forward")
# Only their first argument has dimensions in front; the rest, such as weights, is for all.
SHARING = {
    "linear", "layer_norm", "rms_norm", "_fused_rms_norm", "native_layer_norm", "bucketize",
    "one_hot",
}  # fmt: skip
# Products that broadcast over what is in front of their matrices or vectors.
PRODUCTS = {"matmul", "linalg_matmul", "linalg_vecdot", "linalg_matrix_power", "matrix_power"}
# Results that are random or never written, or whose sizes elements decide.
SKIPPED = {"sampling", "sparse", "quantized"}
UNWRITTEN = ("empty", "new_empty", "resize", "_resize", "_fused_dropout", "_test", "unique")


def kind_of(op):
    """Which promise an operator makes, by what it is; None if it makes none."""
    batching.load(op.family)
    if op.packet_name in SHARING and op.overload != "Scalar":
        return "shared"
    if op.family == "pointwise":
        return None if op.packet_name in OF_ROWS else "elementwise"
    if op.packet_name in OF_ONE or op.base_name in TOLERANCES:
        return None
    if op.family == "linalg":
        return "matrices"
    if op.packet_name in PRODUCTS:
        return "matrices"
    stated = batching.derived_as.get(op.full_name, "")
    if stated.startswith(("pictures", "leading")):
        return stated
    return "dims" if derived.dim_places(op) and op.packet_name not in ACROSS else None


def promised(family):
    """The samples of a family's operators that take dimensions in front, each with its kind."""
    found = []
    for op in samples.every_operator():
        if op.family != family or op.schema.mutated or op.packet_name.startswith(UNWRITTEN):
            continue
        kind = kind_of(op)
        if kind is not None:
            found += [(op, kind, sample) for sample in samples.of_operator(op.base_name)]
    return found


# How many operators make one of these promises. Only to grow.
FEWEST = 500


def leaves(result):
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in leaves(item)]
    return [result] if isinstance(result, Tensor) else []


def elements(call, size):
    """The arguments of so many calls, no tensor in use the same in two of them."""
    scales = [1.0, 0.875, 0.75, 0.8125, 0.9375, 0.6875][:size]
    return [
        call.arguments(*(x * s if x.dtype.category >= FLOATING else x for x in call.tensors))
        for s in scales
    ]


def aligned(arguments):
    """The same arguments where matrices have as many dimensions in front as each other, and pivots one less."""
    args, kwargs = arguments
    top = max((x.dim() for x in leaves(list(args)) if x.dtype.category >= FLOATING), default=0)

    def align(x):
        if not isinstance(x, Tensor) or x.dim() < 2 - (x.dtype.category < FLOATING):
            return x
        wanted = top if x.dtype.category >= FLOATING else top - 1
        return x.reshape(*[1] * (wanted - x.dim()), *x.shape)

    return [align(x) for x in args], kwargs


def stacked(rows, batch):
    """Arguments that each hold those of several calls, with the dimensions of the batch in front."""
    first = rows[0]
    if isinstance(first, Tensor):
        return torch.stack(list(rows)).reshape(*batch, *first.shape)
    if isinstance(first, dict):
        return {key: stacked([row[key] for row in rows], batch) for key in first}
    if isinstance(first, (list, tuple)):
        return type(first)(stacked(list(items), batch) for items in zip(*rows))
    return first


class Batch:
    """A sample's calls, and the arguments of the one call for all of them; None if there is none."""

    def __init__(self, op, kind, sample, batch=(3,)):
        self.op, self.sample, self.batch = op, sample, batch
        size = math.prod(batch)
        self.calls = elements(sample.draw(), max(size, 1))
        if batching.derived_as.get(op.full_name) == "leading, aligned":
            self.calls = [aligned(call) for call in self.calls]
        if kind == "shared":
            shared = self.calls[0]
            self.calls = [([own[0], *shared[0][1:]], shared[1]) for own, _ in self.calls]
        args, kwargs = stacked(self.calls, batch) if size else emptied(self.calls[0], batch)
        if kind == "shared":
            args, kwargs = [args[0], *shared[0][1:]], shared[1]
        self.arguments = self.told_dims(kind, list(args), dict(kwargs), len(batch))

    def told_dims(self, kind, args, kwargs, count):
        """Arguments that name dimensions name the same ones behind those of the batch; None if they can't."""
        tensors = leaves([*self.calls[0][0], *self.calls[0][1].values()])
        if not tensors or any(is_sparse(x) for x in tensors):
            return None
        ranks = {x.dim() for x in tensors}
        if kind == "elementwise" and len(ranks) > 1:
            return None
        if kind.startswith("pictures") and max(ranks) != int(kind[-1]) + 1:
            return None
        if kind != "dims" and not (kind == "matrices" and derived.dim_places(self.op)):
            return args, kwargs
        if len(ranks) > 1 or 0 in ranks:
            return None
        return (args, kwargs) if tell_dims(self.op, args, kwargs, count) else None

    def seen(self, result):
        return leaves(result if self.sample.seen is None else self.sample.seen(result))

    def each(self):
        return [self.seen(self.op(*args, **kwargs)) for args, kwargs in self.calls]

    def whole(self, **outs):
        args, kwargs = self.arguments
        return self.op(*args, **kwargs, **outs)


def tell_dims(op, args, kwargs, count):
    """Name, in arguments, the same dimensions behind so many others; whether any are named."""
    for place in derived.dim_places(op):
        argument = op.schema.arguments[place]
        by_place = place < len(args)
        given = args[place] if by_place else kwargs.get(argument.name, argument.default)
        if given is None or given in ([], ()):
            return False
        holder, key = (args, place) if by_place else (kwargs, argument.name)
        holder[key] = behind(given, count)
    return True


def behind(dims, count):
    """Dimensions behind so many others."""
    if isinstance(dims, (list, tuple)):
        return [behind(dim, count) for dim in dims]
    return dims + count if dims >= 0 else dims


def emptied(arguments, batch):
    """The same arguments without any elements in the batch."""
    if isinstance(arguments, Tensor):
        return arguments.new_empty((*batch, *arguments.shape))
    if isinstance(arguments, dict):
        return {key: emptied(item, batch) for key, item in arguments.items()}
    if isinstance(arguments, (list, tuple)):
        return type(arguments)(emptied(item, batch) for item in arguments)
    return arguments


def differs(found, rows, batch):
    """Whether results are not the stack of those of the elements."""
    wanted = [torch.stack(list(column)) for column in zip(*rows)]
    wanted = [x.reshape(*batch, *x.shape[1:]) for x in wanted]
    return len(found) != len(wanted) or any(
        x.shape != y.shape
        or x.dtype is not y.dtype
        or not torch.allclose(x.resolve_neg(), y.resolve_neg(), 1e-7, 1e-7, equal_nan=True)
        for x, y in zip(found, wanted)
    )


def batches(family, batch=(3,)):
    """Every batch of a family that can be made."""
    if family in SKIPPED:
        return
    for op, kind, sample in promised(family):
        try:
            made = Batch(op, kind, sample, batch)
            rows = made.each()
        except NotImplementedError:
            continue
        shapes = {tuple((x.shape, x.dtype) for x in row) for row in rows}
        if made.arguments is not None and rows[0] and len(shapes) == 1:
            yield made, rows


def failures(family, batch, check):
    wrong = []
    for made, rows in batches(family, batch):
        try:
            fault = check(made, rows)
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"[:300]
        if fault:
            wrong.append(f"{made.sample.title}: {fault}")
    return wrong


@pytest.mark.parametrize("batch", [(3,), (2, 3)], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_dimensions_in_front(family, batch):
    def check(made, rows):
        return differs(made.seen(made.whole()), rows, batch) and "differs"

    wrong = failures(family, batch, check)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_given_outputs(family):
    def check(made, rows):
        faults = []
        whole = leaves(made.whole())
        for variant in outputs.variants(made.op)[1]:
            names = [a.name for a in variant.schema.out_arguments]
            if len(names) != len(whole):
                continue
            given = [x.new_empty(0) for x in whole]
            args, kwargs = made.arguments
            variant(*args, **kwargs, **dict(zip(names, given)))
            if differs(made.seen(tuple(given)), rows, made.batch):
                faults.append(variant.base_name)
        return faults

    wrong = failures(family, (3,), check)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("batch", [(0,), (2, 0)], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_batches_of_none(family, batch):
    def check(made, rows):
        if made.op.base_name in NEVER_EMPTY:
            with pytest.raises(RuntimeError, match="non-empty"):
                made.whole()
            return None
        found = [(tuple(x.shape), x.dtype) for x in made.seen(made.whole())]
        wanted = [((*batch, *x.shape), x.dtype) for x in rows[0]]
        return found != wanted and f"{found}, expected {wanted}"

    wrong = failures(family, batch, check)
    assert not wrong, "\n".join(wrong)


def pairs(op, calls):
    """Calls in a grid: some operands differ from row to row, the others from column to column.

    Pivots go along with the matrices in front of them.
    """
    first = calls[0][0]
    places = [place for place, x in enumerate(first) if isinstance(x, Tensor)]
    across = places[-1:] if first[places[-1]].dtype.category >= FLOATING else places[1:]

    def chosen(row, column):
        return [column[k] if k in across else x for k, x in enumerate(row)]

    downs, others = [args for args, _ in calls[:2]], [args for args, _ in calls[2:]]
    grid = [(chosen(a, b), calls[0][1]) for a in downs for b in others]
    whole = chosen(stacked(downs, (2, 1)), stacked(others, (1, 3)))
    kwargs = dict(calls[0][1])
    tell_dims(op, whole, kwargs, 2)
    return grid, (whole, kwargs)


def of_matrices(family):
    """Samples with several operands of as many dimensions as each other, whose batches broadcast."""
    for op, kind, sample in promised(family):
        calls = [aligned(call) for call in elements(sample.draw(), 5)]
        ranks = [x.dim() for x in leaves(list(calls[0][0])) if x.dtype.category >= FLOATING]
        fits = len(ranks) > 1 and (ranks[0] > 1 or op.packet_name in PRODUCTS)
        fits = fits and len(set(ranks)) == 1 and op.packet_name not in OF_ONE_SHAPE
        if kind == "matrices" and fits and "vector" not in sample.what:
            yield op, sample, calls


def test_dimensions_in_front_broadcast():
    """In linear algebra, operands with different batches."""
    wrong, count = [], 0
    for op, sample, calls in [*of_matrices("linalg"), *of_matrices("matrix")]:
        grid, (args, kwargs) = pairs(op, calls)
        # What else is told of a factorisation is of the batch of its matrix.
        try:
            found = leaves(op(*args, **kwargs))[:1]
            if differs(found, [leaves(op(*a, **k))[:1] for a, k in grid], (2, 3)):
                wrong.append(f"{sample.title} differs")
        except Exception as error:
            wrong.append(f"{sample.title}: {type(error).__name__}: {error}"[:300])
        count += 1
    assert count > 15 and not wrong, "\n".join(wrong)


def test_most_operators_promise():
    names = {op.full_name for family in FAMILIES for op, _, _ in promised(family)}
    assert len(names) >= FEWEST, len(names)
