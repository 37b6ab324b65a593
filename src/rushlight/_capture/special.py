"""Functions that capture does in a way of its own: what they would see of fakes is not what programs see."""

from __future__ import annotations

import collections
import copy
import functools
import inspect
import os
import types
from typing import Any

import rushlight
from rushlight import _dynamo, compiler, overrides
from rushlight._C import _set_grad_enabled
from rushlight._capture import numpy_calls, polyfills
from rushlight._capture.arrays import Array
from rushlight._capture.breaks import Break, Spoilt
from rushlight._capture.frames import NULL
from rushlight._capture.interpreter import Generator, done
from rushlight._capture.kinds import is_ours
from rushlight._capture.modes import fields, leave
from rushlight._capture.reading import CONSTANTS, IDENTICAL, Identity, in_class
from rushlight._capture.recording import SYMBOLIC, is_known, outside
from rushlight._dynamo import eval_frame
from rushlight._functorch.functional_call import functional_call
from rushlight._higher_order_ops.wrap import tag_activation_checkpoint
from rushlight._subclasses.fake_tensor import FakeTensor
from rushlight.autograd.function import Function
from rushlight.autograd.grad_mode import Decorating, inference_mode, set_grad_enabled
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import Module
from rushlight.nn.utils import stateless
from rushlight.utils import _pytree as pytree
from rushlight.utils import checkpoint


