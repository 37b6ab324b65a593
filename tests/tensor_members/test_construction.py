"""What data becomes a tensor, what is refused, and how tensors meet arrays and Python's types."""

import numpy as np
import pytest

import rushlight as torch


class Number:
    def __float__(self):
        return 2.5


class Index:
    def __index__(self):
        return 4


REFUSED = [
    (["x"], ValueError, "too many dimensions 'str'"),
    ("x", TypeError, r"new\(\): invalid data type 'str'"),
    ([1, "x"], TypeError, r"new\(\): invalid data type 'str'"),
    ([b"ab"], TypeError, r"new\(\): invalid data type 'bytes'"),
    ([None], RuntimeError, "Could not infer dtype of NoneType"),
    ([Number()], RuntimeError, "Could not infer dtype of Number"),
    ([Index()], RuntimeError, "Could not infer dtype of Index"),
    ([1, [2]], TypeError, "'list' object cannot be interpreted as an integer"),
    ([1.0, [2]], TypeError, "must be real number, not list"),
    ([[1], 2], TypeError, "not a sequence"),
    ([[1], [1, 2]], ValueError, r"expected sequence of length 1 at dim 1 \(got 2\)"),
    ([torch.ones(2)], ValueError, "only one element tensors can be converted"),
    (2**63, ValueError, "Overflow when unpacking long long"),
    ([1, -(2**63) - 1], ValueError, "Overflow when unpacking long long"),
]


@pytest.mark.parametrize(("data", "error", "message"), REFUSED)
def test_refused_data(data, error, message):
    with pytest.raises(error, match=message):
        torch.tensor(data)


@pytest.mark.parametrize(
    ("data", "kind", "error", "message"),
    [
        ([1, None], torch.int, TypeError, "'NoneType' object cannot be interpreted as an integer"),
        ([1, None], torch.bool, TypeError, "'NoneType' object cannot be interpreted"),
        ([1, None], torch.cfloat, TypeError, "must be real number, not NoneType"),
        ([1, "2"], torch.float, TypeError, "must be real number, not str"),
        ([1j], torch.float, TypeError, "must be real number, not complex"),
        ([torch.tensor(1.5)], torch.int, TypeError, "only integer tensors of a single element"),
        ([300], torch.uint8, RuntimeError, "cannot be converted to type uint8 without overflow"),
        ([255.9], torch.uint8, RuntimeError, "cannot be converted to type uint8 without overflow"),
        (300, torch.uint8, RuntimeError, "cannot be converted to type uint8 without overflow"),
        ([float("nan")], torch.int, RuntimeError, "cannot be converted to type int32"),
        (-1, torch.uint64, OverflowError, "can't convert negative int to unsigned"),
        ([2**64], torch.uint64, OverflowError, "int too big to convert"),
    ],
)
def test_data_that_a_type_does_not_hold(data, kind, error, message):
    with pytest.raises(error, match=message):
        torch.tensor(data, dtype=kind)


def test_tensors_and_arrays_within_lists():
    assert torch.tensor([torch.ones(1), 2]).tolist() == [1.0, 2.0]
    assert torch.tensor([[torch.ones(1)], [torch.ones(())]]).shape == (2, 1)
    assert torch.tensor([np.ones(2), torch.zeros(2)]).tolist() == [[1, 1], [0, 0]]
    assert torch.tensor([np.array([1, 2]), np.array([3.0, 4.0])]).dtype is torch.float64
    assert torch.tensor((torch.tensor(1), torch.tensor(2.5).half())).dtype is torch.float16
    assert torch.tensor([[], [1]]).shape == (2, 0)


def test_numbers_at_the_edges_of_types():
    assert torch.tensor([-255], dtype=torch.uint8).tolist() == [1]
    assert torch.tensor(2**63, dtype=torch.uint64).tolist() == 2**63
    assert torch.tensor(1e300, dtype=torch.float32).item() == float("inf")
    assert torch.tensor([1e300], dtype=torch.float32).tolist() == [float("inf")]
    assert torch.tensor([Number()], dtype=torch.float).tolist() == [2.5]
    assert torch.tensor([Index()], dtype=torch.int).tolist() == [4]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (np.array(["a"]), "numpy.str_"),
        (np.array([object()]), "numpy.object_"),
        (np.array("2020", dtype="M8"), "numpy.datetime64"),
    ],
)
def test_arrays_without_an_element_type(values, name):
    for make in (torch.tensor, torch.from_numpy):
        with pytest.raises(TypeError, match=f"can't convert np.ndarray of type {name}"):
            make(values)


def test_python_types_stand_for_element_types():
    assert torch.tensor([1], dtype=float).dtype is torch.float64
    assert torch.as_tensor([1], dtype=bool).dtype is torch.bool
    assert torch.ones(2).to(int).dtype is torch.int64
    assert torch.ones(2).to(dtype=complex).dtype is torch.complex128
    assert torch.nn.Linear(2, 2).to(float).weight.dtype is torch.float64
    assert torch.nn.functional.softmax(torch.ones(2), 0, dtype=float).dtype is torch.float64
    assert torch.finfo(float).bits == torch.iinfo(int).bits == 64
    with pytest.raises(TypeError, match=r"argument .dtype. must be torch\.dtype, not str"):
        torch.tensor([1], dtype="float32")


