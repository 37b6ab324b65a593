"""Every operator on fake tensors, called as its samples say, against the real call."""

import pytest

import rushlight as torch
from rushlight._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops import samples
from rushlight.utils._pytree import tree_leaves, tree_map_only

FAMILIES = sorted({op.family for op in samples.every_operator()})
# Operators that are not right on fakes. Only to become fewer.
WRONG = {"_validate_compressed_sparse_indices"}
# Elements decide how large a result is, or what it is.
DEPENDENT = (DataDependentOutputException, DynamicOutputShapeException)


def tensors_of(*values):
    return [x for x in tree_leaves(values) if isinstance(x, Tensor)]


def described(value, given):
    """All that is known of a result: also whose memory it is over, and which argument it is."""
    if not isinstance(value, Tensor):
        return type(value)
    shape = tuple(value.shape)
    steps = [s for s, n in zip(value.stride(), shape) if n != 1] if value.numel() else []
    same = [k for k, x in enumerate(given) if x is value]
    shared = [k for k, x in enumerate(given) if x._storage_ is value._storage_]
    offset = value.storage_offset()
    return shape, steps, value.dtype, str(value.device), offset, same, shared


def facts(values, given):
    leaves = tree_leaves(list(values) if isinstance(values, (list, tuple)) else [values])
    return [described(x, given) for x in leaves] + [described(x, given) for x in given]


def is_sparse(values):
    return any(x.layout is not torch.strided for x in tensors_of(values))


def difference(sample):
    """What is wrong with a call on fakes; None where nothing is."""
    op = operators.operator(sample.name)
    drawn = sample.draw()
    args, kwargs = drawn.arguments(*drawn.tensors)
    real = op(*args, **kwargs)
    if is_sparse([real, args, kwargs]):
        return None
    expected = facts(real, tensors_of(args, kwargs))
    drawn = sample.draw()
    mode = FakeTensorMode()
    given = tree_map_only(Tensor, mode.from_tensor, drawn.arguments(*drawn.tensors))
    try:
        with mode:
            made = op(*given[0], **given[1])
    except DEPENDENT:
        return None
    if not all(isinstance(x, FakeTensor) for x in tensors_of(made)):
        return "a result is no fake"
    found = facts(made, tensors_of(*given))
    return None if found == expected else f"{found}, not {expected}"


def samples_of(family):
    return [
        sample
        for op in samples.every_operator()
        if op.family == family
        for sample in samples.of_operator(op.base_name)
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_fakes_are_like_real_results(family):
    wrong, messages = set(), []
    for sample in samples_of(family):
        try:
            why = difference(sample)
        except UnsupportedFakeTensorException:
            continue
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        if why is not None:
            wrong.add(sample.name)
            messages.append(f"{sample.title}: {why}"[:300])
    listed = {s.name for s in samples_of(family)} & WRONG
    assert wrong == listed, "\n".join(messages)


def test_few_operators_are_wrong():
    assert len(WRONG) <= 1
