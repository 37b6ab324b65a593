"""Adaptive pooling to the size that there is already."""

import rushlight as torch

F = torch.nn.functional


def test_the_result_is_a_copy():
    x = torch.ones(1, 3, 2, requires_grad=True)
    for _ in range(3):
        for made in (F.adaptive_avg_pool1d(x, 2), F.adaptive_avg_pool2d(x, (3, 2))):
            assert made is not x and not made.is_leaf and made.data_ptr() != x.data_ptr()
    made.sum().backward()
    assert x.grad.tolist() == torch.ones(1, 3, 2).tolist()
