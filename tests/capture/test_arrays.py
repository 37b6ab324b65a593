"""Functions of numpy within graphs: the same arrays and numbers as numpy's own, in the same types."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight._dynamo.exc import Unsupported

pytestmark = pytest.mark.skipif(
    not torch._dynamo.is_dynamo_supported(), reason="the bytecode of this Python is not known"
)
NUMBERS = np.random.default_rng(0)
REAL = NUMBERS.standard_normal((3, 4))
ARRAYS = {
    "float32": REAL.astype(np.float32),
    "float64": REAL,
    "int32": NUMBERS.integers(1, 9, (3, 4)).astype(np.int32),
    "bool": REAL > 0,
    "complex64": (REAL + 1j * REAL[::-1]).astype(np.complex64),
    "by columns": np.asfortranarray(REAL.astype(np.float32)),
    "backwards": REAL[:, ::-1],
}
# What is one graph for numbers of 32 bits.
WHOLE = """
np.sin(a)+1
a.sum()
(a*2).T@a
np.dot(a,a.T)+np.einsum('ij,kj->ik',a,a)
a.reshape(4,3)[1:, ::2]
a[0,1]*a[0]
np.where(a>0,a,-a)
np.concatenate([a,a],axis=1).std(0)
np.maximum(a,0).max(axis=0)
np.stack([a,a+1]).transpose(2,0,1).copy()
torch.from_numpy(a)+1
torch.as_tensor(a*2).numpy()+1
np.exp(-a*a)/np.sqrt(2*np.pi)
a.astype(np.float64)+np.float32(2)
(a-a.mean())/a.std()
(a>0).sum()
a/np.linalg.norm(a)
np.expand_dims(a,axis=0)+np.arange(4)
np.clip(a,-1,1).cumsum(axis=1)
sum(r for r in a)
[len(a),a.shape,a.ndim,a.dtype,a.size]
isinstance(a,np.ndarray) and isinstance(a.sum(),np.generic) and a
a.max()*2+a.min()
np.argmax(a,axis=1)+a.argmax()
2.0*a-1+3/a
np.zeros_like(a)+np.full_like(a,3)+np.ones_like(a,dtype=np.float64)
np.asarray(a) is a and a*2
np.abs(a).prod(axis=(0,1))
a & a if a.dtype.kind in 'bi' else ~(a>0)
np.mean([1.0,2.0])*a
a.var(ddof=1)+np.var(a,axis=0)
np.logical_and(a>0,a<1).any(axis=1)
np.floor(a)+np.rint(a)+np.sign(a)
np.hypot(a,1)+np.arctan2(a,2)
a.T.ravel()
np.vstack([a[0],a[1]])+np.tile(a[0],2)[:4]
np.roll(a,1,axis=0)+np.flip(a,axis=1)
a[a>0]
a[np.array([0,2])]
np.power(a,2)+np.square(a)**0.5
a//2+a%2
f"{a.shape}"
{'a':a,'b':(a,a*2)}
np.round(a,2)
a.mean(dtype=np.float64)+a.sum(dtype=np.float32)
a[...,None]*a[:,None]
torch.from_numpy(np.sin(torch.from_numpy(a).numpy())).numpy()
np.linalg.norm(a,axis=1)+np.linalg.inv(a[:3,:3]@a[:3,:3].T+np.eye(3))[0]
a[[0,2],1]+a[np.array([True,False,True]),0]
np.dtype(a.dtype)==np.float32 and a.astype(a.dtype)
[type(v) for v in (a,a.sum(),a[0,0],a[0],a.T)]
np.zeros((3,4),dtype=a.dtype)+a+np.arange(12).reshape(3,4)
a.__class__
a.sum()+True+np.int8(3)
a==a.T.T
(a!=0).all()
np.isnan(a).sum()/a.size
-a+abs(a)-(+a)
a.sum(axis=(0,1))
a.max(1,keepdims=True)
a[1:2].squeeze()*a[None].squeeze(0)[0]
a@a.T@np.ones(3,dtype=a.dtype)
a.mean() > 0.5
""".strip().splitlines()
# What ends one, for numpy or the program asks for elements, or does what graphs have no word for.
BROKEN = """
a if a.sum()>0 else -a
float(a.sum())*a
np.sort(a,axis=0)[::-1]
a.flatten().tolist()
np.cross(a[0,:3],a[1,:3])
max(a.tolist()[0])
np.add(a,a,out=a)
np.multiply.reduce(a)
a.dot(a.T).trace()
not a.any()
a.sum(0)/a.mean(axis=1,keepdims=True).T
""".strip().splitlines()


class Thing:
    pass


def changes_a_copy(a):
    a = a.copy()
    a[0] = 5
    a[:, 1] += 2
    a *= 2
    a[1, 2] = a[0, 0]
    return a


def changes_the_argument(a):
    a += 1
    a[0, 0] = 7
    return a


def changes_a_view(a):
    view = a[1:]
    view[0] = 3
    return a, view


def changes_what_a_tensor_shares(a):
    x = torch.from_numpy(a)
    other = x.numpy()
    other[0] = 5
    y = x * 2
    third = y.numpy()
    third += 1
    again = torch.from_numpy(other)
    again.add_(1)
    return x * 1, y, other, third


def numbers_stay_what_they_are(a):
    total = a.sum()
    before = total
    total += 1
    return total * before, before


def kept_in_objects(a):
    thing, things = Thing(), [a, a + 1]
    thing.array, thing.total = a * 2, a.sum()
    things.append({"k": things[1]}["k"] * 2)
    return thing.array + thing.total, things


def ends_in_the_middle(a):
    double, method = a * 2, a.sum
    torch._dynamo.graph_break()
    return double + a, method(0), double.T


FUNCTIONS = [
    changes_a_copy, changes_the_argument, changes_a_view, changes_what_a_tensor_shares,
    numbers_stay_what_they_are, kept_in_objects,
]  # fmt: skip


def _same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, torch.Tensor):
        return a.dtype is b.dtype and torch.allclose(a, b, equal_nan=True)
    if isinstance(a, (np.ndarray, np.generic)):
        alike = type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
        # Some are sums of 32 bits that end in a larger type.
        return alike and np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)
    return type(a) is type(b) and a == b


def _outcome(function, array):
    given = array.copy(order="K") if array.strides[-1] > 0 else np.array(REAL)[:, ::-1]
    try:
        with np.errstate(all="ignore"):
            return function(given), given
    except Exception as error:
        return type(error), given


def _check(function, array, backend="eager"):
    torch._dynamo.reset()
    wanted = _outcome(function, array)
    made = torch.compile(function, backend=backend)
    for _ in range(2):
        assert _same(_outcome(made, array), wanted)


def _defined(text):
    return eval(f"lambda a: {text}", {"np": np, "torch": torch})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(WHOLE + BROKEN)))
def test_programs_of_numpy(number, every_sample):
    text = (WHOLE + BROKEN)[number]
    kinds = list(ARRAYS)
    for kind in kinds if every_sample else ("float32", kinds[1 + number % 6]):
        _check(_defined(text), ARRAYS[kind])


@pytest.mark.parametrize("text", WHOLE)
def test_one_graph(text):
    torch.compile(_defined(text), backend="eager", fullgraph=True)(ARRAYS["float32"].copy())


@pytest.mark.parametrize("text", BROKEN)
def test_no_graph(text):
    with pytest.raises(Unsupported):
        torch.compile(_defined(text), backend="eager", fullgraph=True)(ARRAYS["float32"].copy())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("function", [*FUNCTIONS, ends_in_the_middle])
def test_arrays_that_change(function, kind):
    _check(function, ARRAYS[kind])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arrays_that_change_in_one_graph(function):
    torch.compile(function, backend="eager", fullgraph=True)(ARRAYS["float32"].copy())


@pytest.mark.parametrize("function", [_defined(WHOLE[k]) for k in (0, 2, 7, 13)] + FUNCTIONS[:4])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_arrays_in_loops_of_our_own(function, kind):
    _check(function, ARRAYS[kind], backend="inductor")


def test_other_arrays_are_captured_anew():
    made = torch.compile(lambda a: np.sin(a) * 2, backend="eager")
    big = np.arange(20.0).reshape(4, 5)
    for array in (REAL, REAL.astype(np.float32), big, big.T, big[1:, ::2], REAL):
        assert _same(made(array), np.sin(array) * 2)
    fixed = REAL.copy()
    fixed.flags.writeable = False
    assert _same(made(fixed), np.sin(fixed) * 2)


def test_ever_new_sizes_have_one_graph():
    graphs = []

    def keep(module, examples):
        graphs.append(module)
        return module.forward

    made = torch.compile(lambda a: (np.sin(a)[1:].sum(), a + a[-1]), backend=keep)
    for n in range(3, 30):
        a = np.arange(float(n))
        assert _same(made(a), (np.sin(a)[1:].sum(), a + a[-1]))
    assert len(graphs) <= 2


def _apart_and_together():
    """Arguments that share no elements, and those that do."""
    x, a = torch.zeros(4), np.zeros(4, np.float32)
    return [
        ((a, np.ones(3, np.float32)), (a, a[1:])),
        ((torch.zeros(4), np.ones(4, np.float32)), (x, x.numpy())),
        ((np.ones(4, np.float32), torch.zeros(4)), (x.numpy(), x)),
    ]


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize("together_first", [False, True])
def test_arguments_that_share_memory(backend, case, together_first):
    def function(one, other):
        one[0:2] = 7
        return other * 2

    torch._dynamo.reset()
    made = torch.compile(function, backend=backend)
    order = [1, 0, 1] if together_first else [0, 1, 0]
    for k in order:
        wanted = function(*_apart_and_together()[case][k])
        assert _same(made(*_apart_and_together()[case][k]), wanted)


def test_arrays_of_closures_and_globals():
    table = np.arange(4.0)

    def function(x):
        return x + torch.from_numpy(table) + torch.from_numpy(REAL[0])

    made = torch.compile(function, backend="eager", fullgraph=True)
    x = torch.ones(4, dtype=torch.float64)
    assert torch.equal(made(x), function(x))
    table[0] = 5
    assert torch.equal(made(x), function(x))


def test_tensors_with_gradients_are_no_arrays():
    def function(x):
        return x.numpy()

    with pytest.raises(RuntimeError, match="requires grad"):
        torch.compile(function, backend="eager")(torch.ones(2, requires_grad=True))
