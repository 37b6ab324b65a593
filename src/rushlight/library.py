"""`torch.library`: add operators and kernels to the dispatcher."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn

from rushlight._library.checks import opcheck
from rushlight._library.custom_ops import (
    CustomOpDef,
    _register_autocast,
    _register_autograd,
    _register_vmap,
    custom_op,
)
from rushlight._library.fake_impl import get_ctx
from rushlight._library.naming import as_types, device_key, resolve, split_name
from rushlight.engine.core.dtype import dtype
from rushlight.engine.dispatch import key_names
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.infer_schema import infer_schema
from rushlight.engine.dispatch.key_sets import DispatchKey
from rushlight.engine.dispatch.library import (
    EXPLICIT,
    Library,
    fallthrough_kernel,
    waiting_fakes,
)
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema_call import match

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "get_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]

Function = Callable[..., Any]

# Libraries behind the functions below: their registrations stay as long as the program runs.
held: dict[str, Library] = {}


def library_for(namespace: str) -> Library:
    if namespace not in held:
        held[namespace] = Library(namespace, "FRAGMENT")
    return held[namespace]


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A library for a block, at whose end all is taken back."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


def define(
    qualname: str | Library, schema: str, *args: Any, lib: Library | None = None, tags: Any = ()
) -> Any:
    """Define the operator `namespace::name` with a schema such as "(Tensor x) -> Tensor".

    With a library in front it is a decorator of what serves the operator, whose name the schema has.
    """
    if isinstance(qualname, Library):
        return partial(_defined_by, qualname, schema, *args)
    if not isinstance(qualname, str):
        raise ValueError(
            "define(qualname, schema): expected qualname to be instance of str, got "
            f"{type(qualname)}"
        )
    namespace, name = split_name(qualname)
    if not re.fullmatch(r"\(.*\) -> .*", schema):
        raise ValueError(
            f"define(qualname, schema, ...): expected schema to look like e.g. "
            f'"(Tensor x) -> Tensor" but got "{schema}"'
        )
    return (lib or library_for(namespace)).define(name + schema.strip(), tags=tags)


def _defined_by(library: Library, schema: str, *rest: Any) -> Function:
    *alias_analysis, function = rest
    library.impl(library.define(schema, *alias_analysis), function)
    return function  # type: ignore[no-any-return]


def impl(
    qualname: str | Operator | Library,
    types: Any,
    func: Any = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Serve an operator on the devices `types` ("default" for all) with `func`; also a decorator.

    With a library in front, the operator's name and a dispatch key follow.
    """
    if isinstance(qualname, Library):
        return partial(_served_by, qualname, types, func or "")
    name = qualname.full_name if isinstance(qualname, Operator) else qualname

    def register(function: Function) -> Function:
        namespace, short = split_name(name)
        for device_type in as_types(types):
            key = EXPLICIT if device_type == "default" else dispatch_key(device_type)
            (lib or library_for(namespace)).impl(short, function, key)
        return function

    return register if func is None else register(func)


def _served_by(library: Library, name: str, key: str, function: Function) -> Function:
    library.impl(name, function, key)
    return function


def dispatch_key(name: str) -> str:
    """A device type's key; a dispatch key's name is taken as it is."""
    return name if name[:1].isupper() else device_key(name)


