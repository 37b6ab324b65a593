"""Every operator in a fused loop, called as its samples say: results and gradients as without."""

import warnings

import pytest

import rushlight as torch
from rushlight._inductor.lowering import lower
from rushlight.engine.core.tensor import Tensor
from rushlight.functorch.compile import (
    aot_function,
    make_boxed_func,
    min_cut_rematerialization_partition,
)
from rushlight.utils._pytree import tree_flatten, tree_map, tree_unflatten
from tests.functorch.test_aot_of_all_operators import (
    ASKED,
    DEPENDENT,
    FAMILIES,
    KINDS,
    WRONG,
    one_of_each_packet,
    run,
    samples_of,
)
from tests.results import alike


def around(x):
    """The same values by two more calls, which may share a loop with others."""
    if not isinstance(x, Tensor) or x.dtype is torch.bool or x.layout is not torch.strided:
        return x
    return torch.neg(torch.neg(x))


def wrapped(op, args, kwargs):
    args, kwargs = tree_map(around, (args, kwargs))
    return tree_map(around, op(*args, **kwargs))


def compiler(graph, inputs):
    return make_boxed_func(lower(graph, fewest=1))


def difference(sample, dynamic):
    """What is wrong with a compiled call; None where nothing is, or there can be none."""
    try:
        expected = run(wrapped, sample)
    except (RuntimeError, TypeError):
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
            return wrapped(op, args, kwargs)

        tensors = [x for x in flat if isinstance(x, Tensor)]
        cut = min_cut_rematerialization_partition
        made = aot_function(program, compiler, partition_fn=cut, dynamic=dynamic)
        return made(*tensors)

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


# Operators without shape rules for sizes that are symbols.
STATIC = {
    "_histogramdd_bin_edges", "_histogramdd_from_bin_cts", "_histogramdd_from_bin_tensors",
    "histogramdd", "histogramdd.int_bins", "histogramdd.TensorList_bins",
}  # fmt: skip


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_fused_calls_compute_what_calls_do(family, dynamic, every_sample):
    wrong, messages = set(), []
    chosen = samples_of(family)
    if dynamic and not every_sample:
        # Loops are those of plain sizes, which all samples are tried with.
        chosen = one_of_each_packet(chosen)
    for sample in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                why = difference(sample, dynamic)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
        if why is not None:
            wrong.add(sample.name)
            messages.append(f"{sample.title}: {why}"[:300])
    assert wrong <= (WRONG | STATIC if dynamic else WRONG), "\n".join(messages)
