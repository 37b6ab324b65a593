"""Fake tensors and their mode."""

import copy
import weakref

import pytest

import rushlight as torch
from rushlight._prims_common import compare_tensor_meta
from rushlight._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeCopyMode,
    FakeTensor,
    FakeTensorDeviceMismatchError,
    FakeTensorMode,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
    is_fake,
    unset_fake_temporarily,
)
from rushlight._subclasses.fake_utils import CrossRefFakeMode
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv, statically_known_true
from rushlight.utils._python_dispatch import TorchDispatchMode


def test_what_is_made_within_a_mode_has_no_elements():
    with FakeTensorMode() as mode:
        x = torch.rand(3, 4)
        y = torch.ones(4, 2, dtype=torch.float64, device="cuda")
    assert isinstance(x, FakeTensor) and x.fake_mode is mode and is_fake(x)
    assert repr(x) == "FakeTensor(..., size=(3, 4))"
    assert repr(y) == "FakeTensor(..., device='cuda:0', size=(4, 2), dtype=torch.float64)"
    assert not x._storage_._ptr and type(torch.ones(2)) is torch.Tensor


def test_fakes_of_large_tensors_take_no_memory():
    with FakeTensorMode():
        x = torch.empty(1 << 40, 4)
        assert (x @ x.t()[:, :2]).shape == (1 << 40, 2)


def test_a_tensor_has_one_fake():
    mode = FakeTensorMode()
    x = torch.ones(3, 4).requires_grad_()
    fake = mode.from_tensor(x)
    assert mode.from_tensor(x) is fake and mode.from_tensor(fake) is fake
    assert fake.requires_grad and fake.is_leaf
    view = mode.from_tensor(x.detach()[1:].t())
    assert view.stride() == (1, 4) and view.storage_offset() == 4
    assert view._storage_ is fake._storage_
    parameter = mode.from_tensor(torch.nn.Parameter(torch.ones(2)))
    assert isinstance(parameter, torch.nn.Parameter) and isinstance(parameter, FakeTensor)


def test_real_tensors_are_refused_unless_they_are_allowed():
    x = torch.ones(3, 4)
    with FakeTensorMode(), pytest.raises(AssertionError) as error:
        x + 1
    assert str(error.value) == (
        "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
        "'allow_non_fake_inputs'. Found in aten.add.Tensor(tensor([...], size=(3, 4)), 1)"
    )
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert isinstance(x + 1, FakeTensor)
    other = FakeTensorMode().from_tensor(x)
    with FakeTensorMode(), pytest.raises(AssertionError, match="Mixing fake modes NYI"):
        other + 1


def test_fakes_of_tensors_with_a_history_have_one():
    x = torch.ones(2, requires_grad=True) * 2
    fake = FakeTensorMode().from_tensor(x)
    assert fake.requires_grad and not fake.is_leaf
    with CrossRefFakeMode():
        assert torch.relu(x).grad_fn is not None


def test_devices_are_those_of_the_real_call():
    with FakeTensorMode():
        on_cpu, on_cuda = torch.ones(2, 3), torch.ones(2, 3, device="cuda")
        number = torch.ones((), dtype=torch.float64)
        assert (
            str((on_cuda + number).device) == "cuda:0"
            and str((number + on_cuda).device) == "cuda:0"
        )
        assert (on_cuda + number).dtype is torch.float32
        assert str(on_cpu.to("cuda").device) == "cuda:0"
        assert on_cpu.copy_(on_cuda) is on_cpu and on_cpu.device.type == "cpu"
        with pytest.raises(FakeTensorDeviceMismatchError, match="same device"):
            on_cpu + on_cuda
        layer = torch.nn.Linear(3, 4).to("cuda")
        assert str(layer.weight.device) == "cuda:0" and layer(on_cuda).device.type == "cuda"


def test_elements_that_decide_are_refused():
    with FakeTensorMode():
        x = torch.rand(3)
        with pytest.raises(DynamicOutputShapeException, match=r"aten\.nonzero\.default"):
            x.nonzero()
        with pytest.raises(DataDependentOutputException, match=r"aten\._local_scalar_dense"):
            x[0].item()
        with pytest.raises(DataDependentOutputException):
            bool(x.sum() > 0)


def test_numbers_are_known_while_nobody_changes_them():
    with FakeTensorMode():
        x = torch.tensor(3)
        assert x.item() == 3 and (x + 1).item() == 4
        y = x.clone()
        y.add_(torch.rand(()).to(torch.int64))
        assert y.constant is None and x.item() == 3


def test_views_and_changes_in_place():
    with FakeTensorMode():
        x = torch.rand(3, 4)
        view = x.view(-1)
        assert view._base is x and view._storage_ is x._storage_
        version = x._version
        view.add_(1)
        assert x._version == version + 1
        x.t_()
        assert x.shape == (4, 3) and x.stride() == (1, 4)
        x.resize_(20)
        assert x.shape == (20,) and x.untyped_storage().nbytes() == 80


def test_gradients_are_computed():
    with FakeTensorMode():
        layer = torch.nn.Linear(3, 4)
        layer(torch.rand(2, 3)).relu().sum().backward()
        assert isinstance(layer.weight.grad, FakeTensor) and layer.weight.grad.shape == (4, 3)
        optimizer = torch.optim.Adam(layer.parameters())
        optimizer.step()
    real = torch.ones(2, 3, requires_grad=True)
    (real * 2).sum().backward()
    assert FakeTensorMode().from_tensor(real).grad.shape == (2, 3)


