"""Quantized tensors: how they are made, what they say, what is done with their numbers."""

import copy
import io
import pickle

import pytest

import rushlight as torch


def quarters(*values, zero_point=10, dtype=torch.quint8):
    return torch.quantize_per_tensor(torch.tensor(values), 0.25, zero_point, dtype)


def by_rows():
    x = torch.tensor([[1.0, -1.0], [2.0, 0.5]])
    return torch.quantize_per_channel(
        x, torch.tensor([0.5, 0.25]), torch.tensor([0, 1]), 0, torch.qint8
    )


def test_numbers_are_rounded_after_the_zero_point_is_added_and_cut():
    x = torch.tensor([-2.5, -0.5, 0.5, 1.5, 1e30, float("nan"), float("-inf")])
    assert torch.quantize_per_tensor(x, 1.0, 0, torch.qint8).int_repr().tolist() == [
        -2,
        0,
        0,
        2,
        127,
        127,
        -128,
    ]
    assert torch.quantize_per_tensor(x, 1.0, 1, torch.qint8).int_repr().tolist()[:4] == [
        -2,
        0,
        2,
        2,
    ]
    wide = torch.quantize_per_tensor(x[:4], 0.5, 7, torch.qint32)
    assert wide.int_repr().tolist() == [2, 6, 8, 10] and wide.int_repr().dtype is torch.int32


def test_a_tensor_says_what_its_numbers_mean():
    q = quarters(1.0, -1.0)
    assert (q.q_scale(), q.q_zero_point(), q.qscheme()) == (0.25, 10, torch.per_tensor_affine)
    assert (
        q.is_quantized
        and not torch.ones(1).is_quantized
        and q.type() == "torch.quantized.QUInt8Tensor"
    )
    assert q.dequantize().tolist() == [1.0, -1.0] and q[0].item() == 1.0
    assert "QuantizedCPU" in str(torch._C._dispatch_keys(q))
    c = by_rows()
    assert c.qscheme() is torch.per_channel_affine and c.q_per_channel_axis() == 0
    assert c.q_per_channel_scales().dtype is torch.float64
    assert c.int_repr().tolist() == [[2, -2], [9, 3]] and c.dequantize().tolist() == [
        [1, -1],
        [2, 0.5],
    ]
    with pytest.raises(RuntimeError, match="qscheme\\(\\) == kPerTensorAffine"):
        c.q_scale()


def test_texts():
    assert str(quarters(1.0, -1.0)) == (
        "tensor([ 1., -1.], size=(2,), dtype=torch.quint8,\n"
        "       quantization_scheme=torch.per_tensor_affine, scale=0.25, zero_point=10)"
    )
    assert str(by_rows()).endswith("zero_point=tensor([0, 1]), axis=0)")


def test_views_share_numbers_and_know_their_channels():
    q = quarters(1.0, 2.0, 3.0, 4.0)
    q.view(2, 2)[1].fill_(0.5)
    assert q.dequantize().tolist() == [1, 2, 0.5, 0.5]
    c = by_rows()
    assert c[1].q_scale() == 0.25 and c[1].q_zero_point() == 1
    assert c[:, 1].q_per_channel_axis() == 0 and c.unsqueeze(0).q_per_channel_axis() == 1
    assert [row.q_scale() for row in c] == [0.5, 0.25] and c.narrow(0, 1, 1).q_scale() == 0.25
    assert [part.qscheme() for part in c.split(1, 1)] == [torch.per_channel_affine] * 2
    with pytest.raises(RuntimeError, match="only on uniformly quantized"):
        c.t()
    assert "scale=0.25" in str(c[1])


def test_copies():
    q, other = quarters(1.0, 2.0), torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.quint8)
    kept = q.clone()
    q.copy_(torch.tensor([0.3, 9.0]))
    assert q.dequantize().tolist() == [0.25, 9.0] and kept.dequantize().tolist() == [1, 2]
    q.copy_(other)
    assert q.q_scale() == 0.5 and q.dequantize().tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="please use dequantize"):
        torch.ones(2).copy_(q)
    with pytest.raises(RuntimeError, match="requires quantized dtype"):
        q.float()
    c = by_rows()
    for made in (copy.deepcopy(c), pickle.loads(pickle.dumps(c)), copy.copy(c), c.contiguous()):
        assert torch.equal(made, c) and made.q_per_channel_axis() == 0


