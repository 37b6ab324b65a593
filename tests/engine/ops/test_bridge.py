"""numpy arrays over the memory of tensors."""

import rushlight as torch
from rushlight.engine.ops import bridge


def test_an_array_keeps_the_memory_of_its_tensor(collect):
    array = bridge.array(torch.arange(64) * 1)
    collect()
    others = [torch.full((64,), -1) for _ in range(8)]
    assert array.tolist() == list(range(64))
    assert len(others) == 8
