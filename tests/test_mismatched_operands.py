"""What programs read when they mix element types or shapes, and where mixing is fine."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

floats, doubles = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
image, window, bias = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3), torch.ones(1)
classes = torch.tensor([0, 1])

MESSAGES = [
    (lambda: floats @ doubles, "expected m1 and m2 to have the same dtype, but got: float != double"),
    (lambda: doubles.long() @ floats, "but got: long int != float"),
    (lambda: F.linear(doubles, floats, floats[0]), "mat1 and mat2 must have the same dtype, but got Double and Float"),
    (lambda: torch.addmm(floats, floats, doubles), "self and mat2 must have the same dtype, but got Float and Double"),
    (lambda: torch.bmm(floats[None], doubles[None]), "expected scalar type Float but found Double"),
    (lambda: floats.mv(doubles[0]), "addmv input tensors must have the same dtype, but got Double, Float, and Double"),
    (lambda: F.conv2d(image.double(), window, bias), r"Input type \(double\) and bias type \(float\) should be the same"),
    (lambda: F.conv2d(image.double(), window), "expected scalar type Double but found Float"),
    (lambda: F.conv2d(torch.ones(1, 3, 4, 4), window), r"Given groups=1, weight of size \[1, 1, 3, 3\], expected input\[1, 3, 4, 4\] to have 1 channels, but got 3"),
    (lambda: F.conv_transpose2d(torch.ones(1, 2, 4, 4), window), r"Given transposed=1, weight of size"),
    (lambda: F.max_pool2d(torch.ones(1, 1, 2, 2), 3), r"Given input size: \(1x2x2\). Calculated output size: \(1x0x0\)"),
    (lambda: F.cross_entropy(floats, floats[0]), "expected target dtype to be Long or Byte, but got Float"),
    (lambda: F.cross_entropy(floats, classes[:, None]), "0D or 1D target tensor expected, multi-target not supported"),
    (lambda: F.binary_cross_entropy(floats / 2, classes.expand(2, 2)), "Found dtype Long but expected Float"),
    (lambda: F.layer_norm(doubles, (2,), floats[0]), r"mixed dtype \(CPU\): all inputs must share same datatype"),
    (lambda: floats.masked_fill(classes, 0), "got mask with dtype long int"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), MESSAGES)
def test_messages(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


def test_only_whole_numbers_are_inverted():
    with pytest.raises(TypeError, match="only implemented on integer and Boolean-type tensors"):
        floats.__invert__()


def test_one_dimension_has_one_class():
    with pytest.raises(ValueError, match="1D target must have size 1, but got target size: 2"):
        F.nll_loss(floats[0], classes)


def test_equal_compares_values_of_any_types():
    assert torch.equal(floats, doubles)
    assert not torch.equal(floats, doubles.long() + 1)


@pytest.mark.parametrize("kind", [torch.half, torch.bfloat16, torch.float32])
def test_rms_norm_keeps_the_type_of_its_input(kind):
    input = floats.to(kind).requires_grad_()
    weight = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    made = F.rms_norm(input, (2,), weight)
    made.sum().backward()
    assert made.dtype is input.grad.dtype is kind
    assert weight.grad.dtype is torch.float64
    assert made.tolist() == [[0.5, 2], [0.5, 2]]


def test_a_convolution_draws_the_same_numbers_in_any_order_of_memory():
    usual = torch.nn.Conv2d(3, 4, 3)
    other = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    for module in (usual, other):
        torch.manual_seed(7)
        module.reset_parameters()
    assert other.weight.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(usual.weight, other.weight)
    assert torch.equal(usual.bias, other.bias)


ROWS = torch.tensor([0, 1, 1])


@pytest.mark.parametrize("call", [
    lambda x, y: x.add_(y), lambda x, y: x + y, lambda x, y: x.index_add_(0, ROWS, y),
    lambda x, y: x.index_add(0, ROWS, y), lambda x, y: x.scatter(0, ROWS[:, None].expand(3, 3), y),
    lambda x, y: x.index_copy(0, ROWS, y), lambda x, y: x.put(ROWS, y[0]), lambda x, y: x @ y,
    lambda x, y: x.scatter_add_(0, ROWS[:, None].expand(3, 3), y), lambda x, y: torch.cat([x, y]),
    lambda x, y: x.index_put((ROWS,), y), lambda x, y: F.batch_norm(x, None, None, y[0], training=True),
    lambda x, y: x.scatter_reduce(0, ROWS[:, None].expand(3, 3), y, "prod"), lambda x, y: x[y[0].long()],
    lambda x, y: x.index_select(0, y[0].long()), lambda x, y: x.gather(0, y.long()),
    lambda x, y: x.masked_fill_(y > 0, 1.0), lambda x, y: torch.add(x, x, out=y),
    lambda x, y: torch.exp(y, out=x), lambda x, y: x.add_(y[0, 0]), lambda x, y: torch.where(x > 0, x, y),
    lambda x, y: torch._foreach_add_([x], [y]), lambda x, y: F.embedding(y.long(), x),
])  # fmt: skip
def test_nothing_is_made_of_tensors_without_memory(call):
    for _ in range(3):
        x = torch.ones(3, 3)
        with pytest.raises(RuntimeError, match=r"same device|cpu and meta|meta and cpu"):
            call(x, torch.ones(3, 3, device="meta"))
        assert x.equal(torch.ones(3, 3))


def test_what_has_no_memory_may_be_shaped_by_what_has():
    meta = torch.ones(3, 3, device="meta")
    assert meta[ROWS].is_meta
    assert meta.index_add(0, ROWS, torch.ones(3, 3)).is_meta
    assert meta.copy_(torch.ones(3, 3)).is_meta
    assert meta.mul(torch.tensor(2.0)).is_meta
    assert torch.ones(2).resize_as_(meta).shape == (3, 3)
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        torch.ones(3, 3).copy_(meta)


def test_a_tensor_stays_on_its_device():
    with pytest.raises(RuntimeError, match="storage on different device"):
        torch.ones(3).set_(torch.ones(3, device="meta").untyped_storage())
    with pytest.raises(RuntimeError, match="device"):
        torch.ones(3).set_(torch.ones(3, device="meta"))
