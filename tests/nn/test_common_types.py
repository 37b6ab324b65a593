"""Names for types."""

from typing import Union

import rushlight as torch
from rushlight.nn.common_types import _ratio_any_t, _size_2_opt_t, _size_2_t, _tensor_list_t


def test_one_value_or_one_for_each_dimension():
    assert _size_2_t == Union[int, tuple[int, int]]
    assert _size_2_opt_t == Union[int, None, tuple[int | None, int | None]]
    assert _ratio_any_t == Union[float, tuple[float, ...]]
    assert _tensor_list_t == Union[torch.Tensor, tuple[torch.Tensor, ...]]
    assert torch.nn.common_types._size_2_t is _size_2_t
