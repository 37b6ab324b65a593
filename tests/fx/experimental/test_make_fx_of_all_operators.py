"""The graph of every operator, called as its samples say, against the call: real, fake and symbolic."""

import warnings

import pytest

import rushlight as torch
from rushlight._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedOperatorException,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops import samples
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_unflatten
from tests.results import alike, leaves

FAMILIES = sorted({op.family for op in samples.every_operator()} - {"sampling", "sparse"})
UNWRITTEN = ("empty", "new_empty", "resize", "_resize", "_fused_dropout")
# Elements decide how large a result is, or what it is.
DEPENDENT = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    GuardOnDataDependentSymNode,
)
ASKED = "It appears that you're trying to get value out of a tracing tensor"
# Operators whose graphs are wrong, or that have none. Only to become fewer.
WRONG = {
    "real": set(),
    "fake": set(),
    # No kernel for tensors without elements works out their sizes.
    "symbolic": {
        "histogram.bins_tensor", "histogram.bin_ct", "_histogramdd_bin_edges",
        "_histogramdd_from_bin_cts", "_histogramdd_from_bin_tensors", "histogramdd",
        "histogramdd.int_bins", "histogramdd.TensorList_bins",
    },
}  # fmt: skip
MOST_WRONG = {"real": 0, "fake": 0, "symbolic": 8}


def difference(sample, mode):
    """What is wrong with the graph of a call; None where nothing is, or there can be none."""
    op = operators.operator(sample.name)
    drawn = sample.draw()
    args, kwargs = drawn.arguments(*drawn.tensors)
    expected = op(*args, **kwargs)
    if any(
        isinstance(x, Tensor) and x.layout is not torch.strided
        for x in tree_leaves((expected, args, kwargs))
    ):
        return None
    drawn = sample.draw()
    values, spec = tree_flatten(drawn.arguments(*drawn.tensors))
    places = [k for k, x in enumerate(values) if isinstance(x, Tensor)]

    def call(*tensors):
        given = list(values)
        for place, tensor in zip(places, tensors):
            given[place] = tensor
        positional, named = tree_unflatten(given, spec)
        return op(*positional, **named)

    try:
        module = make_fx(call, tracing_mode=mode)(*[values[k].clone() for k in places])
    except DEPENDENT:
        return None
    except RuntimeError as error:
        if str(error).startswith(ASKED):
            return None
        raise
    found = leaves(module(*[values[k] for k in places]))
    wanted = leaves(expected)
    same = len(found) == len(wanted) and all(map(alike, wanted, found))
    return None if same else f"{found}, not {wanted}"


def samples_of(family):
    return [
        sample
        for op in samples.every_operator()
        if op.family == family and not op.packet_name.startswith(UNWRITTEN)
        for sample in samples.of_operator(op.base_name)
    ]


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
@pytest.mark.parametrize("family", FAMILIES)
def test_graphs_compute_what_calls_do(family, mode):
    wrong, messages = set(), []
    for sample in samples_of(family):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                why = difference(sample, mode)
            except UnsupportedOperatorException as error:
                why = str(error)
        if why is not None:
            wrong.add(sample.name)
            messages.append(f"{sample.title}: {why}"[:300])
    listed = {s.name for s in samples_of(family)} & WRONG[mode]
    assert wrong == listed, "\n".join(messages)


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_few_graphs_are_wrong(mode):
    assert len(WRONG[mode]) <= MOST_WRONG[mode]
