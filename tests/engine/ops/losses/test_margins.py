"""Margins of labels."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


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
