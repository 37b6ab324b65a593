"""The loss of alignments: counted one by one, its gradient, what it refuses."""

import itertools
import math

import pytest

import rushlight as torch
from rushlight.autograd import gradcheck
from rushlight.nn import functional as F


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
