"""Images read at places, alignments, random windows, margins of labels."""

import itertools
import math

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.autograd import gradcheck
from rushlight.nn import functional as F

# -- grids --


def identity_grid(size, align_corners):
    theta = torch.eye(2, 3, dtype=torch.float64).expand(size[0], 2, 3)
    return F.affine_grid(theta, size, align_corners=align_corners)


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_identity_gives_the_image_back(mode, align_corners):
    image = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    grid = identity_grid((2, 3, 4, 5), align_corners)
    found = F.grid_sample(image, grid, mode=mode, align_corners=align_corners)
    assert torch.allclose(found, image)


def test_a_place_between_four_pixels_is_their_mean():
    image = torch.tensor([[[[1.0, 2.0], [3.0, 6.0]]]])
    grid = torch.zeros(1, 1, 1, 2)
    assert F.grid_sample(image, grid, align_corners=True).item() == 3.0


@pytest.mark.parametrize(
    ("padding", "value"), [("zeros", 0.0), ("border", 3.0), ("reflection", 1.0)]
)
def test_places_outside(padding, value):
    image = torch.tensor([[[[1.0, 2.0, 3.0]]]])
    grid = torch.tensor([[[[3.0, 0.0]]]])
    found = F.grid_sample(image, grid, padding_mode=padding, align_corners=True)
    assert found.item() == value


@pytest.mark.parametrize(
    ("mode", "padding", "align"),
    list(itertools.product(["bilinear", "bicubic"], ["zeros", "border", "reflection"], [0, 1])),
)
def test_gradients_of_images_and_places(mode, padding, align):
    torch.manual_seed(1)
    image = torch.randn(1, 2, 4, 3, dtype=torch.float64, requires_grad=True)
    grid = (torch.rand(1, 3, 2, 2, dtype=torch.float64) * 2.6 - 1.3).requires_grad_()

    def sampled(image, grid):
        return F.grid_sample(image, grid, mode, padding, align)

    assert gradcheck(sampled, (image, grid))


def test_volumes():
    volume = torch.randn(1, 2, 3, 4, 5)
    theta = torch.eye(3, 4).unsqueeze(0)
    grid = F.affine_grid(theta, (1, 2, 3, 4, 5), align_corners=False)
    assert torch.allclose(F.grid_sample(volume, grid, align_corners=False), volume, atol=1e-5)
    with pytest.raises(RuntimeError, match="bicubic interpolation only supports 4D"):
        F.grid_sample(volume, grid, mode="bicubic", align_corners=False)


def test_grids_that_do_not_fit():
    with pytest.raises(RuntimeError, match="same dtype"):
        F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 2).double(), align_corners=True)
    with pytest.raises(RuntimeError, match="same batch size"):
        F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(2, 1, 1, 2), align_corners=True)
    with pytest.raises(ValueError, match="expected mode to be"):
        F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 2), mode="cubic")
    with pytest.raises(ValueError, match="batch of 2D affine matrices"):
        F.affine_grid(torch.ones(1, 3, 3), (1, 1, 2, 2), align_corners=True)


# -- alignments --


def alignments(labels, steps, classes):
    """Every sequence of classes that stands for the labels: repeats and then blanks go."""
    for path in itertools.product(range(classes), repeat=steps):
        merged = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
        if [c for c in merged if c != 0] == labels:
            yield path


@pytest.mark.parametrize("labels", [[1], [1, 2], [1, 1], [2, 1, 2], []])
def test_the_loss_counts_all_alignments(labels):
    torch.manual_seed(0)
    logs = torch.randn(4, 1, 3, dtype=torch.float64).log_softmax(2)
    total = sum(
        math.exp(sum(logs[t, 0, c].item() for t, c in enumerate(path)))
        for path in alignments(labels, 4, 3)
    )
    targets = torch.tensor([labels], dtype=torch.int64).reshape(1, len(labels))
    loss = F.ctc_loss(logs, targets, [4], [len(labels)], reduction="sum")
    assert loss.item() == pytest.approx(-math.log(total))


def test_batches_have_lengths_and_targets_may_be_joined():
    torch.manual_seed(0)
    logs = torch.randn(6, 2, 4).log_softmax(2)
    rows = torch.tensor([[1, 2, 0], [3, 3, 1]])
    joined = torch.tensor([1, 2, 3, 3, 1])
    lengths = torch.tensor([4, 6]), torch.tensor([2, 3])
    one = F.ctc_loss(logs, rows, *lengths, reduction="none")
    other = F.ctc_loss(logs, joined, *lengths, reduction="none")
    alone = F.ctc_loss(logs[:4, 0], rows[0, :2], (4,), (2,), reduction="none")
    assert torch.allclose(one, other)
    assert one[0].item() == pytest.approx(alone.item(), rel=1e-5)
    mean = F.ctc_loss(logs, rows, *lengths)
    assert mean.item() == pytest.approx((one / torch.tensor([2.0, 3.0])).mean().item(), rel=1e-5)