@pytest.mark.parametrize("trusted", [True, False])
def test_files(trusted):
    file = io.BytesIO()
    torch.save({"a": quarters(1.0, 2.0)[1:], "c": by_rows(), "k": torch.quint8}, file)
    file.seek(0)
    found = torch.load(file, weights_only=not trusted)
    assert found["a"].dequantize().tolist() == [2.0] and found["a"].storage_offset() == 1
    assert torch.equal(found["c"], by_rows()) and found["k"] is torch.quint8


def test_what_has_a_kernel_and_what_has_none():
    q = quarters(1.0, -1.0, 7.0)
    assert q.relu().dequantize().tolist() == [1, 0, 7]
    assert torch.nn.functional.relu6(q).dequantize().tolist() == [1, 0, 6]
    assert q.clamp(-0.5, 2).dequantize().tolist() == [1, -0.5, 2]
    assert (q > 0).tolist() == [True, False, True] and q.max().item() == 7
    assert q.sort()[0].dequantize().tolist() == [-1, 1, 7] and q.mean().item() == 2.25
    assert q.sigmoid().q_scale() == 1 / 256 and q.tanh().q_zero_point() == 128
    assert (
        torch.cat([q, torch.quantize_per_tensor(torch.ones(1), 0.1, 0, torch.quint8)]).int_repr()[3]
        == 14
    )
    image = quarters(*map(float, range(16))).view(1, 1, 4, 4)
    f = torch.nn.functional
    assert f.max_pool2d(image, 2).dequantize().flatten().tolist() == [5, 7, 13, 15]
    assert f.avg_pool2d(image, 2).dequantize().flatten().tolist() == [2.5, 4.5, 10.5, 12.5]
    assert f.interpolate(image, scale_factor=2).shape == (1, 1, 8, 8)
    assert f.pad(image, (1, 1)).dequantize()[0, 0, 0].tolist() == [0, 0, 1, 2, 3, 0]
    with pytest.raises(NotImplementedError, match="'QuantizedCPU' backend"):
        q + q
    with pytest.raises(NotImplementedError, match="'CPU' backend"):
        torch.ones(1).int_repr()


def test_repeated_calls_make_quantized_tensors():
    numbers = torch.tensor([1, 2], dtype=torch.uint8)
    for _ in range(4):
        assert torch._make_per_tensor_quantized_tensor(numbers, 0.5, 1).dequantize().tolist() == [
            0,
            0.5,
        ]
        assert torch.quantize_per_tensor(torch.ones(3), 0.5, 0, torch.qint8).q_scale() == 0.5


def test_wrong_arguments():
    x = torch.ones(2)
    for made, message in (
        (lambda: torch.quantize_per_tensor(x, 0.1, 300, torch.quint8), "above upper bound"),
        (lambda: torch.quantize_per_tensor(x, 0.1, -1, torch.quint8), "below lower bound"),
        (
            lambda: torch.quantize_per_tensor(x.double(), 0.1, 0, torch.quint8),
            "only works on Float",
        ),
        (lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.int8), "Char is not supported"),
        (lambda: torch.empty(2, dtype=torch.qint8), "needs a scale"),
        (lambda: torch._empty_affine_quantized([2], scale=1.0), "requires quantized dtype"),
    ):
        with pytest.raises(RuntimeError, match=message):
            made()
    with pytest.raises(NotImplementedError, match="several elements would share a byte"):
        torch.quantize_per_tensor(x, 0.1, 0, torch.quint4x2)


def test_scales_that_suit_elements():
    x = torch.tensor([-1.0, 3.0])
    assert torch._choose_qparams_per_tensor(x) == (4 / 255, 64)
    q = torch.quantize_per_tensor_dynamic(x, torch.qint8, False)
    assert q.q_zero_point() == -64 and abs(q.dequantize() - x).max() < 0.01