def _leave(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.leave_mode(args[0])
    capture.push(None)


def _set_grad(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    _set_grad_enabled(*args, **kwargs)
    capture.note_grad_mode()
    capture.push(None)


def _clone(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    (manager,) = args
    source = capture.reader.source_of(manager)
    for name in fields(manager) if source else ():
        capture.reader.admit(getattr(manager, name), f"{source}.{name}")
    capture.push(manager.clone())
    capture.note_grad_mode()


def _id(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    found = Identity(id(capture.reader.real(args[0])))
    found.of = args[0]
    capture.push(found)


def _getattr(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    if len(args) == 2:
        return capture.attribute(*args)
    return capture.enter(polyfills.found_or, args, kwargs)


def _hasattr(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    owner, name = args
    if isinstance(owner, Tensor) and hasattr(Tensor, name):
        return capture.push(hasattr(owner, name))
    return capture.enter(polyfills.is_found, args, kwargs)


def _get_property(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    found, owner = args[:2]
    capture.call(capture.reader.fixed(found.fget), [owner], {})


def _delattr(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.with_none(capture.attributes.delete(*args))


def _setattr(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.with_none(capture.attributes.set(*args))


def _end(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    raise Break("the program asks for it")


def _compiled(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.has_told = True
    capture.push(True)


def _send(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    generator, sent = args
    capture.go_on(generator, ("next", NULL), sent)


def _throw(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    generator, error, *more = args
    if isinstance(error, type):
        error = more[0] if more and more[0] is not None else error()
    capture.throw_into(generator, ("next", NULL), error)


def _close(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    (generator,) = args
    if not generator.is_done and generator.has_begun:
        return capture.enter(polyfills.closed, args, kwargs)
    capture.reader.has_run(generator)
    generator.is_done = True
    return capture.push(None)


def _named_tuple(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """A class that is described by constants, made once for all calls."""
    described = pytree.tree_leaves((args, kwargs))
    if not all(type(x) in CONSTANTS for x in described):
        raise Break("a class of named tuples with objects is made")
    module = capture.frame.function.__globals__.get("__name__")
    capture.push(done(collections.namedtuple, args, {"module": module, **kwargs}))


def _to_list(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """The elements as symbols, where elements may be such."""
    (tensor,) = args
    if is_known(tensor):
        with outside():
            return capture.push(tensor.constant.tolist())
    if not capture.recorder.shapes.allow_scalar_outputs:
        raise Break("a call of tolist")
    return capture.enter(polyfills.listed, args, kwargs)


def _checkpoint(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.call(tag_activation_checkpoint, args, kwargs)


def _apply(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    # One node, as it has a backward pass of its own.
    kind, *given = args
    _try_forward(capture, kind, given, kwargs)
    capture.push(capture.recorder.as_one(_applied(kind), tuple(given), kwargs))


def _try_forward(capture: Any, kind: Any, given: list[Any], kwargs: dict[str, Any]) -> None:
    """Interpret what a function with a backward pass does, whose node does it unseen, for the guards and for what it may not do.

    A node cannot change the program's objects: such a function ends the graph.
    """
    forward = kind.forward
    if not isinstance(forward, types.FunctionType) or is_ours(forward):
        return
    separate = None if kind.setup_context is Function.setup_context else kind.setup_context
    with capture.recorder.body(tag_activation_checkpoint):
        capture.whole(polyfills.tried, [forward, separate, tuple(given), kwargs], {})


@functools.lru_cache(1024)
def _applied(kind: Any) -> Any:
    """What calls a function that has a backward pass of its own."""

    def apply(*args: Any, **kwargs: Any) -> Any:
        return kind.apply(*args, **kwargs)

    apply.__module__, apply.__name__ = kind.__module__, f"{kind.__name__}_apply"
    apply.__qualname__ = apply.__name__
    return apply


def _grad(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Gradients within a graph see no more than the graph: histories from before it end one."""
    if any(
        isinstance(x, Tensor) and x.grad_fn is not None for x in capture.recorder.given.values()
    ):
        raise Break("gradients through what was computed before the graph")
    capture._call_ours(rushlight.autograd.grad, args, kwargs)


def _init_module(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    if not capture.reader.is_ours(args[0]):
        raise Break("a module of the program is initialized")
    Module.__init__(*args, **kwargs)
    capture.push(None)


def _variable(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """A variable of the environment is guarded by its value."""
    environ, name = args
    if environ is not os.environ or type(name) is not str:
        raise Break("an environment is read")
    value = os.environ.get(name)
    capture.reader.guard(f"{capture.reader.name(environ)}.get({name!r}) == {value!r}")
    if value is None:
        raise KeyError(name)
    capture.push(value)


def _getenv(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """The same, or a default."""
    given = inspect.signature(os.getenv).bind(*args, **kwargs).arguments
    try:
        _variable(capture, [os.environ, given["key"]], {})
    except KeyError:
        capture.push(given.get("default"))


def _bind(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Arguments by the names of a signature, which looks at their number only."""
    capture.push(capture.new(done(inspect.Signature.bind, args, kwargs)))


def _apply_defaults(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    (found,) = args
    if not capture.reader.is_ours(found):
        raise Break("arguments that were bound before the graph change")
    capture.push(done(inspect.BoundArguments.apply_defaults, args, kwargs))


def _of_bound(part: str) -> Any:
    """The positional arguments among those that were bound, the others, or the signature."""

    def found(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        capture.push(getattr(args[0], part))

    return found


def _signature(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """A function's signature stays the same as long as the function does."""
    real = capture.reader.real(args[0])
    capture.push(capture.reader.fixed(inspect.signature(real, *args[1:], **kwargs)))


def _is_atomic(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    (value,) = args
    if isinstance(value, (Tensor, Module, Array)):
        raise Break(f"a {capture.kind_of(value).__name__} is copied")
    capture.push(
        isinstance(value, (*SYMBOLIC, *IDENTICAL, types.FunctionType)) or type(value) in CONSTANTS
    )


def _copy(function: Any) -> Any:
    """One instruction: a program that goes on in Python there asks Python's own function."""

    def copied(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        capture.push(capture.whole(function, args, kwargs))

    return copied


# What a class can have that says how its objects are copied.
_OF_COPIES = (
    "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__slots__",
)  # fmt: skip


def _shell(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """A copy without attributes of an object whose attributes are all that it has."""
    kind = type(args[0])
    is_plain = kind.__new__ is object.__new__ and hasattr(args[0], "__dict__")
    own = [name for name in _OF_COPIES if in_class(kind, name) is not in_class(object, name)]
    if own or not is_plain:
        raise Break(f"a {kind.__name__} is copied")
    capture.push(capture.new(object.__new__(kind)))


def _parameters(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.push(args[0].parameters)


def _functional_call(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """A call of a module that is read with other tensors in its tables."""
    bound = _FUNCTIONAL_CALL.bind(*args, **kwargs)
    bound.apply_defaults()
    given = bound.arguments
    module, named, inputs = given["module"], given["parameter_and_buffer_dicts"], given["args"]
    if not isinstance(module, Module) or given["strict"]:
        raise Break("a functional call that checks names")
    tables = list(named) if isinstance(named, (list, tuple)) else [named]
    full = {name: value for one in tables for name, value in one.items()}
    if len(full) != sum(map(len, tables)):
        raise Break("a functional call with several tensors of one name")
    if given["tie_weights"]:
        full = stateless._with_tied(capture.reader.real(module), full)
    inputs = () if inputs is None else inputs if isinstance(inputs, tuple) else (inputs,)
    items = capture.reader.items
    before, read = dict(items), []
    try:
        for name, value in full.items():
            owner, table, last = _place(capture, module, name)
            held = capture.reader.copy_of(owner.__dict__[table])
            if held is None:
                items[id(owner), table, last] = owner, value
            else:
                read.append((held, last, held[last]))
                held[last] = value
        replaced = set(items)
        found = capture.whole(module, inputs, given["kwargs"] or {})
        if not replaced <= set(items):
            raise Spoilt("a functional call of a module that reads its tables")
    finally:
        items.clear()
        items.update(before)
        for held, last, value in read:
            held[last] = value
    capture.push(found)


_FUNCTIONAL_CALL = inspect.signature(functional_call)


def _place(capture: Any, module: Any, name: str) -> tuple[Any, str, str]:
    """The module within another one that has a tensor, the table that it is in, and its name there."""
    *path, last = name.split(".")
    owner = module
    for step in path:
        found = capture.attributes.of_neural_module(owner, step)
        if found is None:
            raise Break(f"a module without the part {step}")
        (owner, _) = found
    if capture.reader.source_of(owner) is None:
        raise Break("a functional call of a module that was made in the graph")
    for table in ("_parameters", "_buffers"):
        if last in owner.__dict__[table]:
            return owner, table, last
    raise Break(f"a module without the tensor {name}")


SPECIAL: dict[Any, Any] = {
    functional_call: _functional_call,
    inspect.signature: _signature,
    inspect.Signature.bind: _bind,
    inspect.BoundArguments.apply_defaults: _apply_defaults,
    inspect.BoundArguments.args.fget: _of_bound("args"),  # type: ignore[attr-defined]
    inspect.BoundArguments.kwargs.fget: _of_bound("kwargs"),  # type: ignore[attr-defined]
    inspect.BoundArguments.signature.fget: _of_bound("signature"),  # type: ignore[attr-defined]
    os.getenv: _getenv,
    rushlight.autograd.grad: _grad,
    collections.namedtuple: _named_tuple,
    FakeTensor.tolist: _to_list,
    FakeTensor.numpy: numpy_calls.array_of,
    copy.copy: _copy(polyfills.copied),
    copy.deepcopy: _copy(polyfills.deeply_copied),
    polyfills.shell: _shell,
    polyfills.is_atomic: _is_atomic,
    inspect.Signature.parameters.fget: _parameters,  # type: ignore[attr-defined]
    type(os.environ).__getitem__: _variable,
    Module.__init__: _init_module,
    checkpoint.checkpoint: _checkpoint,
    Function.apply.__func__: _apply,  # type: ignore[attr-defined]
    Generator.__next__: lambda capture, args, kwargs: capture.next_item(args[0], NULL),
    Generator.__iter__: lambda capture, args, kwargs: capture.push(args[0]),
    Generator.send: _send,
    Generator.throw: _throw,
    Generator.close: _close,
    leave: _leave,
    _set_grad_enabled: _set_grad,
    Decorating.clone: _clone,
    set_grad_enabled.clone: _clone,
    inference_mode.clone: _clone,
    _dynamo.graph_break: _end,
    eval_frame.unsupported: _end,
    # No guard tells who answers calls around a graph.
    overrides._is_torch_function_enabled: _end,
    compiler.is_compiling: _compiled,
    _dynamo.is_compiling: _compiled,
}
PLAINLY = {
    object.__getattribute__: "find", object.__setattr__: "set", object.__delattr__: "delete",
    object.__init__: "init",
}  # fmt: skip
BY_NAME: dict[Any, Any] = {
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setattr,
    delattr: _delattr,
    id: _id,
    property.__get__: _get_property,
    vars: lambda capture, args, kwargs: capture.attribute(args[0], "__dict__"),
}
