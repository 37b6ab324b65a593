"""The classes of named results."""

import pytest

import rushlight as torch


def test_they_are_the_classes_of_results() -> None:
    x = torch.arange(4.0).reshape(2, 2)
    assert type(torch.max(x, 0)) is torch.return_types.max
    assert type(torch.sort(x)) is torch.return_types.sort
    assert type(torch.linalg.svd(x)) is torch.return_types.linalg_svd
    made = torch.return_types.topk((1, 2))
    assert made.values == 1 and made.indices == 2
    assert {"max", "max_out", "linalg_qr", "frexp"} <= set(dir(torch.return_types))
    assert "add" not in dir(torch.return_types)
    with pytest.raises(AttributeError, match="add"):
        _ = torch.return_types.add