def test_arithmetic_with_arrays():
    tensor, values = torch.tensor([3.0, 4.0]), np.array([1.0, 2.0])
    for made, wanted in [
        (tensor + values, [4, 6]),
        (tensor * values, [3, 8]),
        (values / tensor, [1 / 3, 0.5]),
        (tensor // values, [3, 2]),
    ]:
        assert type(made) is torch.Tensor
        assert made.dtype is torch.float64
        torch.testing.assert_close(made, torch.tensor(wanted, dtype=torch.float64))
    assert (tensor == np.array([3.0, 4.5])).tolist() == [True, False]
    assert (np.array([3.0, 4.5]) == tensor).tolist() == [True, False]
    assert (torch.tensor([1, 2]) == np.array([1.5, 2.0])).tolist() == [False, True]
    with pytest.raises(TypeError, match=r"must be Tensor, not numpy\.ndarray"):
        tensor.add(values)
    with pytest.raises(TypeError, match="unsupported operand"):
        tensor + Index()
    with pytest.raises(TypeError, match="unsupported operand"):
        tensor.bool() & "a"


def test_numbers_divided_by_tensors():
    tensor = torch.tensor([3.0, 4.0])
    assert (7 // tensor).tolist() == [2, 1]
    assert (np.float32(7) // tensor).tolist() == [2, 1]
    assert torch.floor_divide(7, tensor).tolist() == [2, 1]
    assert torch.multiply(2, tensor).tolist() == [6, 8]
    assert torch.subtract(7.5, tensor).tolist() == [4.5, 3.5]
    assert torch.true_divide(6, tensor).tolist() == [2, 1.5]


def test_remembered_calls_check_their_numbers():
    bytes_, floats, flags = torch.ones(2, dtype=torch.uint8), torch.ones(2), torch.ones(2) > 0
    calls = [
        (lambda x: bytes_.fill_(x), 300, "uint8_t"),
        (lambda x: bytes_.masked_fill_(flags, x), 300, "uint8_t"),
        (lambda x: bytes_.__setitem__(0, x), 300, "uint8_t"),
        (lambda x: torch.full((2,), x), 2**63, "int64_t"),
        (lambda x: floats.fill_(x), 1e300, "float"),
        (lambda x: floats.masked_fill_(flags, x), 1e300, "float"),
    ]
    for call, large, name in calls:
        for small in (1, 2, 3, 1.5, 2.5, 3.5):
            call(small)
        with pytest.raises(RuntimeError, match=f"converted to type {name} without overflow"):
            call(large)
    for small in (1, 2, 3):
        torch.tensor(small)
    with pytest.raises(ValueError, match="Overflow"):
        torch.tensor(2**64)


def test_numbers_too_large_for_small_floats():
    halves, chosen = torch.ones(2, dtype=torch.half), torch.tensor([True, False])
    halves[chosen] = -1e9
    assert halves.tolist() == [float("-inf"), 1]
    assert torch.full((1,), 70000.0, dtype=torch.half).item() == float("inf")
    with pytest.raises(RuntimeError, match="converted to type c10::Half without overflow"):
        halves.masked_fill(chosen, -1e9)


def test_integers_cannot_want_gradients():
    constructors = (
        lambda: torch.ones(2, dtype=torch.int, requires_grad=True),
        lambda: torch.tensor([1], requires_grad=True),
        lambda: torch.nn.Parameter(torch.ones(2, dtype=torch.int)),
    )
    for make in constructors:
        with pytest.raises(RuntimeError, match=r"^Only Tensors of floating point and complex"):
            make()


def test_arrays_of_tensors_with_gradients():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="requires grad"):
        x.numpy()
    with torch.no_grad():
        assert x.numpy().tolist() == np.asarray(x).tolist() == [1.0, 2.0]


def test_sizes_may_be_numbers_of_numpy():
    assert torch.Tensor(np.int64(3), 2).shape == (3, 2)
    assert torch.LongTensor(np.array(4)).shape == (4,)
    assert torch.Tensor(np.array([4])).tolist() == [4.0]


def test_lists_and_tuples_of_numbers_become_every_type():
    whole, mixed = ((1, 2), [3, 250]), [(1.0, True), [0, 2.5]]
    for kind in (torch.uint8, torch.int16, torch.int32, torch.float16, torch.bfloat16):
        made = torch.tensor(whole, dtype=kind)
        assert made.dtype is kind and made.tolist() == [[1, 2], [3, 250]]
    assert torch.tensor(mixed).tolist() == [[1.0, 1.0], [0.0, 2.5]]
    assert torch.tensor(mixed, dtype=torch.int8).tolist() == [[1, 1], [0, 2]]
    assert torch.tensor([-1, 255], dtype=torch.uint8).tolist() == [255, 255]
    for refused in ([256], [-1.0], [float("nan")], [1.0, 1e10]):
        with pytest.raises(RuntimeError, match="without overflow"):
            torch.tensor(refused, dtype=torch.uint8)
    with pytest.raises(TypeError, match="an integer is required"):
        torch.tensor([1.0], dtype=torch.uint64)
