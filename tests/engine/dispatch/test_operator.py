import itertools
import traceback
from functools import partial

import pytest

import rushlight as torch
from rushlight.engine.core import keys, state
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.operator import Operator, add, operator, packet, register_kernel
from rushlight.engine.dispatch.source import source_of

serial = itertools.count()


class Thing:
    """Enough of a tensor to be dispatched on."""

    def __init__(self, bits, value=0.0):
        self._keys_ = bits
        self.value = value
        self._dtype_ = "float32"


def define(text):
    """An operator in a namespace of its own, so that tests do not meet."""
    return add(Operator(f"test{next(serial)}::{text}"))


@pytest.fixture
def part():
    """Registers parts for the duration of a test."""
    registered = []

    def register(key, function):
        registry.part(registry.bit_of(key))
        registered.append((registry.bit_of(key), registry.parts.get(registry.bit_of(key))))
        registry.register_part(key, function)

    yield register
    for bit, previous in reversed(registered):
        registry.parts.pop(bit)
        if previous is not None:
            registry.parts[bit] = previous
    registry.invalidate()


def test_a_backend_kernel_is_called_directly():
    op = define("plus.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
    op.register("CPU", lambda self, other, alpha: self.value + alpha * other.value)
    assert op.call(Thing(keys.CPU, 1), Thing(keys.CPU, 2)) == 3
    assert op.call(Thing(keys.CPU, 1), Thing(keys.CPU, 2), alpha=2) == 5
    assert list(op.table) == [keys.CPU]
    op.register("CPU", lambda self, other, alpha: 7)
    assert op.call(Thing(keys.CPU), Thing(keys.CPU)) == 7


def test_keys_of_all_tensor_arguments_are_joined():
    op = define("many(Tensor a, Tensor? b, Tensor[] c, Tensor?[] d, int e=2) -> int")
    seen = []
    op.register("CompositeExplicitAutograd", lambda a, b, c, d, e: e)
    op.table[keys.CPU | keys.META | keys.CUDA | keys.NEGATIVE] = lambda *args: seen.append(args)
    cpu = Thing(keys.CPU)
    assert op.call(cpu, None, [], [None]) == 2
    op.call(cpu, Thing(keys.META), [Thing(keys.CUDA)], [None, Thing(keys.NEGATIVE)])
    assert len(seen) == 1


def test_thread_keys_count_when_something_is_active():
    op = define("f(Tensor x) -> Tensor")
    op.register("CPU", lambda x: "cpu")
    op.register("Autocast", lambda x: "autocast")
    with state.including(keys.AUTOCAST):
        assert op.call(Thing(keys.CPU)) == "autocast"
        with state.excluding(keys.AUTOCAST):
            assert op.call(Thing(keys.CPU)) == "cpu"
    assert op.call(Thing(keys.CPU)) == "cpu"


def test_a_composite_serves_all_keys_unless_the_backend_has_a_kernel():
    op = define("f(Tensor x) -> Tensor")
    op.register("CompositeImplicitAutograd", lambda x: "composite")
    assert op.call(Thing(keys.CPU | keys.AUTOGRAD | keys.CONJUGATE)) == "composite"
    op.register("CUDA", lambda x: "cuda")
    assert op.call(Thing(keys.CUDA | keys.AUTOCAST)) == "cuda"
    assert op.call(Thing(keys.CPU | keys.AUTOGRAD)) == "composite"


def test_fallthrough_and_fallback():
    op = define("f(Tensor x) -> Tensor")
    op.register("CPU", lambda x: "cpu")
    seen = []
    registry.register_fallback("Tracer", lambda op, *args: seen.append(str(op)))
    try:
        op.call(Thing(keys.CPU | keys.TRACER))
        assert seen == [str(op)]
        op.register("Tracer", registry.FALLTHROUGH)
        assert op.call(Thing(keys.CPU | keys.TRACER)) == "cpu"
    finally:
        registry.fallbacks.pop(keys.TRACER)
        registry.invalidate()


def test_parts_become_one_function_with_its_source_at_hand(part):
    def double(op, bits, writer, rest):
        result = rest()
        writer.line(f"{result} = {result} * 2")
        return result

    def negate(op, bits, writer, rest):
        fresh = writer.fresh("self")
        writer.line(f"{fresh} = {writer.bind('Thing', Thing)}({keys.CPU}, -self.value)")
        writer.arguments[0] = fresh
        return rest()

    op = define("f(Tensor self) -> Tensor")
    op.register("CPU", lambda self: self.value)
    part("Batched", double)
    part("Negative", negate)
    bits = keys.CPU | keys.NEGATIVE | keys.BATCHED
    assert op.call(Thing(bits, 3)) == -6
    text = source_of(op.table[bits])
    assert text.count("def ") == 1 and "self_2 = Thing" in text and "Batched" in text


def test_generated_source_appears_in_tracebacks(part):
    op = define("f(Tensor self) -> Tensor")

    def broken(self):
        raise ValueError("inside")

    op.register("CPU", broken)

    def note(op, bits, writer, rest):
        writer.line("note = 1")
        return rest()

    part("Batched", note)
    with pytest.raises(ValueError, match="inside") as caught:
        op.call(Thing(keys.CPU | keys.BATCHED))
    text = "".join(traceback.format_exception(caught.value))
    assert "result = broken(self)" in text and "return table[keys](self)" in text


def test_a_missing_kernel_names_operator_backend_and_dtype():
    op = define("lonely.x(Tensor self) -> Tensor")
    with pytest.raises(NotImplementedError, match=r"lonely\.x.*'Meta'.*float32"):
        op.call(Thing(keys.META))
    op.register("Meta", lambda self: 1)
    assert op.call(Thing(keys.META)) == 1


def test_packets_list_their_overloads():
    op = define("f(Tensor self) -> Tensor")
    other = add(Operator(f"{op.namespace}::f.int(int x) -> int"))
    held = packet(f"{op.namespace}::f")
    assert held.overloads() == ["default", "int"]
    assert held.default is op and held.int is other and op.packet is held
    with pytest.raises(AttributeError, match="no overload name 'nothing'"):
        held.nothing()
    with pytest.raises(RuntimeError, match="No such operator"):
        packet("test::absent")
    with pytest.raises(RuntimeError, match="twice"):
        add(Operator(op.schema_text))


def test_registering_by_name():
    op = define("f(Tensor self) -> Tensor")
    register_kernel(op.full_name, "CPU", lambda self: 5)
    assert operator(op.full_name).call(Thing(keys.CPU)) == 5
    with pytest.raises(RuntimeError, match="could not parse dispatch key: Nowhere"):
        register_kernel(op.full_name, "Nowhere", None)


def test_registrations_that_were_put_off_are_made_in_order_and_once():
    made = []

    def step(name: str) -> None:
        # Registering asks for the operator, which is being settled already.
        registry.settle("put_off::packet")
        made.append(name)

    for name in ("first", "second"):
        registry.when_needed(("put_off::packet", "put_off::packet_"), partial(step, name))
    registry.settle("put_off::packet")
    registry.settle("put_off::packet_")
    assert made == ["first", "second"]
    assert not registry.put_off.keys() & {"put_off::packet", "put_off::packet_"}


def test_self_can_be_given_by_name():
    x = torch.ones(2)
    for _ in range(4):
        assert torch.ops.aten.add.Tensor(self=x, other=x).tolist() == [2, 2]
        assert torch.ops.aten.add(self=x, other=x).tolist() == [2, 2]


def test_a_tensor_is_taken_apart_where_items_of_a_list_may_be_missing():
    a, b = torch.arange(6.0).view(2, 3), torch.arange(6.0).view(2, 3)
    for places in ([[0, 1], [1, 2]], [[0, 1]], [[1, 1], [0, 2]]):
        index = torch.tensor(places)
        expected = a[tuple(index)]
        assert torch.equal(torch.ops.aten.index(a, index), expected)
        assert torch.equal(torch.ops.aten.index.Tensor(a, index), expected)
        torch.ops.aten.index_put_(b, index, torch.zeros(()))
        assert b[tuple(index)].eq(0).all()
    with pytest.raises(RuntimeError, match="but instead found type 'Tensor'"):
        torch.ops.aten.index.Tensor(a, torch.tensor(1))
    with pytest.raises(RuntimeError, match="but instead found type 'Tensor'"):
        torch.ops.aten.stack.default(a)
