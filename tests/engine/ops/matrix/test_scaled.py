"""Matrices of 8-bit floats: their copies, and their scaled products."""

import pytest

import rushlight as torch

KINDS = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
aten = torch.ops.aten


def matrices(kind=torch.float8_e4m3fn, other=None):
    torch.manual_seed(0)
    return torch.randn(5, 8).to(kind), torch.randn(6, 8).to(other or kind).t()


@pytest.mark.parametrize("kind", KINDS)
def test_copies_move_bits(kind):
    values = torch.randn(3, 4).to(kind)
    wide = values.float()
    assert torch.equal(values.t().contiguous().float(), wide.t())
    assert torch.equal(values.flip(0).float(), wide.flip(0))
    assert torch.equal(torch.cat([values, values.clone()], 1).float(), torch.cat([wide, wide], 1))
    target = torch.empty(6, 4, dtype=kind)[::2].copy_(values)
    assert torch.equal(target.float(), wide)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float8_e5m2, None])
def test_one_scale_for_each_matrix(kind):
    a, b = matrices()
    bias = torch.arange(6.0)
    found = torch._scaled_mm(a, b, torch.tensor(0.5), torch.tensor(3.0), bias, out_dtype=kind)
    wanted = (a.float() @ b.float() * 1.5 + bias).to(kind or a.dtype)
    assert found.dtype is wanted.dtype
    assert torch.allclose(found.float(), wanted.float(), rtol=1e-6)


def test_scales_of_rows_and_columns():
    a, b = matrices()
    rows, columns = torch.rand(5, 1) + 0.5, torch.rand(1, 6) + 0.5
    wanted = (a.float() * rows) @ (b.float() * columns)
    found = torch._scaled_mm(a, b, rows, columns, out_dtype=torch.float32)
    assert torch.allclose(found, wanted, rtol=1e-5, atol=1e-5)
    recipe = [rows], [1], [0], [columns], [1], [0]
    again = torch._scaled_mm_v2(a, b, *recipe, None, torch.float32)
    assert torch.equal(again, found)
    out = torch.empty(0, dtype=torch.float32)
    assert aten._scaled_mm_v2.out(a, b, *recipe, None, torch.float32, out=out) is out
    assert torch.equal(out, found)


def test_results_that_are_too_large():
    one, large = torch.tensor(1.0), torch.tensor(1e6)
    assert torch._scaled_mm(*matrices(), large, one).isnan().all()
    mixed = torch._scaled_mm(*matrices(torch.float8_e4m3fn, torch.float8_e5m2), large, one)
    assert mixed.float().abs().eq(448).all()


def test_what_does_not_fit():
    a, b = matrices()
    one = torch.tensor(1.0)
    for args, error, words in (
        ((a.float(), b, one, one), RuntimeError, "Expected mat1 to be Float8 matrix got Float"),
        ((a, b[:4], one, one), RuntimeError, r"cannot be multiplied \(5x8 and 4x6\)"),
        ((a[None], b, one, one), RuntimeError, "mat1 must be a matrix"),
        ((a, b[None], one, one), RuntimeError, "mat2 must be a matrix"),
        ((a, b, one, one, torch.ones(3)), RuntimeError, "Bias must be size 6 but got 3"),
        ((a, b, torch.ones(3), one), ValueError, "Invalid scaling configuration"),
        ((a, b.float(), one, one), ValueError, "Invalid scaling configuration"),
        ((a, b, torch.ones(5, 2)[:, :1].t().t(), torch.ones(12).view(1, 12)[:, ::2]), ValueError,
         r"scale_a.stride\(1\) to be 1|scale_b.stride\(1\) to be 1, but got 2"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            torch._scaled_mm(*args)
    with pytest.raises(ValueError, match="does not support swizzle"):
        torch._scaled_mm_v2(a, b, [one], [0], [1], [one], [0], [0], None, None)
    with pytest.raises(ValueError, match="Invalid scaling configuration"):
        torch._scaled_mm_v2(a, b, [one], [2], [0], [one], [2], [0], None, None)
    with pytest.raises(RuntimeError, match="out_dtype must match"):
        out = torch.empty(5, 6)
        torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16, out=out)


def test_the_function_of_networks():
    functional = torch.nn.functional
    kinds = functional.ScalingType
    a, b = matrices()
    one = torch.tensor(2.0)
    found = functional.scaled_mm(a, b, one, kinds.TensorWise, one, kinds.TensorWise)
    assert torch.equal(found, torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16))
    rows, columns = torch.rand(5, 1), torch.rand(1, 6)
    found = functional.scaled_mm(
        a, b, [rows], [kinds.RowWise], [columns], [kinds.RowWise], bias=torch.ones(6),
        output_dtype=torch.float32,
    )  # fmt: skip
    wanted = torch._scaled_mm(a, b, rows, columns, torch.ones(6), out_dtype=torch.float32)
    assert torch.equal(found, wanted)
    with pytest.raises(ValueError, match="does not support swizzle"):
        swizzled = functional.SwizzleType.SWIZZLE_32_4_4
        functional.scaled_mm(a, b, one, kinds.TensorWise, one, kinds.TensorWise, swizzled)
