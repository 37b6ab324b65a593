"""Subclasses of the tensor."""

import copy
import pickle
import weakref

import pytest

import rushlight as torch


class Mine(torch.Tensor):
    pass


class Slotted(torch.Tensor):
    __slots__ = ("extra",)


class Silent(torch.Tensor):
    calls: list = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(func)
        return super().__torch_function__(func, types, args, kwargs)


@pytest.fixture
def mine():
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(Mine)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + 1, lambda x: 1 - x, lambda x: x.t(), lambda x: x.T, lambda x: x[0],
        lambda x: x.to(torch.int64), lambda x: x.double(), lambda x: x.clone(), lambda x: x.sum(),
        lambda x: torch.exp(x), lambda x: torch.cat([x, x]), lambda x: torch.ones(2) * x,
        lambda x: x.new_tensor([1.0]), lambda x: torch.zeros_like(x), lambda x: x.contiguous(),
        lambda x: x.split(1)[0], lambda x: torch.atleast_3d(x), lambda x: x.max(0)[0],
        lambda x: x.norm(), lambda x: x.nonzero(as_tuple=True)[0], lambda x: x.data,
    ],
)  # fmt: skip
def test_results_are_of_the_subclass(mine, call):
    assert type(call(mine)) is Mine


def test_numbers_stay_numbers(mine):
    assert type(mine.sum().item()) is float
    assert type(mine.tolist()) is list
    assert type(mine.shape) is torch.Size


def test_in_place_calls_give_the_object_back(mine):
    assert mine.add_(1) is mine
    assert type(mine) is Mine


def test_memory_is_shared(mine):
    plain = torch.zeros(2)
    dressed = plain.as_subclass(Mine)
    dressed.add_(1)
    assert plain.tolist() == [1.0, 1.0]
    made = torch.Tensor._make_subclass(Mine, plain)
    assert made.data_ptr() == plain.data_ptr() and not made._is_view()


def test_construction():
    assert type(Mine([1, 2])) is Mine and Mine([1, 2]).dtype is torch.float32
    assert Mine(2, 3).shape == (2, 3)
    with pytest.raises(TypeError):
        torch.ones(2).as_subclass(int)


def test_text(mine):
    assert repr(mine) == "Mine([[1., 2.],\n      [3., 4.]])"


def test_attributes_and_weak_references(mine, collect):
    mine.note = "here"
    assert mine.note == "here"
    torch.ones(1).anything = 3
    reference = weakref.ref(mine)
    assert reference() is mine
    del mine
    collect()


def test_overrides_see_calls():
    Silent.calls.clear()
    x = torch.ones(2).as_subclass(Silent)
    made = x + x
    assert type(made) is Silent
    assert torch.Tensor.add in Silent.calls or torch.Tensor.__add__ in Silent.calls
    x.to(torch.int64)
    assert torch.Tensor.to in Silent.calls
    torch.meshgrid(x, x, indexing="ij")
    assert torch.meshgrid in Silent.calls


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles(mine, protocol):
    mine.note = [1]
    back = pickle.loads(pickle.dumps(mine, protocol))
    assert type(back) is Mine and back.tolist() == mine.tolist() and back.note == [1]
    view = torch.arange(12).reshape(3, 4).t()[1:]
    back = pickle.loads(pickle.dumps(view, protocol))
    assert back.tolist() == view.tolist() and back.stride() == view.stride()
    for name in ("bfloat16", "complex64", "bool", "float8_e5m2"):
        back = pickle.loads(pickle.dumps(torch.zeros(2, dtype=getattr(torch, name)), protocol))
        assert back.dtype is getattr(torch, name)
    assert pickle.loads(pickle.dumps(torch.tensor([1j]).conj(), protocol)).is_conj()


def test_pickles_keep_sharing_and_slots():
    base = torch.zeros(4)
    first, second = pickle.loads(pickle.dumps((base[:2], base[1:])))
    first[1] = 5
    assert second[0].item() == 5
    slotted = torch.ones(2).as_subclass(Slotted)
    slotted.extra = "kept"
    assert pickle.loads(pickle.dumps(slotted)).extra == "kept"
    abstract = pickle.loads(pickle.dumps(torch.empty(2, 3, device="meta")))
    assert abstract.shape == (2, 3) and abstract.is_meta


def test_own_state():
    made = Stateful([1.0])
    made.hidden = 3
    back = pickle.loads(pickle.dumps(made))
    assert back.hidden == 4 and back.tolist() == [1.0]


