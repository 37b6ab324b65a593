"""The graph of every operator's gradient, made for its samples and run on other tensors: nothing of the samples stays in it."""

import warnings

import pytest

import rushlight as torch
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import samples
from rushlight.fx.experimental.proxy_tensor import make_fx
from tests.results import alike, leaves

SKIPPED = {"sampling", "sparse", "quantized", "nested"}
FAMILIES = sorted({op.family for op in samples.every_operator()} - SKIPPED)
UNWRITTEN = ("empty", "new_empty", "resize", "_fused_dropout")
ASKED = "It appears that you're trying to get value out of a tracing tensor"


def gradients_of(call):
    """A function of a call's tensors that gives their gradients."""

    def gradients(*tensors):
        given = [x.detach().requires_grad_() for x in tensors]
        outs = [x for x in leaves(call.run(*given)) if isinstance(x, Tensor) and x.requires_grad]
        totals = [x.abs().sum() if x.is_complex() else x.sum() for x in outs]
        return [x for x in torch.autograd.grad(totals, given, allow_unused=True) if x is not None]

    return gradients


def samples_of(family):
    return [
        sample
        for op in samples.every_operator()
        if op.family == family and not op.packet_name.startswith(UNWRITTEN)
        for sample in samples.of_operator(op.base_name)
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_of_the_samples_stays(family):
    wrong = []
    for sample in samples_of(family):
        call = sample.draw()
        gradients, other = gradients_of(call), [x * 0.9 + 0.01 for x in call.tensors]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = gradients(*other) if other and gradients(*call.tensors) else []
            except (RuntimeError, NotImplementedError, TypeError, ValueError):
                # There is no gradient, or none for other elements.
                continue
            if not expected:
                continue
            try:
                found = make_fx(gradients)(*call.tensors)(*other)
            except RuntimeError as error:
                if str(error).startswith(ASKED):
                    continue
                raise
        if not all(map(alike, expected, found)):
            wrong.append(sample.title)
    assert not wrong


def test_changed_views():
    def gradient(x):
        x = x.detach().requires_grad_()
        y = x * 1
        y[0].mul_(x[1].sin())
        return torch.autograd.grad(y.sum(), x)[0]

    graph = make_fx(gradient)(torch.zeros(2, 2))
    x = torch.randn(2, 2)
    torch.testing.assert_close(graph(x), gradient(x))
