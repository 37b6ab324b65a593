"""Convolutions by cuDNN: what it is asked for, on a stand-in of it."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.engine.cuda import libraries
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import plans
from rushlight.engine.native import heap_types
from rushlight.nn import functional as F


@pytest.fixture
def convolutions(with_stand_in):
    """A function that puts a stand-in in the place of cuDNN; the rest of CUDA is one, too."""
    from stand_in_cudnn import Convolutions

    def use(**settings):
        made = Convolutions(driver, **settings)
        libraries.use("cudnn", made)
        plans.forget_all()
        call_cache.forget_calls()
        return made

    driver = with_stand_in()
    yield use
    plans.forget_all()
    call_cache.forget_calls()


def same(function, *given, kind=torch.float32, format=torch.contiguous_format):
    """Results and gradients on the device are those on the host."""
    torch.manual_seed(0)
    hosts = [torch.randn(*size).to(kind) for size in given]
    near = {"rtol": 3e-2, "atol": 3e-2} if kind.itemsize == 2 else {"rtol": 1e-4, "atol": 1e-5}
    found = []
    for where in ("cpu", "cuda"):
        leaves = [x.to(where).clone() for x in hosts]
        if format is not torch.contiguous_format:
            leaves[0] = leaves[0].to(memory_format=format)
        leaves = [x.detach().requires_grad_() for x in leaves]
        made = function(*leaves)
        grad = torch.linspace(-1, 1, made.numel()).to(kind).reshape(made.shape).to(where)
        made.backward(grad)
        found.append([made.detach().cpu(), *(x.grad.cpu() for x in leaves)])
        assert format is torch.contiguous_format or made.is_contiguous(memory_format=format)
    torch.testing.assert_close(found[1], found[0], **near)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_convolutions_and_their_gradients(convolutions, kind):
    library = convolutions()
    same(lambda x, w, b: F.conv2d(x, w, b, padding=1), (2, 3, 5, 6), (4, 3, 3, 3), (4,), kind=kind)
    assert [way for way, _, _ in library.made] == ["Forward", "BackwardData", "BackwardFilter"]
    same(
        lambda x, w: F.conv2d(x, w, stride=(2, 1), dilation=(1, 2), groups=2),
        (2, 4, 7, 6), (6, 2, 3, 2), kind=kind,
    )  # fmt: skip
    assert library.made[-1][2]["groups"] == 2 and library.made[-1][2]["dilation"] == [1, 2]


def test_other_dimensions(convolutions):
    library = convolutions()
    same(lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1), (2, 3, 9), (4, 3, 3), (4,))
    assert library.made[0][2]["padding"] == [0, 1]
    same(lambda x, w: F.conv3d(x, w), (1, 2, 4, 4, 3), (3, 2, 2, 3, 2))
    assert len(library.made) == 6


def test_transposed_convolutions(convolutions):
    library = convolutions()
    same(
        lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
        (2, 4, 4, 3), (4, 3, 3, 3), (3,),
    )  # fmt: skip
    assert [way for way, _, _ in library.made] == ["BackwardData", "Forward", "BackwardFilter"]
    before = len(library.made)
    # More windows fit into this result than the image has elements: not the library's.
    x, w = torch.randn(1, 2, 4), torch.randn(2, 2, 2)
    call = lambda x, w: F.conv_transpose1d(x, w, dilation=3, output_padding=2)
    torch.testing.assert_close(call(x.cuda(), w.cuda()).cpu(), call(x, w))
    assert len(library.made) == before


def test_channels_that_are_the_innermost_stay_so(convolutions):
    library = convolutions()
    same(
        lambda x, w, b: F.conv2d(x, w, b), (2, 3, 5, 6), (4, 3, 3, 3), (4,),
        format=torch.channels_last,
    )  # fmt: skip
    assert len(library.made) == 3


def test_operands_that_lie_in_another_way_are_copied(convolutions):
    convolutions()
    same(lambda x, w: F.conv2d(x.transpose(2, 3), w[:, ::2]), (2, 3, 6, 5), (4, 6, 3, 3))


def test_switches(convolutions):
    library = convolutions()
    backend = torch.backends.cudnn
    x, w = torch.randn(1, 2, 4, 4, device="cuda"), torch.randn(3, 2, 3, 3, device="cuda")
    assert backend.is_available() and backend.version() == 92800 and backend.is_acceptable(x)
    assert not backend.is_acceptable(x.cpu()) and not backend.is_acceptable(x.long())

    def last():
        F.conv2d(x, w)
        _, algorithm, facts = library.made[-1]
        return algorithm, facts["math"]

    assert last() == (1, 0)
    with backend.flags(enabled=True, deterministic=True, allow_tf32=False):
        assert last() == (2, 3)
    assert last() == (1, 0)
    torch.use_deterministic_algorithms(True)
    try:
        assert last()[0] == 2
    finally:
        torch.use_deterministic_algorithms(False)
    backend.benchmark = True
    try:
        last()
        assert "cudnnFindConvolutionForwardAlgorithm" in library.calls
    finally:
        backend.benchmark = False
    before = len(library.made)
    with backend.flags(enabled=False):
        F.conv2d(x, w)
        assert not backend.is_acceptable(x)
    assert len(library.made) == before and backend.enabled


def test_what_the_library_cannot_do_is_a_product(convolutions):
    library = convolutions(supported=False)
    same(lambda x, w: F.conv2d(x, w), (1, 2, 4, 4), (3, 2, 3, 3))
    assert not library.made


@pytest.mark.skipif(not heap_types.supported(), reason="machine code that looks into objects")
@pytest.mark.parametrize("work", [0, 512])
def test_calls_that_come_again_run_no_python(convolutions, work):
    from test_remembered_launches import functions_of

    library = convolutions(work=work)
    x, w, b = torch.randn(1, 2, 4, 4), torch.randn(3, 2, 3, 3), torch.randn(3)
    there = x.cuda(), w.cuda(), b.cuda()
    settings = [1, 1], [0, 0], [1, 1], False, [0, 0], 1
    call = lambda: torch.convolution(*there, *settings)
    for _ in range(4):
        call()
    before = len(library.made)
    assert functions_of(call) == []
    assert len(library.made) == before + 1
    torch.testing.assert_close(call().cpu(), F.conv2d(x, w, b))
