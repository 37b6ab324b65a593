"""Rounding as if quantized, and its gradients."""

import pytest

import rushlight as torch


def test_elements_are_rounded_and_cut_and_gradients_pass_where_they_were_not():
    x = torch.tensor([-1.0, 0.13, 0.26, 9.0], requires_grad=True)
    y = torch.fake_quantize_per_tensor_affine(x, 0.25, 2, 0, 7)
    assert y.tolist() == [-0.5, 0.25, 0.25, 1.25]
    y.sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 0]
    same = torch.fake_quantize_per_tensor_affine(x, torch.tensor(0.25), torch.tensor(2), 0, 7)
    assert same.tolist() == y.tolist()
    with pytest.raises(RuntimeError, match="`zero_point` must be between"):
        torch.fake_quantize_per_tensor_affine(x, 0.25, 9, 0, 7)


def test_channels():
    x = torch.tensor([[0.3, 0.3], [5.0, -5.0]], requires_grad=True)
    scales, zeros = torch.tensor([0.5, 1.0]), torch.tensor([0, 0], dtype=torch.int32)
    y = torch.fake_quantize_per_channel_affine(x, scales, zeros, 0, -3, 3)
    assert y.tolist() == [[0.5, 0.5], [3, -3]]
    y.sum().backward()
    assert x.grad.tolist() == [[1, 1], [0, 0]]


def test_scales_that_are_learned():
    x = torch.tensor([0.3, 9.0], requires_grad=True)
    scale = torch.tensor([0.5], requires_grad=True)
    zero = torch.tensor([0.0], requires_grad=True)
    y = torch._fake_quantize_learnable_per_tensor_affine(x, scale, zero, 0, 7)
    assert y.tolist() == [0.5, 3.5]
    y.sum().backward()
    assert x.grad.tolist() == [1, 0]
    # (0.5 - 0.3) / 0.5 of the first, the largest number of the second
    assert abs(scale.grad.item() - 7.4) < 1e-5 and zero.grad.item() == -0.5


def test_observed_and_rounded_in_one():
    least, most = torch.tensor(float("inf")), torch.tensor(float("-inf"))
    scale, zero = torch.tensor([1.0]), torch.tensor([0], dtype=torch.int32)
    on = torch.tensor([1])
    for factor in (1, 2):
        x = torch.tensor([-1.0, 3.0]) * factor
        torch.fused_moving_avg_obs_fake_quant(x, on, on, least, most, scale, zero, 0.5, 0, 255, 0)
    assert (least.item(), most.item()) == (-1.5, 4.5)
    assert abs(scale.item() - 6 / 255) < 1e-7 and zero.tolist() == [64]
