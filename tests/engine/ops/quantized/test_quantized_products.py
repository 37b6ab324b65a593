"""Products of eight-bit numbers, and the layers that are made of them."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.loops import target
from rushlight.engine.ops.quantized import products


@pytest.mark.parametrize("size", [(1, 4, 1), (3, 5, 7), (17, 33, 50), (64, 100, 48), (0, 4, 3)])
def test_whole_products_are_exact(size):
    m, k, n = size
    random = np.random.default_rng(1)
    a, b = random.integers(-128, 128, (m, k)), random.integers(-128, 128, (k, n))
    left, right = (torch.tensor(x.astype(np.int8)) for x in (a, b))
    assert torch._int_mm(left, right).tolist() == (a @ b).tolist()
    assert torch._int_mm(left, right).dtype is torch.int32


def test_processors_without_products_of_fours_give_the_same(monkeypatch):
    from rushlight.engine.loops import matmul_kernel
    from rushlight.engine.ops.kinds import product_loops as kinds

    plain = target.host_target()._replace(quads=False)
    for module in (matmul_kernel, products):
        monkeypatch.setattr(module, "host_target", lambda: plain)
    written = []
    address = kinds.kernel_address

    def noted(make, *args):
        written.append(make(*args[:3], plain, True))
        return address(lambda *_: written[-1])

    monkeypatch.setattr(kinds, "kernel_address", noted)
    monkeypatch.setattr(products, "_plans", {})
    a = np.arange(-60, 60, dtype=np.int8).reshape(6, 20)
    made = torch._int_mm(torch.tensor(a), torch.tensor(a).t())
    assert made.tolist() == (a.astype(int) @ a.T.astype(int)).tolist()
    assert written and "vpdpbusd" not in written[0]


def layer(scale_by_rows, bias=True, zero_point=0):
    w = torch.tensor(np.random.default_rng(2).standard_normal((5, 6)).astype(np.float32))
    if scale_by_rows:
        scales = w.abs().amax(1) / 127
        q = torch.quantize_per_channel(w, scales, torch.zeros(5, dtype=torch.long), 0, torch.qint8)
    else:
        q = torch.quantize_per_tensor(w, 0.02, zero_point, torch.qint8)
    b = torch.arange(5.0) if bias else None
    return q, b, torch.ops.quantized.linear_prepack(q, b)


@pytest.mark.parametrize(("by_rows", "bias", "zero_point"), [(0, 1, 0), (0, 0, 3), (1, 1, 0)])
def test_linear_layers(by_rows, bias, zero_point):
    q, b, packed = layer(by_rows, bias, zero_point)
    x = torch.tensor(np.random.default_rng(3).standard_normal((4, 6)).astype(np.float32))
    qx = torch.quantize_per_tensor(x, 0.03, 120, torch.quint8)
    exact = torch.nn.functional.linear(qx.dequantize(), q.dequantize(), b)
    made = torch.ops.quantized.linear(qx, packed, 0.1, 100)
    assert (made.q_scale(), made.q_zero_point(), made.dtype) == (0.1, 100, torch.quint8)
    assert (made.dequantize() - exact).abs().max() <= 0.0501
    with_relu = torch.ops.quantized.linear_relu(qx, packed, 0.1, 100).dequantize()
    assert torch.equal(with_relu, made.dequantize().relu())
    assert torch.ops.quantized.linear(qx.view(2, 2, 6), packed, 0.1, 100).shape == (2, 2, 5)
    near = torch.nn.functional.linear(x, q.dequantize(), b)
    assert (torch.ops.quantized.linear_dynamic(x, packed) - near).abs().max() < 0.1
    weight, found = torch.ops.quantized.linear_unpack(packed)
    assert weight is q and found is b


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions(dims, groups):
    random = np.random.default_rng(4)
    w = torch.tensor(random.standard_normal((4, 4 // groups) + (3,) * dims).astype(np.float32))
    x = torch.tensor(random.standard_normal((2, 4) + (6,) * dims).astype(np.float32))
    q = torch.quantize_per_tensor(w, 0.03, 0, torch.qint8)
    qx = torch.quantize_per_tensor(x, 0.03, 120, torch.quint8)
    settings = [[2] * dims, [1] * dims, [1] * dims, groups]
    packed = getattr(torch.ops.quantized, f"conv{dims}d_prepack")(q, torch.ones(4), *settings)
    made = getattr(torch.ops.quantized, f"conv{dims}d")(qx, packed, 0.5, 100)
    function = getattr(torch.nn.functional, f"conv{dims}d")
    exact = function(qx.dequantize(), q.dequantize(), torch.ones(4), *settings)
    assert made.shape == exact.shape and (made.dequantize() - exact).abs().max() <= 0.2501
    assert made.stride(1) == 1
    assert getattr(torch.ops.quantized, f"conv{dims}d_unpack")(packed)[0].shape == w.shape


def test_functions_with_scales_of_their_own():
    a = torch.quantize_per_tensor(torch.tensor([1.0, -2.0]), 0.5, 4, torch.quint8)
    ops = torch.ops.quantized
    assert ops.add(a, a, 0.25, 30).dequantize().tolist() == [2, -4]
    assert ops.add_relu(a, a, 0.25, 30).dequantize().tolist() == [2, 0]
    assert ops.mul(a, a, 0.5, 0).dequantize().tolist() == [1, 4]
    assert ops.add(a, 1).dequantize().tolist() == [2, -1]
    assert ops.mul(a, -2).dequantize().tolist() == [-2, 4]
    assert ops.cat([a, a], 0, 0.25, 20).int_repr().tolist() == [24, 12, 24, 12]
    assert ops.hardswish(a, 0.01, 50).dequantize().tolist()[0] == pytest.approx(0.67, abs=0.006)
    assert ops.leaky_relu(a, 0.5, False, 0.5, 4).dequantize().tolist() == [1, -1]


def test_schemas_are_those_of_the_namespace():
    assert (
        str(torch.ops.quantized.add.Scalar._schema)
        == "quantized::add.Scalar(Tensor qa, Scalar b) -> Tensor qc"
    )
    assert torch.ops.quantized.conv2d.overloads() == ["default", "new"]
    assert not hasattr(torch, "linear_prepack")
