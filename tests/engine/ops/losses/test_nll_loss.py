"""The negative log likelihood of classes: sums to the last bit, faults, layouts, gradients."""

import numpy as np
import pytest

import rushlight as torch

F = torch.nn.functional


def scores(*size, kind=torch.float64):
    torch.manual_seed(0)
    return F.log_softmax(torch.randn(*size, dtype=kind), 0 if len(size) == 1 else 1)


def in_levels(terms):
    """A sum of single numbers whose partial sums of 16, 256, ... terms are passed on."""
    levels = [np.float32(0)] * 8
    for k, term in enumerate(terms):
        levels[0] += term
        level = 0
        while level < 7 and (k >> 4 * level) & 15 == 0:
            levels[level + 1] += levels[level]
            levels[level] = np.float32(0)
            level += 1
    total = np.float32(0)
    for level in levels:
        total += level
    return total


@pytest.mark.parametrize("count", [1, 15, 16, 17, 300, 5000])
def test_sums_are_passed_on_in_levels(count):
    values = scores(count, 7, kind=torch.float32)
    target = torch.randint(0, 7, (count,))
    picked = values.numpy()[np.arange(count), target.numpy()]
    expected = in_levels(-picked)
    assert F.nll_loss(values, target, reduction="sum").item() == expected
    assert F.nll_loss(values, target).item() == expected / np.float32(count)


SHAPES = [(5,), (4, 5), (2, 5, 3), (2, 5, 1, 3), (1, 5, 2, 1, 2)]
WAYS = [("none", False, -100), ("sum", True, 1), ("mean", False, 1), ("mean", True, -100)]


def expected_losses(values, target, weight, ignored):
    """The losses and weights of every target, by numpy."""
    rows = np.moveaxis(values, 0 if values.ndim == 1 else 1, -1).reshape(-1, 5)
    flat = target.reshape(-1)
    kept = flat != ignored
    places = np.where(kept, flat, 0)
    shares = weight[places] * kept
    return -rows[np.arange(len(flat)), places] * shares, shares


@pytest.mark.parametrize("size", SHAPES)
@pytest.mark.parametrize(("reduction", "weighted", "ignored"), WAYS)
def test_values_and_gradients(size, reduction, weighted, ignored):
    values = scores(*size).requires_grad_()
    target = torch.randint(0, 5, size[:1] + size[2:] if len(size) > 1 else ())
    if len(size) == 1:
        target.fill_(2)
    weight = torch.rand(5, dtype=torch.float64) if weighted else None
    plain = weight.numpy() if weighted else np.ones(5)
    losses, shares = expected_losses(values.detach().numpy(), target.numpy(), plain, ignored)
    expected = {"none": losses, "sum": losses.sum(), "mean": losses.sum() / shares.sum()}
    loss = F.nll_loss(values, target, weight, ignore_index=ignored, reduction=reduction)
    np.testing.assert_allclose(loss.detach().numpy().ravel(), expected[reduction].ravel())
    given = torch.rand_like(loss)

    def function(x):
        return F.nll_loss(x, target, weight, ignore_index=ignored, reduction=reduction) * given

    assert torch.autograd.gradcheck(function, (values,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, (values,))


def test_a_target_outside_is_found_before_and_after_good_ones():
    values, bad = scores(3, 5), torch.tensor([0, 7, 1])
    for _ in range(4):
        with pytest.raises(IndexError, match=r"Target 7 is out of bounds\."):
            F.nll_loss(values, bad)
        with pytest.raises(IndexError, match=r"Target -1 is out of bounds\."):
            F.cross_entropy(values, torch.tensor([0, -1, 1]), reduction="none")
        F.nll_loss(values, torch.tensor([0, 4, -100]))


def test_targets_of_bytes_and_strided_operands():
    values, target = scores(6, 5), torch.tensor([0, 1, 2, 3, 4, 0])
    expected = F.nll_loss(values, target)
    assert F.nll_loss(values, target.to(torch.uint8)) == expected
    assert (
        F.nll_loss(values.t().contiguous().t(), torch.stack([target, target], 1)[:, 0]) == expected
    )
    images = scores(2, 5, 4, 6)
    places = torch.randint(0, 5, (2, 4, 6))
    expected = F.nll_loss(images, places)
    assert F.nll_loss(images.contiguous(memory_format=torch.channels_last), places) == expected
    turned = images.transpose(2, 3).contiguous().transpose(2, 3)
    assert F.nll_loss(turned, places.transpose(1, 2).contiguous().transpose(1, 2)) == expected


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_small_floats_are_computed_in_single_precision(kind):
    values = scores(40, 5, kind=torch.float32).to(kind).requires_grad_()
    target = torch.randint(0, 5, (40,))
    loss = F.nll_loss(values, target)
    loss.backward()
    assert loss.dtype is values.grad.dtype is kind
    assert loss == F.nll_loss(values.detach().float(), target).to(kind)


def test_nothing_to_average_is_not_a_number():
    assert F.nll_loss(scores(0, 5), torch.zeros(0, dtype=torch.long)).isnan()
    assert F.nll_loss(scores(2, 5), torch.full((2,), -100)).isnan()
    assert F.nll_loss(scores(0, 5), torch.zeros(0, dtype=torch.long), reduction="sum") == 0
    empty = scores(0, 5).requires_grad_()
    F.nll_loss(empty, torch.zeros(0, dtype=torch.long), reduction="none").sum().backward()
    assert empty.grad.shape == (0, 5)


def test_steps_have_their_names():
    values = torch.randn(2, 5, 3, requires_grad=True)
    loss = F.cross_entropy(values[..., 0], torch.tensor([1, 2]))
    assert loss.grad_fn.name() == "NllLossBackward0"
    assert loss.grad_fn.next_functions[0][0].name() == "LogSoftmaxBackward0"
    loss = F.nll_loss(values, torch.zeros(2, 3, dtype=torch.long), reduction="sum")
    assert loss.grad_fn.name() == "NllLoss2DBackward0"


def test_meta_tensors_have_shapes_only():
    values = torch.randn(4, 5, 6, device="meta", requires_grad=True)
    target = torch.empty(4, 6, dtype=torch.long, device="meta")
    assert F.cross_entropy(values, target, reduction="none").shape == (4, 6)
    F.cross_entropy(values, target).backward()
    assert values.grad.shape == values.shape and values.grad.is_meta