def test_targets_that_cannot_be_aligned():
    logs = torch.randn(2, 1, 3).log_softmax(2).requires_grad_()
    targets = torch.tensor([[1, 1]])
    assert F.ctc_loss(logs, targets, [2], [2]).item() == math.inf
    loss = F.ctc_loss(logs, targets, [2], [2], zero_infinity=True)
    loss.backward()
    assert loss.item() == 0
    assert logs.grad.eq(0).all()


def test_the_gradient_is_that_of_the_scores():
    torch.manual_seed(0)
    scores = torch.randn(5, 1, 3, dtype=torch.float64, requires_grad=True)

    def loss(scores):
        return F.ctc_loss(scores.log_softmax(2), torch.tensor([[1, 2]]), [5], [2])

    assert gradcheck(loss, (scores,))


def test_lengths_that_do_not_fit():
    logs = torch.zeros(3, 1, 2)
    with pytest.raises(RuntimeError, match="blank must be in label range"):
        F.ctc_loss(logs, torch.tensor([[1]]), [3], [1], blank=2)
    with pytest.raises(RuntimeError, match="input_lengths must be of size batch_size"):
        F.ctc_loss(logs, torch.tensor([[1]]), [3, 3], [1])
    with pytest.raises(RuntimeError, match="to have value at most 3"):
        F.ctc_loss(logs, torch.tensor([[1]]), [4], [1])


def test_labels_that_are_no_classes():
    logs = torch.zeros(3, 1, 4)
    with pytest.raises(IndexError, match="labels from 0 to 3"):
        F.ctc_loss(logs, torch.tensor([[1, 4]]), [3], [2])
    # Behind the end of a sequence anything may stand.
    assert F.ctc_loss(logs, torch.tensor([[1, 4]]), [3], [1]).isfinite()


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_large_batches_are_shared_and_strides_do_not_matter(kind):
    torch.manual_seed(0)
    scores = torch.randn(8, 60, 12, dtype=kind).log_softmax(2)
    targets = torch.randint(1, 12, (8, 20))
    given, wanted = [60 - k for k in range(8)], [20 - k for k in range(8)]

    def alone(row):
        logs = scores[row].clone().requires_grad_()
        loss = F.ctc_loss(logs, targets[row : row + 1], given[row : row + 1], wanted[row : row + 1],
                          reduction="none")  # fmt: skip
        (gradient,) = torch.autograd.grad(loss, logs)
        return loss.item(), gradient

    logs = scores.transpose(0, 1).requires_grad_()
    losses = F.ctc_loss(logs, targets.int(), given, wanted, reduction="none")
    (gradients,) = torch.autograd.grad(losses.sum(), logs)
    for row in range(8):
        loss, gradient = alone(row)
        assert losses[row].item() == loss
        assert torch.equal(gradients[:, row], gradient)
        assert gradients[given[row] :, row].eq(0).all()


def test_impossible_alignments_without_zero_infinity_have_no_gradient():
    logs = torch.zeros(2, 1, 3).log_softmax(2).requires_grad_()
    loss = F.ctc_loss(logs, torch.tensor([[1, 1]]), [2], [2])
    (gradient,) = torch.autograd.grad(loss, logs)
    assert gradient[:, 0, :2].isnan().all()


def test_the_second_derivative_is_refused():
    logs = torch.zeros(3, 1, 3, requires_grad=True)
    loss = F.ctc_loss(logs.log_softmax(2), torch.tensor([[1]]), [3], [1])
    (gradient,) = torch.autograd.grad(loss, logs, create_graph=True)
    with pytest.raises(RuntimeError, match="_ctc_loss_backward is not implemented"):
        gradient.sum().backward()


# -- random windows --


def test_windows_cover_the_image_in_order():
    image = torch.arange(64.0).reshape(1, 1, 8, 8)
    samples = torch.tensor([[[0.3, 0.7]]])
    values, places = F.fractional_max_pool2d(
        image, 2, output_size=(4, 5), return_indices=True, _random_samples=samples
    )
    assert values.shape == (1, 1, 4, 5)
    assert torch.equal(values, places.to(torch.float32))
    assert values[0, 0, -1, -1] == 63
    assert (values.diff(dim=-1) > 0).all()
    assert (values.diff(dim=-2) > 0).all()


def test_gradients_go_to_the_largest_elements():
    image = torch.randn(1, 2, 6, 6, 6, dtype=torch.float64, requires_grad=True)
    samples = torch.rand(1, 2, 3, dtype=torch.float64)
    found = F.fractional_max_pool3d(image, 2, output_size=3, _random_samples=samples)
    found.sum().backward()
    assert image.grad.sum() == found.numel()
    assert nn.FractionalMaxPool3d(2, output_ratio=0.5)(image).shape == (1, 2, 3, 3, 3)


