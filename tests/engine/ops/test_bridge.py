"""numpy arrays over the memory of tensors."""

import gc

import rushlight as torch
from rushlight.engine.ops import bridge


def test_an_array_keeps_the_memory_of_its_tensor():
    array = bridge.array(torch.arange(64) * 1)
    gc.collect()
    others = [torch.full((64,), -1) for _ in range(8)]
    assert array.tolist() == list(range(64))
    assert len(others) == 8
