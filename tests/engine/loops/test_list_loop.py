"""One kernel over rows of tensors."""

import pytest

import rushlight as torch
from rushlight.engine.loops.list_loop import ListLoop, elements

F32 = torch.float32


def axpy(dtypes=(F32, F32)):
    return ListLoop(lambda p, g, rate: p - rate * g, dtypes, 1, 1)


def test_rows_of_all_lengths_are_changed_in_place():
    sizes = [0, 1, 63, 64, 65, 32768, 100_001]
    rows = [(torch.arange(n) / 7, torch.arange(n) * 1.5) for n in sizes]
    versions = [p._version for p, _ in rows]
    expected = [p - 0.5 * g for p, g in rows]
    assert axpy().run([t for row in rows for t in row], 0.5)
    for (p, _), wanted, version in zip(rows, expected, versions, strict=True):
        assert torch.allclose(p, wanted)
        assert p._version == version + 1


def test_parts_of_larger_tensors():
    whole = torch.zeros(10)
    assert axpy().run([whole[2:5], torch.ones(3)], 1.0)
    assert whole.tolist() == [0, 0, -1, -1, -1, 0, 0, 0, 0, 0]


def test_complex_numbers_are_pairs():
    z = torch.tensor([1 + 2j, 3 - 1j])
    loop = ListLoop(lambda p: p * 2, [torch.complex64], 1, 0)
    assert loop.run([z])
    assert z.tolist() == [2 + 4j, 6 - 2j]
    with pytest.raises(TypeError, match="complex and real"):
        axpy((torch.complex64, F32))


class Special(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "row",
    [
        lambda: [torch.ones(3), torch.ones(4)],
        lambda: [torch.ones(3).double(), torch.ones(3)],
        lambda: [torch.ones(3), torch.ones(6)[::2]],
        lambda: [torch.ones(3), torch.ones(3).as_subclass(Special)],
        lambda: [torch.ones(3), None],
        lambda: [torch.ones(3), 1.0],
        lambda: [torch.ones(3), torch.ones(3, device="meta")],
    ],
)
def test_what_does_not_fit_is_left_alone(row):
    good = [torch.ones(2), torch.ones(2)]
    assert not axpy().run([*good, *row()], 1.0)
    assert good[0].tolist() == [1, 1]
    assert good[0]._version == 0


def test_numbers_of_the_wrong_type_are_errors():
    with pytest.raises(TypeError):
        axpy().run([torch.ones(2), torch.ones(2)], "one")


def test_numbers_of_many_tensors():
    assert elements([torch.tensor(1.5), torch.tensor(2, dtype=torch.int64)]) == (1.5, 2)
    assert elements([]) == ()
    assert elements([torch.ones(2)]) is None
    assert elements([3.0]) is None