def register_kernel(
    op: str | Operator | CustomOpDef,
    device_types: str | Sequence[str] | None,
    func: Function | None = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Serve an operator on some devices (None for all) with `func`; also a decorator."""
    if isinstance(op, CustomOpDef):
        return op.register_kernel(device_types, func)
    found = resolve(op)

    def register(function: Function) -> Function:
        holder = lib or library_for(found.namespace)
        if device_types is None:
            holder.impl(found, function, EXPLICIT)
        else:
            for device_type in as_types(device_types):
                holder.impl(found, function, device_key(device_type))
        return function

    return register if func is None else register(func)


def register_fake(
    op: str | Operator | CustomOpDef, func: Function | None = None, /, *, lib: Library | None = None
) -> Any:
    """Say what an operator returns for tensors without elements; also a decorator.

    The operator may be defined later: packages whose operators are compiled say this anyway.
    """
    if isinstance(op, CustomOpDef):
        return op.register_fake if func is None else op.register_fake(func)
    is_waited_for = isinstance(op, str) and all(split_name(op)) and operators.find(op) is None

    def register(function: Function) -> Function:
        if is_waited_for:
            waiting_fakes[str(op)] = function
            return function
        found = resolve(op)
        (lib or library_for(found.namespace)).register_fake(found, function)
        return function

    return register if func is None else register(func)


def register_autograd(
    op: str | Operator | CustomOpDef,
    backward: Function,
    /,
    *,
    setup_context: Function | None = None,
    lib: Library | None = None,
) -> None:
    """Say how an operator's gradient is found: `backward(ctx, *grads)`."""
    _register_autograd(resolve(op), backward, setup_context)


def register_autocast(
    op: str | Operator | CustomOpDef,
    device_type: str,
    cast_inputs: dtype,
    /,
    *,
    lib: Library | None = None,
) -> None:
    """Let an operator's floating-point tensors come as `cast_inputs` while autocast is on."""
    found = resolve(op)
    _register_autocast(lib or library_for(found.namespace), found, device_type, cast_inputs)


def register_vmap(
    op: str | Operator | CustomOpDef,
    func: Function | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Say what an operator does with a batch: ``func(info, in_dims, *args, **kwargs)``; also a decorator.

    It gets whole batches and gives the output and the dimensions of the batch in it.
    """
    found = resolve(op)
    register = partial(_register_vmap, found)
    return register if func is None else register(func)


def register_torch_dispatch(
    op: str | Operator | CustomOpDef,
    torch_dispatch_class: type,
    func: Function | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Say what a class or a mode with `__torch_dispatch__` makes of an operator; also a decorator.

    `func(cls_or_mode, op, types, args, kwargs)` is asked instead of `__torch_dispatch__`.
    """
    found = resolve(op)

    def register(function: Function) -> Function:
        holder = lib or library_for(found.namespace)
        holder._register_torch_dispatch_rule(found, torch_dispatch_class, function)
        return function

    return register if func is None else register(func)


def impl_abstract(
    qualname: str, func: Function | None = None, *, lib: Library | None = None
) -> Any:
    """The older name of `register_fake`."""
    return register_fake(qualname, func, lib=lib)


def triton_op(name: str, fn: Function | None = None, /, **options: Any) -> NoReturn:
    """Raises: kernels in Triton's language need its compiler and a device of its kind."""
    raise NotImplementedError(
        f"triton_op({name!r}): rushlight runs no Triton kernels; custom_op takes a Python function"
    )


def wrap_triton(triton_kernel: Any, /) -> NoReturn:
    """Raises, as `triton_op` does."""
    raise NotImplementedError("wrap_triton(): rushlight runs no Triton kernels")


class SafeKernelFunction:
    """A kernel as it is registered; others that take its place leave it as it is."""

    def __init__(self, op: Operator, kernel: Function, debug: str) -> None:
        self._op, self._kernel, self._debug = op, kernel, debug

    @property
    def op_handle(self) -> Operator:
        """The operator that the kernel was registered for."""
        return self._op

    def call_boxed(self, keyset: Any, *args: Any, **kwargs: Any) -> Any:
        """Call it. What the call's keys are does not matter to a kernel that is at hand."""
        return self._kernel(*match(self._op, args, kwargs, wrap=False))

    def __repr__(self) -> str:
        return f"SafeKernelFunction(debug='{self._debug}')"


def get_kernel(op: str | Operator, dispatch_key: str | DispatchKey) -> SafeKernelFunction:
    """The kernel that serves a key of an operator, whatever is registered for it later.

    It is called with the keys of a call in front: ``kernel.call_boxed(keys, x)``.
    """
    from rushlight._library import computed_table

    if not isinstance(op, (str, Operator)):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    key = dispatch_key if isinstance(dispatch_key, str) else dispatch_key.name
    if not key_names.is_key(key):
        raise ValueError(f"Invalid dispatch key: {key}")
    found = resolve(op)
    registration = computed_table.computed(computed_table.stacks_of(found.full_name), key)
    if registration is None:
        raise RuntimeError(f"No kernel is registered for {found} and {key}")
    kernel = computed_table.kernel_of(found, registration[0])
    return SafeKernelFunction(found, kernel, registration[0].debug)
