"""Operators made from Python functions: `torch.library.custom_op`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, overload

from rushlight._library.naming import as_types, device_key, split_name
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.core.dtype import FLOATING, dtype, float64
from rushlight.engine.core.tensor import Tensor, bump_version
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.infer_schema import infer_schema
from rushlight.engine.dispatch.library import EXPLICIT, Library
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Schema
from rushlight.engine.dispatch.tags import Tag

Function = Callable[..., Any]


class CustomOpDef:
    """An operator made from a Python function by `custom_op`."""

    def __init__(
        self, namespace: str, name: str, schema: str, function: Function, tags: Any = ()
    ) -> None:
        self._namespace = namespace
        self._name = name
        self._schema = schema
        self._init_fn = function
        self._tags = _tags(tags)
        self._disabled_kernel: set[str | None] = set()
        self._backend_fns: dict[str | None, Function] = {}
        self._lib = Library(namespace, "FRAGMENT")
        previous = DEFINED.pop(self._qualname, None)
        if previous is not None:
            previous._lib._destroy()
        self._lib.define(name + schema, tags=self._tags)
        self._opoverload = operators.operator(self._qualname)
        DEFINED[self._qualname] = self
        if self._opoverload.schema.kind == "functional":
            from rushlight._library.autograd import recorder

            self._opoverload.autograd_rule = recorder(None, None)

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def register_kernel(
        self, device_types: str | Sequence[str] | None, fn: Function | None = None, /
    ) -> Any:
        """Serve some devices (None for all); also a decorator."""

        kinds = [None] if device_types is None else list(as_types(device_types))

        def register(function: Function) -> Function:
            for kind in kinds:
                self._backend_fns[kind] = function
                kernel = self._kernel(kind, function)
                self._lib.impl(
                    self._opoverload, kernel, EXPLICIT if kind is None else device_key(kind)
                )
            return function

        schema = self._opoverload.schema
        places = any(argument.type.leaf == "Device" for argument in schema.arguments)
        if device_types is not None and not schema.tensors and not places:
            raise ValueError(
                "Functions without tensor inputs are required to have a `device: torch.device` argument"
            )
        return register if fn is None else register(fn)

    def _kernel(self, kind: str | None, function: Function) -> Function:
        """What serves a kind of device: `function`, or what the operator was made from if it is off."""
        checked = check_results(self, function)
        original = check_results(self, self._init_fn)

        def kernel(*args: Any, **kwargs: Any) -> Any:
            run = original if kind in self._disabled_kernel else checked
            return run(*args, **kwargs)

        return kernel

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Switch the kernel for a kind of device off, or on again, for a block.

        While it is off, the function that the operator was made from runs.
        """
        import logging

        log = logging.getLogger(__name__)
        verb = "enable" if enabled else "disable"
        before = device_type in self._disabled_kernel
        if device_type not in self._backend_fns:
            log.warning(
                "Attempted to %s kernel for %s but no kernel was registered for this device type.",
                verb,
                device_type,
            )
        if before is not enabled:
            log.warning(
                "Attempted to %s kernel for %s but it was already %sd.", verb, device_type, verb
            )
        (self._disabled_kernel.discard if enabled else self._disabled_kernel.add)(device_type)
        try:
            yield
        finally:
            (self._disabled_kernel.add if before else self._disabled_kernel.discard)(device_type)

    def register_fake(self, fn: Function, /) -> Function:
        """Say what the operator returns for tensors without elements; a decorator."""
        self._lib.register_fake(self._opoverload, fn)
        return fn

    def register_torch_dispatch(
        self, torch_dispatch_class: type, fn: Function | None = None, /
    ) -> Any:
        """Say what a class or a mode makes of the operator; also a decorator."""

        def register(function: Function) -> Function:
            self._lib._register_torch_dispatch_rule(
                self._opoverload, torch_dispatch_class, function
            )
            return function

        return register if fn is None else register(fn)

    def register_autocast(self, device_type: str, cast_inputs: dtype) -> None:
        """Let floating-point tensors come as `cast_inputs` while autocast is on."""
        _register_autocast(self._lib, self._opoverload, device_type, cast_inputs)

    def register_autograd(
        self, backward: Function, /, *, setup_context: Function | None = None
    ) -> None:
        """Say how the gradient is found: `backward(ctx, *grads)`."""
        _register_autograd(self._opoverload, backward, setup_context)

    def register_vmap(self, func: Function | None = None) -> Any:
        """Say what the operator does with a batch; also a decorator."""
        register = partial(_register_vmap, self._opoverload)
        return register if func is None else register(func)


DEFINED: dict[str, CustomOpDef] = {}


