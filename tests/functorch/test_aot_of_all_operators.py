"""Every operator, called as its samples say, through `aot_function`: results, gradients and changes of arguments."""

import warnings

import pytest

import rushlight as torch
from rushlight._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedFakeTensorException,
)
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops import samples
from rushlight.functorch.compile import (
    aot_function,
    default_partition,
    min_cut_rematerialization_partition,
    nop,
)
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_unflatten
from tests.results import alike

FAMILIES = sorted({op.family for op in samples.every_operator()} - {"sampling", "sparse"})
UNWRITTEN = ("empty", "new_empty", "resize", "_resize", "_fused_dropout")
# Elements decide how large a result is, or what it is.
DEPENDENT = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    GuardOnDataDependentSymNode,
    UnsupportedFakeTensorException,
)
ASKED = "It appears that you're trying to get value out of a tracing tensor"
# What results of programs may be.
KINDS = (Tensor, int, float, complex, bool, type(None))
# Operators whose compiled form is wrong, or which have none. Only to become fewer.
WRONG = {
    # Its backward pass asks elements how long segments are.
    "segment_reduce",
    # Made of copies that a history records, which a graph has as one operator that records nothing.
    "_cummax_helper", "_cummin_helper",
}  # fmt: skip
MOST_WRONG = 3


def run(function, sample, seed=0):
    """Results, what arguments have become, and gradients; or the error where the call fails."""
    drawn = sample.draw()
    values, spec = tree_flatten(drawn.arguments(*drawn.tensors))
    places = [k for k, x in enumerate(values) if isinstance(x, Tensor)]
    leaves = [
        values[k].detach().clone().requires_grad_(values[k].dtype.category >= FLOATING)
        for k in places
    ]
    tensors = [x.clone() for x in leaves]

    def call(*tensors):
        given = list(values)
        for place, tensor in zip(places, tensors):
            given[place] = tensor
        positional, named = tree_unflatten(given, spec)
        return function(operators.operator(sample.name), positional, named)

    torch.manual_seed(seed)
    found = tree_leaves([call(*tensors)])
    wanted = [x for x in (*found, *tensors) if isinstance(x, Tensor) and x.requires_grad]
    grads = []
    if wanted:
        torch.manual_seed(1)
        loss = sum((x * torch.rand(x.shape, dtype=x.dtype)).sum().abs() for x in wanted)
        inputs = [x for x in leaves if x.requires_grad]
        grads = torch.autograd.grad(loss, inputs, allow_unused=True)
        grads = [torch.zeros_like(x) if g is None else g for x, g in zip(inputs, grads)]
    return [*found, *tensors, *grads]


def called(op, args, kwargs):
    return op(*args, **kwargs)


def difference(sample, partition):
    """What is wrong with a compiled call; None where nothing is, or there can be none."""
    try:
        expected = run(called, sample)
    except RuntimeError:
        # The call itself, or its gradient, is refused.
        return None
    if not all(isinstance(x, KINDS) for x in expected):
        return None
    if any(isinstance(x, Tensor) and x.layout is not torch.strided for x in expected):
        return None

    def compiled(op, args, kwargs):
        flat, spec = tree_flatten((args, kwargs))

        def program(*tensors):
            given = iter(tensors)
            filled = [next(given) if isinstance(x, Tensor) else x for x in flat]
            args, kwargs = tree_unflatten(filled, spec)
            return op(*args, **kwargs)

        tensors = [x for x in flat if isinstance(x, Tensor)]
        return aot_function(program, nop, partition_fn=partition)(*tensors)

    try:
        found = run(compiled, sample)
    except DEPENDENT:
        return None
    except RuntimeError as error:
        if str(error).startswith(ASKED):
            return None
        raise
    same = len(found) == len(expected) and all(map(alike, expected, found))
    return None if same else f"{found}, not {expected}"


def samples_of(family):
    return [
        sample
        for op in samples.every_operator()
        if op.family == family and not op.packet_name.startswith(UNWRITTEN)
        for sample in samples.of_operator(op.base_name)
    ]


def one_of_each_packet(samples):
    """The first sample of each operator, whichever overload it is of."""
    return list({sample.name.partition(".")[0]: sample for sample in reversed(samples)}.values())


@pytest.mark.parametrize("partition", [default_partition, min_cut_rematerialization_partition])
@pytest.mark.parametrize("family", FAMILIES)
def test_compiled_calls_compute_what_calls_do(family, partition, every_sample):
    wrong, messages = set(), []
    chosen = samples_of(family)
    if partition is not default_partition and not every_sample:
        # The graph is the same, and is cut elsewhere, as all are for fused loops.
        chosen = one_of_each_packet(chosen)
    for sample in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                why = difference(sample, partition)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
        if why is not None:
            wrong.add(sample.name)
            messages.append(f"{sample.title}: {why}"[:300])
    assert wrong == {s.name for s in chosen} & WRONG, "\n".join(messages)


def test_few_are_wrong():
    assert len(WRONG) <= MOST_WRONG