def test_fractional_pools_need_a_size():
    with pytest.raises(ValueError, match="either an output_size or output_ratio"):
        F.fractional_max_pool2d(torch.ones(1, 4, 4), 2)
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        nn.FractionalMaxPool2d(2, output_ratio=1.5)
    with pytest.raises(RuntimeError, match="too large for an input"):
        F.fractional_max_pool2d(torch.ones(1, 4, 4), 3, output_size=4)


# -- labels, distances --


def test_margins_of_labels_up_to_the_first_minus_one():
    scores = torch.tensor([[0.1, 0.2, 0.4, 0.8]])
    labels = torch.tensor([[3, 0, -1, 1]])
    expected = sum(
        max(0.0, 1 - (scores[0, j] - scores[0, i]).item()) for j in (3, 0) for i in (1, 2)
    )
    loss = nn.MultiLabelMarginLoss()(scores, labels)
    assert loss.item() == pytest.approx(expected / 4)
    with pytest.raises(RuntimeError, match="inconsistent target size"):
        F.multilabel_margin_loss(scores, labels[:, :3])


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, math.inf])
def test_distances_within_a_set(p):
    rows = torch.randn(5, 3)
    full = torch.cdist(rows, rows, p=p)
    i, j = torch.triu_indices(5, 5, 1)
    assert torch.allclose(torch.pdist(rows, p), full[i, j], atol=1e-5)
    assert torch.pdist(rows[:1]).shape == (0,)
    with pytest.raises(RuntimeError, match="only supports 2D tensors"):
        torch.pdist(rows[0])


# -- last layers --


def test_a_last_layer_with_its_loss():
    torch.manual_seed(0)
    rows, target = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
    module = nn.LinearCrossEntropyLoss(3, 4, bias=True)
    expected = F.cross_entropy(module.linear(rows), target)
    assert torch.allclose(module(rows, target), expected)
    deep = nn.LinearCrossEntropyLoss(3, 4, out_features=(2,))
    logits = deep.linear(rows).reshape(6, 4, 2)
    targets = torch.stack([target, target], 1)
    assert torch.allclose(deep(rows, targets), F.cross_entropy(logits, targets))
    with pytest.raises(RuntimeError, match="expected linear_bias shape"):
        F.linear_cross_entropy(rows, torch.ones(4, 3), target, linear_bias=torch.ones(3))


def test_clusters_of_rare_classes_make_one_distribution():
    torch.manual_seed(0)
    module = nn.AdaptiveLogSoftmaxWithLoss(16, 20, [5, 12])
    rows, target = torch.randn(7, 16), torch.tensor([0, 4, 5, 11, 12, 19, 7])
    logs = module.log_prob(rows)
    assert torch.allclose(logs.exp().sum(1), torch.ones(7), atol=1e-5)
    output, loss = module(rows, target)
    assert torch.allclose(output, logs.gather(1, target.unsqueeze(1)).squeeze(1), atol=1e-5)
    assert torch.allclose(loss, -output.mean())
    assert torch.equal(module.predict(rows), logs.argmax(1))
    loss.backward()
    assert all(p.grad is not None for p in module.parameters())
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 19\]"):
        module(rows, target + 1)
    with pytest.raises(ValueError, match="cutoffs should be a sequence of unique"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 20, [12, 5])


@pytest.mark.parametrize("padding", ["border", "reflection"])
def test_places_on_the_border_of_an_image_do_not_move(padding):
    image = torch.arange(16.0).view(1, 1, 4, 4)
    places = torch.tensor(
        [[-1.0, 0.1], [1.0, 0.1], [0.1, -1.0], [0.1, 1.0], [0.1, 0.2], [1.6, 0.1]]
    )
    grid = places.view(1, 1, 6, 2).requires_grad_()
    made = F.grid_sample(image, grid, padding_mode=padding, align_corners=True)
    made.sum().backward()
    moves = grid.grad.view(6, 2) != 0
    outside = padding == "reflection"
    expected = [[0, 1], [0, 1], [1, 0], [1, 0], [1, 1], [int(outside), 1]]
    assert moves.int().tolist() == expected


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_a_nearest_place_has_a_gradient_of_zeros(padding):
    x = torch.rand(1, 2, 3, 3, dtype=torch.float64).requires_grad_()
    grid = (torch.rand(1, 2, 2, 2, dtype=torch.float64) * 3 - 1.5).requires_grad_()
    seen = F.grid_sample(x, grid, mode="nearest", padding_mode=padding, align_corners=False)
    d_x, d_grid = torch.autograd.grad(seen.sum(), (x, grid), create_graph=True)
    assert d_grid.requires_grad and not d_grid.any()
    assert float(d_x.detach().sum()) > 0
