"""What operators refuse and warn of beyond their arguments' types and sizes."""

import warnings
from collections.abc import Sequence

import pytest

import rushlight as torch

F = torch.nn.functional


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


def put(accumulate=False):
    return torch.zeros(3).put_(torch.tensor([1]), torch.tensor([2.0]), accumulate=accumulate)


def test_operators_without_a_deterministic_form_are_refused():
    assert [put().tolist() for _ in range(3)] == [[0, 2, 0]] * 3
    torch.use_deterministic_algorithms(True)
    try:
        for _ in range(3):
            with pytest.raises(RuntimeError, match="put_ does not have a deterministic implement"):
                put()
        assert put(accumulate=True).tolist() == [0, 2, 0]
        for count, name in ((1, "2d"), (2, "2d"), (3, "3d")):
            image = torch.rand(1, 1, *[4] * count)
            found = getattr(F, f"max_pool{count}d")(image, 2, return_indices=True)
            with pytest.raises(RuntimeError, match=f"max_unpooling{name}_forward_out does not"):
                getattr(F, f"max_unpool{count}d")(*found, 2)
        torch.use_deterministic_algorithms(True, warn_only=True)
        for _ in range(3):
            with pytest.warns(UserWarning, match="put_ does not have a deterministic"):
                assert put().tolist() == [0, 2, 0]
    finally:
        torch.use_deterministic_algorithms(False)
    assert put().tolist() == [0, 2, 0]


def test_filling_is_a_switch_of_its_own(deterministic):
    ask = torch._C._get_deterministic_fill_uninitialized_memory
    assert ask()
    torch._C._set_deterministic_fill_uninitialized_memory(False)
    assert not ask() and not torch.utils.deterministic.fill_uninitialized_memory
    torch.utils.deterministic.fill_uninitialized_memory = True
    assert ask()
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        torch.utils.deterministic.fill_uninitialized_memory = 1


def test_masks_of_bytes_are_going_away():
    mask, values = torch.tensor([1, 0], dtype=torch.uint8), torch.ones(2, 3, 2)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert values[mask, :, mask].shape == (1, 3)
            values.index_put_((mask,), values[mask])
        assert len(caught) == 4
        assert all("torch.uint8 is now deprecated" in str(w.message) for w in caught)


def test_reductions_of_too_many_dimensions():
    many = torch.ones([1] * 65)
    for name in ("sum", "amax", "count_nonzero", "logsumexp", "any", "argmax"):
        with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
            getattr(torch, name)(many, dim=0)
    assert many.sum().item() == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: torch.all(torch.ones(2), 0, out=torch.empty(())),
            "all only supports bool tensor for result, got: Float",
        ),
        (
            lambda: torch.any(torch.ones(2), out=torch.empty((), dtype=torch.int32)),
            "any only supports bool tensor for result, got: Int",
        ),
        (
            lambda: torch.logcumsumexp(torch.ones(3).double(), 0, out=torch.empty(3)),
            "expected scalar_type Double but found Float",
        ),
        (
            lambda: torch.cummax(torch.ones(3), 0, out=(torch.empty(3), torch.empty(3))),
            "expected scalar_type Long but found Float",
        ),
        (lambda: torch.ops.aten._local_scalar_dense(torch.ones(0)), "Empty tensor not supported"),
        (
            lambda: torch.ones(2).map2_(
                torch.ones(2), torch.ones(2).requires_grad_(), lambda a, b, c: a
            ),
            r"Can't call map2_\(\) on Variable that requires grad",
        ),
        (
            lambda: torch.ones(2).requires_grad_().apply_(lambda a: a),
            r"Can't call apply_\(\) on Variable that requires grad",
        ),
    ],
)
def test_refused_calls(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_answers_are_written_to_bytes():
    made = torch.all(torch.ones(2), 0, out=torch.empty((), dtype=torch.uint8))
    assert made.item() == 1 and made.dtype is torch.uint8


class Pair(Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return index


class Anything:
    def __radd__(self, other):
        return 42


def test_sums_of_sizes():
    size = torch.Size([1, 2])
    assert size + (3,) == torch.Size([1, 2, 3]) and (3,) + size == torch.Size([3, 1, 2])
    assert size + Anything() == 42
    for other, name in ((Pair(), "Pair"), ([1], "list"), (1, "int")):
        message = rf"can only concatenate tuple \(not {name}\) to torch.Size"
        with pytest.raises(TypeError, match=message):
            size + other
    with pytest.raises(TypeError, match="unsupported operand type"):
        Pair() + size


def test_reversed_tensors_are_turned_along_the_first_dimension():
    assert reversed(torch.arange(4).view(2, 2)).tolist() == [[2, 3], [0, 1]]


def test_flat_indices_and_their_shapes():
    flat = torch.tensor([1])
    with pytest.raises(TypeError, match="expected 'shape' to be int or sequence of ints"):
        torch.unravel_index(flat, torch.tensor([1, 2]))
    with pytest.raises(TypeError, match="expected 'shape' sequence to only contain ints"):
        torch.unravel_index(flat, (1, 2, 2.0))
    assert [t.tolist() for t in torch.unravel_index(flat, (2, 2))] == [[0], [1]]


def test_classes_that_are_no_tensors():
    with pytest.raises(TypeError, match="from a class that does not inherit from Tensor"):
        torch.ones(1).as_subclass(Anything)


def test_warnings_for_tests():
    with pytest.warns(UserWarning, match="Test message for TORCH_WARN"):
        torch._C._warn()
    with pytest.warns(DeprecationWarning, match="Test message for TORCH_WARN_DEPRECATION"):
        torch._C._warn_deprecation()


def test_gradients_of_convolutions_have_two_names():
    assert F.grad is torch.nn.grad
    with torch.backends.mkldnn.flags(enabled=True):
        assert torch.backends.mkldnn.enabled
    assert not torch.backends.mkldnn.enabled


def test_whether_a_tensor_meets_itself():
    answers = [
        torch._debug_has_internal_overlap(t)
        for t in (
            torch.ones(3, 3).t(),
            torch.ones(1, 3).expand(4, 3),
            torch.ones(10).as_strided([2, 1, 5], [1, 0, 2]),
            torch.ones(2, 1, 10)[::2].as_strided((2, 1, 5), (10, 0, 2)),
        )
    ]
    assert answers == [0, 1, 0, 2]


def test_the_class_of_all_tensors_stands_for_the_default_type():
    assert torch.ones(2, dtype=torch.int32).type(torch.Tensor).dtype is torch.float32
