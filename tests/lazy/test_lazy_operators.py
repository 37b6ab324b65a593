"""Every operator on the lazy device, called as its samples say: results and gradients as on the CPU."""

import warnings

import pytest

import rushlight as torch
from rushlight._lazy import config
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops import samples
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from tests.results import alike

# Its backward pass asks elements how long segments are.
WRONG = {"segment_reduce"}
# What asks whether tensors share memory, or makes tensors of another layout.
SKIPPED = ("empty", "new_empty", "resize", "_resize", "_fused_dropout")
FAMILIES = sorted(
    {op.family for op in samples.every_operator()} - {"sparse", "nested", "quantized"}
)


def run(sample, device):
    """Results, what arguments have become, and gradients."""
    torch.manual_seed(0)
    drawn = sample.draw()
    values, spec = tree_flatten(drawn.arguments(*drawn.tensors))
    leaves = [x.detach().clone() if isinstance(x, Tensor) else x for x in values]
    leaves = [x.to(device) if isinstance(x, Tensor) else x for x in leaves]
    wants = [isinstance(x, Tensor) and x.dtype.category >= FLOATING for x in leaves]
    for x, wanted in zip(leaves, wants):
        if wanted:
            x.requires_grad_()
    given = [x.clone() if isinstance(x, Tensor) else x for x in leaves]
    args, kwargs = tree_unflatten(given, spec)
    with torch.device(device):
        results = tree_leaves([operators.operator(sample.name)(*args, **kwargs)])
    outs = [x for x in results if isinstance(x, Tensor) and x.requires_grad]
    found = [*results, *(x for x in given if isinstance(x, Tensor))]
    if outs:
        sources = [x for x, wanted in zip(leaves, wants) if wanted]
        found += torch.autograd.grad(
            outs, sources, [torch.ones_like(x) for x in outs], allow_unused=True
        )
    return tree_map(lambda x: x.detach().cpu() if isinstance(x, Tensor) else x, found)


def difference(sample):
    """What is wrong on the lazy device; None where nothing is, or the call is refused anywhere."""
    try:
        expected = run(sample, "cpu")
    except (RuntimeError, TypeError, ValueError, IndexError):
        return None
    if any(isinstance(x, Tensor) and x.layout is not torch.strided for x in expected):
        return None
    found = run(sample, "lazy")
    same = len(found) == len(expected) and all(map(alike, expected, found))
    return None if same else f"{found}, not {expected}"


@pytest.mark.parametrize("family", FAMILIES)
def test_operators_compute_what_they_do_on_the_cpu(family, monkeypatch):
    monkeypatch.setattr(config, "strict", True)
    wrong, messages = set(), []
    for op in samples.every_operator():
        if op.family != family or op.packet_name.startswith(SKIPPED):
            continue
        for sample in samples.of_operator(op.base_name):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    why = difference(sample)
                except Exception as error:
                    why = f"{type(error).__name__}: {error}"
            if why is not None:
                wrong.add(sample.name)
                messages.append(f"{sample.title}: {why}"[:300])
    assert wrong <= WRONG, "\n".join(messages)
