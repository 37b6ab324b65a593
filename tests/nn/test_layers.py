"""Layers against numpy: convolution, pooling, padding, recurrence, attention, losses."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def convolved(image, weight, stride, padding, dilation, groups):
    """A two-dimensional convolution by its definition."""
    image = np.pad(image, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    outputs, per_group, height, width = weight.shape
    rows = (image.shape[2] - dilation * (height - 1) - 1) // stride + 1
    columns = (image.shape[3] - dilation * (width - 1) - 1) // stride + 1
    made = np.zeros((image.shape[0], outputs, rows, columns))
    for f in range(outputs):
        first = f // (outputs // groups) * per_group
        for y in range(rows):
            for x in range(columns):
                window = image[
                    :, first : first + per_group,
                    y * stride : y * stride + dilation * (height - 1) + 1 : dilation,
                    x * stride : x * stride + dilation * (width - 1) + 1 : dilation,
                ]  # fmt: skip
                made[:, f, y, x] = (window * weight[f]).sum((1, 2, 3))
    return made


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"),
    [(1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1), (3, 1, 2, 4)],
)
def test_convolutions(stride, padding, dilation, groups):
    x = torch.randn(2, 4, 9, 8, dtype=torch.float64)
    w = torch.randn(8, 4 // groups, 3, 2, dtype=torch.float64)
    made = F.conv2d(x, w, None, stride, padding, dilation, groups)
    expected = convolved(x.numpy(), w.numpy(), stride, padding, dilation, groups)
    np.testing.assert_allclose(made.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_transposed_convolution_is_the_transpose(count):
    convolve = getattr(F, f"conv{count}d")
    transposed = getattr(F, f"conv_transpose{count}d")
    x = torch.randn(2, 4, *[7] * count, dtype=torch.float64)
    w = torch.randn(6, 2, *[3] * count, dtype=torch.float64)
    y = convolve(x, w, stride=2, padding=1, groups=2)
    other = torch.randn(*y.shape, dtype=torch.float64)
    back = transposed(other, w, stride=2, padding=1, groups=2)
    assert back.shape == x.shape
    assert (y * other).sum().item() == pytest.approx((back * x).sum().item())


@pytest.mark.parametrize("count", [1, 2, 3])
def test_gradients_of_convolutions(count):
    x = torch.randn(1, 2, *[4] * count, dtype=torch.float64, requires_grad=True)
    w = torch.randn(2, 2, *[2] * count, dtype=torch.float64, requires_grad=True)
    convolve = getattr(F, f"conv{count}d")
    assert torch.autograd.gradcheck(lambda x, w: convolve(x, w, padding=1, stride=2), (x, w))


def test_same_padding_keeps_the_size():
    x = torch.randn(1, 1, 7, 6)
    assert nn.Conv2d(1, 3, (2, 3), padding="same", dilation=2)(x).shape == (1, 3, 7, 6)


def test_convolutions_refuse_what_does_not_fit():
    x = torch.randn(1, 4, 5, 5)
    with pytest.raises(RuntimeError, match="channels"):
        F.conv2d(x, torch.randn(2, 3, 3, 3))
    with pytest.raises(RuntimeError, match="Kernel size can't be greater"):
        F.conv2d(x, torch.randn(2, 4, 6, 6))
    with pytest.raises(RuntimeError, match="non-positive stride"):
        F.conv2d(x, torch.randn(2, 4, 3, 3), stride=0)
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        F.conv2d(x, torch.randn(2, 4, 3, 3, dtype=torch.float64))


def test_max_pooling_knows_where():
    x = torch.tensor([[[1.0, 5.0, 2.0, 5.0, 0.0]]])
    values, places = F.max_pool1d(x, 3, 2, 1, return_indices=True)
    assert values.tolist() == [[[5.0, 5.0, 5.0]]]
    assert places.tolist() == [[[1, 1, 3]]]
    back = F.max_unpool1d(values, places, 3, 2, 1)
    assert back.tolist() == [[[0.0, 5.0, 0.0, 5.0, 0.0]]]


def test_a_window_of_minus_infinity_has_a_place_inside():
    x = torch.full((1, 1, 2, 2), float("-inf"))
    values, places = F.max_pool2d(x, 2, 2, 1, return_indices=True)
    assert values.eq(float("-inf")).all()
    assert places.flatten().tolist() == [0, 1, 2, 3]


def test_max_pooling_hands_nan_on():
    assert F.max_pool1d(torch.tensor([[[1.0, float("nan")]]]), 2).isnan().all()


def test_unpooling_refuses_a_place_outside():
    with pytest.raises(RuntimeError, match="invalid max index"):
        F.max_unpool2d(torch.ones(1, 1, 1, 1), torch.full((1, 1, 1, 1), 9), 2)


def test_mean_pooling_counts_the_border_or_not():
    x = torch.ones(1, 1, 3)
    assert F.avg_pool1d(x, 2, 2, 1).tolist() == [[[0.5, 1.0]]]
    assert F.avg_pool1d(x, 2, 2, 1, count_include_pad=False).tolist() == [[[1.0, 1.0]]]
    assert F.avg_pool1d(x, 2, 2, 0, ceil_mode=True).tolist() == [[[1.0, 1.0]]]


def test_adaptive_pooling():
    x = torch.arange(7.0).reshape(1, 1, 7)
    assert F.adaptive_avg_pool1d(x, 3).tolist() == [[[1.0, 3.0, 5.0]]]
    values, places = F.adaptive_max_pool1d(x, 3, return_indices=True)
    assert values.tolist() == [[[2.0, 4.0, 6.0]]]
    assert places.tolist() == [[[2, 4, 6]]]


@pytest.mark.parametrize(
    ("mode", "name"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")]
)
def test_borders(mode, name):
    x = torch.arange(24.0).reshape(1, 2, 3, 4)
    expected = np.pad(x.numpy(), [(0, 0), (0, 0), (2, 1), (1, 3)], mode=name)
    np.testing.assert_array_equal(F.pad(x, (1, 3, 2, 1), mode=mode).numpy(), expected)


def test_borders_refuse_what_does_not_fit():
    with pytest.raises(RuntimeError, match="less than the corresponding input dimension"):
        F.pad(torch.ones(1, 1, 3), (3, 0), mode="reflect")
    with pytest.raises(RuntimeError, match="divisible by 2"):
        F.pad(torch.ones(3), (1,))


def test_pixels_go_to_channels_and_back():
    x = torch.randn(2, 4, 6, 9)
    assert torch.equal(F.pixel_shuffle(F.pixel_unshuffle(x, 3), 3), x)


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_packed_sequences_run_as_if_each_were_alone(kind):
    net = kind(3, 4, num_layers=2, bidirectional=True)
    sequences = [torch.randn(n, 3) for n in (2, 5, 3)]
    packed = nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    padded, lengths = nn.utils.rnn.pad_packed_sequence(net(packed)[0])
    assert lengths.tolist() == [2, 5, 3]
    for i, sequence in enumerate(sequences):
        alone = net(sequence)[0]
        torch_like = padded[: len(sequence), i]
        np.testing.assert_allclose(torch_like.detach(), alone.detach(), rtol=1e-5, atol=1e-6)


def test_a_cell_is_a_step_of_its_network():
    net, cell = nn.LSTM(3, 4), nn.LSTMCell(3, 4)
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in net.state_dict().items()})
    x = torch.randn(2, 5, 3)
    hidden, memory = cell(x[1], cell(x[0]))
    output, (h, c) = net(x)
    for made, expected in ((hidden, output[1]), (hidden, h[0]), (memory, c[0])):
        np.testing.assert_allclose(made.detach(), expected.detach(), rtol=1e-5, atol=1e-6)


def test_attention_sees_only_what_came_before():
    q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))
    whole = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    for n in range(1, 6):
        part = F.scaled_dot_product_attention(q[:, :, n - 1 : n], k[:, :, :n], v[:, :, :n])
        np.testing.assert_allclose(whole[:, :, n - 1], part[:, :, 0], rtol=1e-5, atol=1e-6)


def test_attention_to_nothing_is_zero():
    q = torch.randn(1, 2, 4)
    mask = torch.tensor([[True, False], [False, False]])
    made = F.scaled_dot_product_attention(q, q, q, mask)
    np.testing.assert_allclose(made[0, 0], q[0, 0], rtol=1e-6)
    assert made[0, 1].tolist() == [0.0] * 4


def test_attention_weights_sum_to_one():
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(3, 5, 8)
    made, weights = attention(x, x, x)
    assert made.shape == (3, 5, 8)
    np.testing.assert_allclose(weights.sum(-1).detach(), np.ones((3, 5)), rtol=1e-5)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_a_transformer_trains():
    net = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0)
    net(torch.randn(4, 2, 8), torch.randn(3, 2, 8)).sum().backward()
    assert all(p.grad is not None for p in net.parameters())


def test_gradients_are_clipped_to_a_norm():
    p = nn.Parameter(torch.zeros(2))
    p.grad = torch.tensor([3.0, 4.0])
    assert nn.utils.clip_grad_norm_([p], 1.0).item() == pytest.approx(5.0)
    assert p.grad.norm().item() == pytest.approx(1.0, rel=1e-5)
    nn.utils.clip_grad_value_([p], 0.5)
    assert p.grad.abs().max().item() == 0.5


def test_parameters_become_a_vector_and_back():
    net = nn.Linear(2, 3)
    vector = nn.utils.parameters_to_vector(net.parameters())
    assert vector.shape == (9,)
    nn.utils.vector_to_parameters(torch.arange(9.0), net.parameters())
    assert net.bias.tolist() == [6.0, 7.0, 8.0]


def test_a_margin_loss():
    x = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    assert F.multi_margin_loss(x, torch.tensor([3])).item() == pytest.approx(0.325)
    with pytest.raises(RuntimeError, match="target out of range"):
        F.multi_margin_loss(x, torch.tensor([4]))


def test_a_normal_likelihood_bounds_the_variance():
    made = F.gaussian_nll_loss(torch.zeros(2), torch.zeros(2), torch.zeros(2), eps=1.0)
    assert made.item() == 0.0
    with pytest.raises(ValueError, match="negative"):
        F.gaussian_nll_loss(torch.zeros(2), torch.zeros(2), -torch.ones(2))


def test_images_of_another_size():
    x = torch.tensor([[[0.0, 2.0, 4.0]]])
    assert F.interpolate(x, 6).tolist() == [[[0.0, 0.0, 2.0, 2.0, 4.0, 4.0]]]
    wide = F.interpolate(x, 5, mode="linear", align_corners=True)
    assert wide.tolist() == [[[0.0, 1.0, 2.0, 3.0, 4.0]]]
    assert nn.Upsample(scale_factor=2, mode="bicubic")(torch.ones(1, 1, 2, 3)).shape == (1, 1, 4, 6)
    with pytest.raises(ValueError, match="only one of size"):
        F.interpolate(x, 3, 2.0)


def test_sizes_of_layers_may_be_numbers_of_numpy():
    two = np.int64(2)
    image = torch.ones(1, 2, 4, 4)
    assert nn.Conv2d(two, 3, two, padding=np.int64(1))(image).shape == (1, 3, 5, 5)
    assert nn.MaxPool2d(two)(image).shape == (1, 2, 2, 2)
    assert nn.AdaptiveAvgPool2d(two)(image).shape == (1, 2, 2, 2)
    assert nn.ZeroPad2d(two)(image).shape == (1, 2, 8, 8)
    assert nn.Unfold(two)(image).shape == (1, 8, 9)
