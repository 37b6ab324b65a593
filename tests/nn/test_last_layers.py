"""Losses that are computed together with a last layer."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


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
