"""Operators that PyTorch has by name, made of others."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.testing import assert_close

aten = torch.ops.aten


def pulled(function, grad, x):
    x = x.clone().requires_grad_()
    return torch.autograd.grad(function(x), x, grad)[0]


GRADIENTS = {
    "gelu_backward": (F.gelu, ()),
    "silu_backward": (F.silu, ()),
    "mish_backward": (F.mish, ()),
    "hardswish_backward": (F.hardswish, ()),
    "hardtanh_backward": (lambda x: F.hardtanh(x, -0.5, 0.5), (-0.5, 0.5)),
    "softplus_backward": (lambda x: F.softplus(x, 2, 20), (2, 20)),
    "threshold_backward": (lambda x: F.threshold(x, 0.1, 0), (0.1,)),
    "glu_backward": (lambda x: F.glu(x, 1), (1,)),
    "reflection_pad2d_backward": (lambda x: F.pad(x, (1, 2, 1, 1), "reflect"), ([1, 2, 1, 1],)),
    "_adaptive_avg_pool2d_backward": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), ()),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    function, more = GRADIENTS[name]
    x = torch.randn(2, 4, 6, 5, dtype=torch.float64)
    grad = torch.randn_like(function(x))
    wanted = pulled(function, grad, x)
    # The second call is looked at by the memory of calls.
    for _ in range(3):
        assert_close(getattr(aten, name).default(grad, x, *more), wanted)


def test_gradients_by_results():
    x = torch.randn(4, dtype=torch.float64)
    for name in ("tanh", "sigmoid"):
        function = getattr(torch, name)
        found = getattr(aten, f"{name}_backward")(torch.ones_like(x), function(x))
        assert_close(found, pulled(function, torch.ones_like(x), x))


def test_gradients_of_views_and_lookups():
    grad = torch.randn(3, 5, dtype=torch.float64)
    found = aten.select_backward(grad, [3, 4, 5], 1, 2)
    assert_close(found[:, 2], grad)
    assert found[:, [0, 1, 3]].abs().sum() == 0
    places = torch.tensor([0, 2, 2])
    found = aten.embedding_dense_backward(grad, places, 4, -1, False)
    assert_close(found, torch.zeros(4, 5, dtype=torch.float64).index_add(0, places, grad))


def test_gradients_of_normalisations():
    x, weight, bias = (torch.randn(*s, dtype=torch.float64) for s in ((4, 6), (6,), (6,)))
    out, mean, rstd = torch.native_layer_norm(x, [6], weight, bias, 1e-5)
    grad = torch.randn_like(out)
    leaves = [t.clone().requires_grad_() for t in (x, weight, bias)]
    F.layer_norm(leaves[0], [6], *leaves[1:]).backward(grad)
    found = aten.native_layer_norm_backward(grad, x, [6], mean, rstd, weight, bias, [True] * 3)
    for a, leaf in zip(found, leaves):
        assert_close(a, leaf.grad)
    found = aten.native_layer_norm_backward(
        grad, x, [6], mean, rstd, weight, bias, [True, False, True]
    )
    assert found[1] is None


def test_pictures_of_other_sizes():
    x = torch.randn(1, 2, 4, 5)
    assert_close(
        aten.upsample_bilinear2d(x, [7, 8], False), F.interpolate(x, (7, 8), mode="bilinear")
    )
    assert_close(
        aten.upsample_nearest2d.vec(x, None, [1.5, 2.0]), F.interpolate(x, scale_factor=(1.5, 2.0))
    )
    grad = torch.randn(1, 2, 7, 8)
    found = aten.upsample_bicubic2d_backward(grad, [7, 8], [1, 2, 4, 5], True)
    call = lambda x: F.interpolate(x, (7, 8), mode="bicubic", align_corners=True)
    assert_close(found, pulled(call, grad, x))


def test_lists():
    rows = [torch.ones(2), torch.ones(3)]
    assert [r.tolist() for r in aten._foreach_add.List(rows, rows, alpha=2)] == [
        [3.0] * 2,
        [3.0] * 3,
    ]
    assert aten._foreach_mul_.Scalar(rows, 4) is None
    assert rows[1].tolist() == [4.0] * 3
    assert str(aten._foreach_lerp.List._schema).startswith("aten::_foreach_lerp.List(Tensor[] self")


def test_recurrent_networks():
    network = torch.nn.LSTM(3, 2)
    x, h = torch.randn(4, 1, 3), torch.zeros(1, 1, 2)
    found = aten.lstm.input(x, [h, h], [*network.parameters()], True, 1, 0.0, False, False, False)
    expected, (hidden, cell) = network(x)
    for a, b in zip(found, (expected, hidden, cell)):
        assert_close(a, b)


def test_convolutions():
    x, weight = torch.randn(2, 3, 6, 5), torch.randn(4, 3, 2, 2)
    expected = F.conv2d(x, weight, padding=1)
    settings = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
    assert_close(
        aten._convolution(x, weight, None, *settings, False, False, False, False), expected
    )
    assert_close(aten.thnn_conv2d(x, weight, [2, 2], None, [1, 1], [1, 1]), expected)


def test_functional_forms():
    x = torch.ones(3)
    assert aten.zero(x).tolist() == [0.0] * 3 and x.tolist() == [1.0] * 3
    assert aten.uniform(x).min() >= 0 and x.tolist() == [1.0] * 3


def test_what_is_for_other_devices_says_so():
    for name, message in (
        ("cudnn_convolution", "cudnn_convolution is for GPUs"),
        ("mkldnn_linear", "mkldnn_linear is for weights that other libraries have packed"),
        ("nonsense", "object has no attribute 'nonsense'"),
    ):
        with pytest.raises(AttributeError, match=message):
            getattr(aten, name)
