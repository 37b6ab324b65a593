"""Real tensors that go along with fakes."""

import pytest

import rushlight as torch
from rushlight._functorch import config
from rushlight._subclasses.fake_tensor import FakeTensorMode, MetadataMismatchError
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv


def _mode():
    with config.patch(fake_tensor_propagate_real_tensors=True):
        return FakeTensorMode(shape_env=ShapeEnv(), static_shapes=True, allow_non_fake_inputs=True)


def test_calls_are_made_on_real_tensors_as_well():
    mode, x = _mode(), torch.arange(4.0)
    with mode:
        fake = mode.from_tensor(x)
        y = fake.view(2, 2)
        y.mul_(2)
        z = fake[1:] + torch.ones(3)
    assert torch.equal(z.real_tensor, torch.tensor([3.0, 5.0, 7.0]))
    assert torch.equal(y.real_tensor, x.view(2, 2) * 2)
    # The tensor that a fake stands for stays as it is.
    assert torch.equal(x, torch.arange(4.0))


def test_questions_about_elements_have_answers_that_are_checked_later():
    mode = _mode()
    with mode:
        fake = mode.from_tensor(torch.tensor([0, 1, 2, 0]))
        places = fake.nonzero()
        count = places.shape[0]
        assert str(count) == "u0" and mode.shape_env.real_value(count * 3) == 6
        assert count > 1
        assert not fake.sum().item() > 5
    checks = [
        str(c.expr) for found in mode.shape_env.deferred_runtime_asserts.values() for c in found
    ]
    assert checks == ["u0 > 1", "u1 <= 5"]


def test_a_mode_without_them_has_none():
    with FakeTensorMode() as mode:
        assert mode.from_tensor(torch.ones(2)).real_tensor is None


def test_operators_of_programs_do_what_they_say():
    @torch.library.custom_op("real_tensors::writes", mutates_args={})
    def writes(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        y.add_(1)
        return x.clone()

    writes.register_fake(lambda x, y: torch.empty_like(x))

    @torch.library.custom_op("real_tensors::writes_nothing", mutates_args={})
    def writes_nothing(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y

    writes_nothing.register_fake(lambda x, y: torch.empty_like(x))

    @torch.library.custom_op("real_tensors::shrinks", mutates_args={})
    def shrinks(x: torch.Tensor) -> torch.Tensor:
        return x[1:].clone()

    shrinks.register_fake(lambda x: torch.empty_like(x))

    @torch.library.custom_op("real_tensors::says_so", mutates_args={"y"})
    def says_so(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        y.add_(1)
        return x.clone()

    says_so.register_fake(lambda x, y: torch.empty_like(x))
    with _mode() as mode:
        x, y = mode.from_tensor(torch.ones(3)), mode.from_tensor(torch.ones(3))
        with pytest.raises(RuntimeError, match=r"for argument 'y'.*does not mutate"):
            writes(x, y)
        with pytest.raises(
            MetadataMismatchError, match=r"fake shape 3 and real shape 2, at output.size\(0\)"
        ):
            shrinks(x)
        # What is no number stays as it was.
        assert not writes_nothing(x * float("nan"), y).dtype.is_complex
        z = x + 1
        made = says_so(x, z)
    assert torch.equal(made.real_tensor, torch.ones(3))
    assert torch.equal(z.real_tensor, torch.full((3,), 3.0))
