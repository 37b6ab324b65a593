"""Half-precision products without elements read nothing."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("rows, depth, columns", [(3, 7, 0), (0, 7, 3), (3, 0, 4), (0, 0, 0)])
def test_empty_products_of_halves(kind, rows, depth, columns):
    a = torch.ones(rows, depth, dtype=kind)
    b = torch.ones(columns, depth, dtype=kind)
    bias = torch.full((columns,), 2.0, dtype=kind)
    assert torch.mm(a, b.t()).tolist() == [[float(depth)] * columns] * rows
    made = torch.nn.functional.linear(a, b, bias)
    assert made.tolist() == [[float(depth + 2)] * columns] * rows
    one = torch.ones(depth, dtype=kind)
    assert torch.nn.functional.linear(one, b, bias).tolist() == [float(depth + 2)] * columns