def test_modes_within_modes():
    outer, inner = FakeTensorMode(), FakeTensorMode()
    with outer:
        with inner:
            assert torch.ones(2).fake_mode is inner
            with inner:
                assert torch.ones(2).fake_mode is inner
        assert torch.ones(2).fake_mode is outer
        with unset_fake_temporarily() as unset:
            assert unset is outer and type(torch.ones(2)) is torch.Tensor
        assert torch.ones(2).fake_mode is outer


def test_modes_of_programs_see_calls_before():
    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    for modes in ((Seen(), FakeTensorMode()), (FakeTensorMode(), Seen())):
        seen = []
        with modes[0], modes[1]:
            assert isinstance(torch.ones(2) + 1, FakeTensor)
        assert seen == ["aten.ones.default", "aten.add.Tensor"]


def test_operators_of_programs():
    library = torch.library.Library("fakes", "DEF")
    library.define("known(Tensor x) -> Tensor")
    library.define("unknown(Tensor x) -> Tensor")
    for name in ("known", "unknown"):
        library.impl(name, lambda x: x.cos(), "CPU")
    torch.library.register_fake("fakes::known", lambda x: x.new_empty(7))
    with FakeTensorMode():
        x = torch.ones(2)
        assert torch.ops.fakes.known(x).shape == (7,)
        with pytest.raises(UnsupportedOperatorException, match=r"fakes\.unknown\.default"):
            torch.ops.fakes.unknown(x)
    library._destroy()


def test_operators_of_programs_may_have_sizes_that_elements_decide():
    library = torch.library.Library("unsized", "DEF")
    library.define("places(Tensor x) -> Tensor")

    def places(x):
        count = torch.library.get_ctx().new_dynamic_size(max=7)
        return x.new_empty([count, x.dim()], dtype=torch.int64)

    torch.library.register_fake("unsized::places", places)
    with FakeTensorMode(shape_env=ShapeEnv()):
        made = torch.ops.unsized.places(torch.ones(3))
        assert str(made.shape) == "torch.Size([u0, 1])" and statically_known_true(made.shape[0] < 8)
    with FakeTensorMode(), pytest.raises(DynamicOutputShapeException, match="unsized"):
        torch.ops.unsized.places(torch.ones(3))
    with pytest.raises(RuntimeError, match="as opposed to FakeTensors"):
        torch.ops.unsized.places(torch.ones(3, device="meta"))
    library._destroy()


def test_copies_of_modules():
    model = torch.nn.BatchNorm2d(3)
    mode = FakeTensorMode()
    with FakeCopyMode(mode):
        made = copy.deepcopy(model)
    for name, value in model.state_dict(keep_vars=True).items():
        other = made.state_dict(keep_vars=True)[name]
        assert isinstance(other, FakeTensor) and other.shape == value.shape
        assert isinstance(other, torch.nn.Parameter) == isinstance(value, torch.nn.Parameter)
    with mode:
        assert isinstance(made(torch.rand(2, 3, 4, 4)), FakeTensor)
    assert isinstance(copy.deepcopy(made.running_mean), FakeTensor)
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        encoder = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        x = mode.from_tensor(torch.ones(2, 5, 8))
        copied = copy.deepcopy(encoder)
        assert copied(x).shape == x.shape and all(p.is_leaf for p in copied.parameters())


def test_layouts_without_fakes_are_named():
    with pytest.raises(UnsupportedFakeTensorException, match="sparse_coo layout"):
        FakeTensorMode().from_tensor(torch.ones(2, 2).to_sparse())


def test_calls_may_be_held_against_fakes():
    with CrossRefFakeMode():
        x = torch.nn.functional.conv2d(torch.rand(1, 2, 4, 4), torch.rand(3, 2, 2, 2))
        assert torch.linalg.qr(x[0, 0]).R.shape == (3, 3)


def test_modes_are_let_go():
    x = torch.ones(2)
    mode = FakeTensorMode()
    fake = mode.from_tensor(x)
    assert mode.from_tensor(x) is fake
    gone = weakref.ref(mode)
    del mode, fake
    assert gone() is None


def test_operators_over_numbers_are_known():
    with FakeTensorMode():
        assert torch.div(4, 4, rounding_mode="trunc").item() == 1


def test_metadata_are_compared():
    fake = FakeTensorMode().from_tensor(torch.ones(2, 3).t())
    compare_tensor_meta(fake, torch.ones(2, 3).t(), check_strides=True)
    with pytest.raises(RuntimeError, match="Stride mismatch"):
        compare_tensor_meta(fake, torch.ones(3, 2), check_strides=True)
    with pytest.raises(AssertionError, match="different shape"):
        compare_tensor_meta(fake, torch.ones(2, 3))


def test_tables_that_are_kept_are_of_no_mode():
    resize = torch.nn.Upsample(scale_factor=2, mode="bilinear")
    with FakeTensorMode():
        assert resize(torch.ones(1, 2, 3, 3)).shape == (1, 2, 6, 6)
    assert torch.equal(resize(torch.ones(1, 2, 3, 3)), torch.ones(1, 2, 6, 6))
    with FakeTensorMode():
        assert resize(torch.ones(1, 2, 3, 3)).shape == (1, 2, 6, 6)