class Stateful(torch.Tensor):
    def __getstate__(self):
        return self.hidden

    def __setstate__(self, state):
        self.hidden = state + 1


def test_copies(mine):
    mine.note = [1]
    shallow = copy.copy(mine)
    assert shallow.data_ptr() == mine.data_ptr() and shallow.note is mine.note
    deep = copy.deepcopy(mine)
    assert type(deep) is Mine and deep.note == [1] and deep.note is not mine.note
    deep.zero_()
    assert mine.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    base = torch.zeros(4)
    a, b = copy.deepcopy([base[:2], base[1:]])
    a[1] = 7
    assert b[0].item() == 7 and base.sum().item() == 0
    assert copy.deepcopy(torch.empty(2, device="meta")).is_meta


def test_wrapper_subclasses():
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, held):
            made = torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype)
            made.held = held
            return made

        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise NotImplementedError

    made = Wrapper(torch.ones(2, 3))
    assert made.shape == (2, 3) and made.dtype is torch.float32


def test_a_method_can_be_replaced_and_put_back() -> None:
    original = torch.Tensor.sum
    torch.Tensor.sum = lambda self: "patched"
    assert torch.ones(3).sum() == "patched"
    torch.Tensor.sum = original
    assert torch.ones(3).sum().item() == 3


def test_a_method_can_have_another_name_in_a_subclass() -> None:
    class Named(torch.Tensor):
        plus = torch.Tensor.add

    assert torch.ones(2).as_subclass(Named).plus(1).tolist() == [2, 2]
    assert type(torch.Tensor) is torch._C._TensorMeta
    assert isinstance(torch.nn.Parameter, torch._C._TensorMeta)


class Wrapper(torch.Tensor):
    """Three numbers that are somewhere else."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        if function is torch.ops.aten.clone.default:
            return cls(args[0].inner.clone())
        raise NotImplementedError(str(function))


def test_wrappers_are_copied_by_their_class():
    x = Wrapper(torch.ones(3))
    y = copy.deepcopy(x)
    assert type(y) is Wrapper
    assert y.inner.tolist() == [1.0] * 3
    assert y.inner is not x.inner


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_wrappers_are_pickled_without_memory(protocol):
    x = Wrapper(torch.ones(3))
    y = pickle.loads(pickle.dumps(x, protocol))
    assert (type(y), y.shape, y.dtype) == (Wrapper, (3,), torch.float32)
    assert y.inner.tolist() == [1.0] * 3


def test_wrappers_are_saved(tmp_path):
    torch.save(Wrapper(torch.ones(3)), tmp_path / "x")
    y = torch.load(tmp_path / "x", weights_only=False)
    assert type(y) is Wrapper
    assert y.inner.tolist() == [1.0] * 3


@pytest.mark.parametrize("use", [
    lambda s: s.tolist(), list, bytes, lambda s: s[0], lambda s: s[0:2], lambda s: s.fill_(1),
    lambda s: s.clone(), lambda s: s.copy_(torch.UntypedStorage(12)), copy.deepcopy, pickle.dumps,
    lambda s: torch.UntypedStorage(12).copy_(s), lambda s: s.share_memory_(),
    lambda s: torch.zeros(3).set_(s), lambda s: torch.zeros(3).set_(s, 0, (3,), (1,)),
    lambda s: torch.TypedStorage(wrap_storage=s, dtype=torch.float32, _internal=True).tolist(),
    lambda s: torch.tensor(s),
])  # fmt: skip
def test_the_storage_of_a_wrapper_has_no_bytes_to_look_at(use):
    storage = Wrapper(torch.ones(3)).untyped_storage()
    assert storage.nbytes() == 12
    with pytest.raises(RuntimeError, match="has no memory"):
        use(storage)


def test_a_wrapper_without_its_dispatch_is_not_read():
    x = Wrapper(torch.ones(3))
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
        x.numpy()
    with pytest.raises(RuntimeError, match="has no memory"):
        x.__dlpack__()


def test_a_class_may_ask_for_functions_later():
    class Own(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return 1

    x = torch.Tensor._make_subclass(Own, torch.ones(2))
    for _ in range(40):
        assert torch.add(x, x) == 1
    Own.__torch_function__ = classmethod(lambda cls, func, types, args=(), kwargs=None: 2)
    assert torch.add(x, x) == 2 and x.mul(x) == 2
    Own.__torch_function__ = torch._C._disabled_torch_function_impl
    assert torch.add(x, x) == 1
