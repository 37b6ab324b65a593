"""Kernels that programs write as loops over elements."""

import itertools

import pytest

import rushlight as torch
from rushlight.utils.kernels import compiled

serial = itertools.count()


@compiled
def smoothed(out, x, share):
    for i in range(x.size(0)):
        for j in range(1, x.size(1) - 1):
            out[i, j] = x[i, j] + share * (x[i, j - 1] + x[i, j + 1])


@compiled
def counted(counts, values):
    for i in range(values.size(0)):
        k = values[i]
        if k >= 0 and k < counts.size(0):
            counts[k] += 1


@compiled
def halves(out):
    for i in range(out.size(0)):
        out[i] = out.cast(i) * 0.5


def expected(x, share):
    made = torch.zeros_like(x)
    made[:, 1:-1] = x[:, 1:-1] + share * (x[:, :-2] + x[:, 2:])
    return made


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_strides_and_types(dtype):
    whole = torch.randn(6, 8, dtype=torch.float64).to(dtype)
    for x in (whole, whole.t(), whole[1:, ::2], whole[:0]):
        out = torch.zeros(x.shape, dtype=dtype)
        smoothed(out, x, 0.25)
        torch.testing.assert_close(out, expected(x.double(), 0.25).to(dtype))


def test_a_write_through_a_view():
    whole = torch.zeros(4, 5)
    x = torch.rand(5, 4)
    before = x._version
    smoothed(whole.t(), x, 0.5)
    torch.testing.assert_close(whole.t(), expected(x, 0.5))
    assert whole._version == 1 and x._version == before


def test_whole_numbers():
    values = torch.randint(-2, 12, (1000,), dtype=torch.int32)
    counts = torch.zeros(10, dtype=torch.int16)
    counted(counts, values)
    inside = values[(values >= 0) & (values < 10)]
    assert counts.tolist() == torch.bincount(inside.long(), minlength=10).tolist()
    marks = torch.zeros(3, dtype=torch.bool)
    counted(marks, torch.tensor([1, 1], dtype=torch.uint8)[:1])
    assert marks.tolist() == [False, True, False]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.int64])
def test_numbers_become_what_elements_are(dtype):
    out = torch.zeros(4, dtype=dtype)
    if dtype is torch.int64:
        with pytest.raises(SyntaxError, match=r"0\.5"):
            halves(out)
        return
    halves(out)
    assert out.tolist() == [0, 0.5, 1, 1.5]


def test_an_operator_from_a_loop():
    @torch.library.custom_op(f"loops{next(serial)}::smooth", mutates_args=())
    def smooth(x: torch.Tensor, share: float) -> torch.Tensor:
        out = torch.zeros_like(x)
        smoothed(out, x, share)
        return out

    @smooth.register_fake
    def _(x, share):
        return torch.empty_like(x)

    smooth.register_autograd(lambda ctx, grad: (smooth(grad, 0.25), None))
    x = torch.rand(3, 5, requires_grad=True)
    torch.testing.assert_close(smooth(x, 0.25), expected(x.detach(), 0.25))
    assert set(torch.library.opcheck(smooth, (x, 0.25)).values()) == {"SUCCESS"}
    smooth(x, 0.25).sum().backward()
    assert x.grad.shape == x.shape


def test_what_is_refused():
    x = torch.rand(2, 3)
    with pytest.raises(
        TypeError, match="arguments are tensors, integers and real numbers, not str"
    ):
        smoothed(x, x, "a")
    with pytest.raises(TypeError, match="strided, on the CPU"):
        smoothed(x, x.to("meta"), 0.5)
    with pytest.raises(TypeError, match=r"not torch\.complex64"):
        smoothed(x, x.to(torch.complex64), 0.5)
    with pytest.raises(SyntaxError, match="out of range"):
        smoothed(x, x[0], 0.5)
    with pytest.raises(RuntimeError, match="requires grad cannot be written"):
        smoothed(torch.rand(2, 3, requires_grad=True), x, 0.5)
    with torch.no_grad():
        smoothed(torch.rand(2, 3, requires_grad=True), x, 0.5)