def _tags(tags: Any) -> tuple[Tag, ...]:
    """The tags of a custom operator, all of which promise what transformations need."""
    given_tags = () if tags is None else (tags,) if isinstance(tags, Tag) else tuple(tags)
    return (*given_tags, *(() if Tag.pt2_compliant_tag in given_tags else (Tag.pt2_compliant_tag,)))


def given(schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name."""
    return {**dict(zip((a.name for a in schema.arguments), args)), **kwargs}


def _register_autograd(op: Operator, backward: Function, setup_context: Function | None) -> None:
    """Let an operator's calls be recorded, to be differentiated by `backward`."""
    if op.schema.kind != "functional" or op.schema.is_view:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {op} with schema "
            f"{op.schema}. Please create a functional operator and register an autograd formula "
            "for that."
        )
    from rushlight._library.autograd import recorder

    op.autograd_rule = recorder(backward, setup_context)
    op.forget()


def _register_vmap(op: Operator, function: Function) -> Function:
    op.vmap_rule = function
    op.forget()
    return function


def _register_autocast(
    library: Library, op: Operator, device_type: str, cast_inputs: dtype
) -> None:
    """Serve autocast's key of an operator by casting what is not of the type yet."""
    from rushlight.amp import is_autocast_available

    if not is_autocast_available(device_type):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")

    def cast(value: Any) -> Any:
        if isinstance(value, Tensor):
            floats = value._dtype_.category == FLOATING and value._dtype_ is not float64
            return value.to(cast_inputs) if floats else value  # type: ignore[attr-defined]
        if type(value) in (list, tuple):
            return type(value)(map(cast, value))
        return value

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with state.excluding(key_bits.AUTOCAST):
            return op(*map(cast, args), **{name: cast(value) for name, value in kwargs.items()})

    library.impl(op, kernel, f"Autocast{device_key(device_type)}")


def check_results(of: CustomOpDef, function: Function) -> Function:
    """`function` with checks: no result is one of the inputs, unless the tags or the schema say so.

    What the schema says is written counts as changed, whatever it was written with.
    """
    op = of._opoverload
    schema, tags = op.schema, op.tags
    outs = [argument.name for argument in schema.out_arguments]

    def checked(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        for tensor in tensors_in([given(schema, args, kwargs).get(a.name) for a in schema.mutated]):
            bump_version(tensor)
        where = f"{of._name} (with implementation in {inspect.getmodule(function)})"
        if Tag.inplace in tags:
            if result is not args[0]:
                raise RuntimeError(
                    f"{where}: An operator tagged with torch.Tag.inplace must return its first "
                    "argument."
                )
            return result
        if Tag.out in tags:
            results = result if isinstance(result, tuple) else (result,)
            if [id(x) for x in results] != [id(kwargs.get(name)) for name in outs]:
                raise RuntimeError(
                    f"{where}: An operator tagged with torch.Tag.out must return its mutable "
                    "keyword-only arguments."
                )
            return result
        if schema.is_view:
            return result
        outputs = result if isinstance(result, tuple) else (result,)
        storages = {id(t._storage_) for t in tensors_in([*args, *kwargs.values()])}
        for tensor in tensors_in(outputs):
            if id(tensor._storage_) in storages:
                raise RuntimeError(
                    f"{op.full_name} (with implementation in {function.__module__}): The output of "
                    "this custom operator (1) must not also be an input to this custom operator and "
                    "(2) may not alias any inputs to this custom operator or other returns. The most "
                    "common way to trigger this error is if we have y = custom_op(x) and y and x are "
                    "the same Tensor. Please instead return a clone of the offending output "
                    "tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return "
                    "y."
                )
        return result

    return checked


@overload
def custom_op(
    name: str,
    fn: None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Sequence[Any] | None = None,
) -> Callable[[Function], CustomOpDef]: ...


@overload
def custom_op(
    name: str,
    fn: Function,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Sequence[Any] | None = None,
) -> CustomOpDef: ...


def custom_op(
    name: str,
    fn: Function | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Sequence[Any] | None = None,
) -> Any:
    """Make a Python function an operator `namespace::name`; a decorator.

    `mutates_args` names the arguments that the function writes. Without `schema`, the schema is
    read from the annotations.
    """
    namespace, short = split_name(name)

    def make(function: Function) -> CustomOpDef:
        text = schema or infer_schema(function, mutates_args=mutates_args)
        made = CustomOpDef(namespace, short, text, function, tags)
        declared = {argument.name for argument in made._opoverload.schema.mutated}
        if schema is not None and set(mutates_args) != declared:
            made._lib._destroy()
            raise ValueError(
                f"Attempted to create a custom op with `mutates_args={mutates_args}` and "
                f"`schema={schema}. The schema suggests that the op mutates {sorted(declared)}, "
                "which differs from what was provided to us in `mutates_args`."
            )
        made.register_kernel(device_types, function)
        return made

    return make if fn is None else make(fn)
