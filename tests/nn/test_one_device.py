"""The functions of `nn.parallel` where there is one device."""

import pytest

import rushlight as torch
from rushlight.nn import parallel


def test_what_needs_no_other_device() -> None:
    layer, x = torch.nn.Linear(2, 3), torch.ones(4, 2)
    assert torch.equal(parallel.data_parallel(layer, x), layer(x))
    first, second = parallel.parallel_apply([layer, layer], [x, (x,)], [{}, {}])
    assert torch.equal(first, second)
    assert parallel.replicate(layer, ["cpu"]) == [layer]
    for call in (
        lambda: parallel.data_parallel(layer, x, device_ids=[0]),
        lambda: parallel.replicate(layer, [0, 1]),
        lambda: parallel.parallel_apply([layer], [x], devices=[0]),
    ):
        with pytest.raises(NotImplementedError, match="only the CPU"):
            call()
    with pytest.raises(AssertionError, match="number of modules 1"):
        parallel.parallel_apply([layer], [])
