"""`torch.library`: add operators and kernels to the dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.infer_schema import infer_schema
from rushlight.engine.dispatch.library import (
    EXPLICIT,
    Library,
    fallthrough_kernel,
    waiting_fakes,
)
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Schema

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_kernel",
    "impl",
    "infer_schema",
    "opcheck",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]

DEVICE_KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "xla": "XLA", "lazy": "Lazy"}
Function = Callable[..., Any]

# Libraries behind the functions below: their registrations stay as long as the program runs.
held: dict[str, Library] = {}


def library_for(namespace: str) -> Library:
    if namespace not in held:
        held[namespace] = Library(namespace, "FRAGMENT")
    return held[namespace]


def split_name(qualified: str) -> tuple[str, str]:
    namespace, separator, name = qualified.partition("::")
    if not separator or not namespace or not name:
        raise ValueError(
            f"Expected an operator name of the form 'namespace::name', got {qualified}"
        )
    return namespace, name


def resolve(op: str | Operator | CustomOpDef) -> Operator:
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, Operator):
        return op
    namespace, _ = split_name(op)
    found = operators.find(op)
    if found is None:
        raise RuntimeError(f"{op} was not found in the namespace {namespace}")
    return found


def device_key(device_type: str) -> str:
    return DEVICE_KEYS.get(device_type, "PrivateUse1")


def as_types(types: str | Sequence[str]) -> Sequence[str]:
    return (types,) if isinstance(types, str) else tuple(types)


def define(
    qualname: str, schema: str, *, lib: Library | None = None, tags: Sequence[Any] = ()
) -> None:
    """Define the operator `namespace::name` with a schema such as "(Tensor x) -> Tensor"."""
    namespace, name = split_name(qualname)
    if not schema.lstrip().startswith("("):
        raise ValueError(
            f"define(qualname, schema, ...): expected schema to look like e.g. "
            f'"(Tensor x) -> Tensor" but got "{schema}"'
        )
    (lib or library_for(namespace)).define(name + schema.strip(), tags=tags)


def impl(
    qualname: str,
    types: str | Sequence[str],
    func: Function | None = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Serve an operator on the devices `types` ("default" for all) with `func`; also a decorator."""

    def register(function: Function) -> Function:
        namespace, name = split_name(qualname)
        for device_type in as_types(types):
            key = EXPLICIT if device_type == "default" else dispatch_key(device_type)
            (lib or library_for(namespace)).impl(name, function, key)
        return function

    return register if func is None else register(func)


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
    found = resolve(op)
    if found.schema.kind != "functional" or found.schema.is_view:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {found} with schema "
            f"{found.schema}. Please create a functional operator and register an autograd formula "
            "for that."
        )
    from rushlight._library.autograd import recorder

    found.autograd_rule = recorder(backward, setup_context)
    found.forget()


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

    def register(function: Function) -> Function:
        found.vmap_rule = function
        found.forget()
        return function

    return register if func is None else register(func)


def get_kernel(op: str | Operator | CustomOpDef, dispatch_key: str) -> Function:
    """The kernel that serves a key of an operator."""
    found = resolve(op)
    kernel = found.registered(dispatch_key)
    if kernel is None:
        raise RuntimeError(f"No kernel is registered for {found} and {dispatch_key}")
    return kernel  # type: ignore[no-any-return]


class CustomOpDef:
    """An operator made from a Python function by `custom_op`."""

    def __init__(self, namespace: str, name: str, schema: str, function: Function) -> None:
        self._namespace = namespace
        self._name = name
        self._schema = schema
        self._init_fn = function
        self._lib = Library(namespace, "FRAGMENT")
        previous = DEFINED.pop(self._qualname, None)
        if previous is not None:
            previous._lib._destroy()
        self._lib.define(name + schema)
        self._opoverload = operators.operator(self._qualname)
        if self._opoverload.schema.kind == "functional":
            from rushlight._library.autograd import recorder

            self._opoverload.autograd_rule = recorder(None, None)
        DEFINED[self._qualname] = self

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

        def register(function: Function) -> Function:
            checked = check_aliases(self._opoverload, function)
            keys = [EXPLICIT] if device_types is None else map(device_key, as_types(device_types))
            for key in keys:
                self._lib.impl(self._opoverload, checked, key, allow_override=True)
            return function

        return register if fn is None else register(fn)

    def register_fake(self, fn: Function, /) -> Function:
        self._lib.register_fake(self._opoverload, fn)
        return fn

    def register_autograd(
        self, backward: Function, /, *, setup_context: Function | None = None
    ) -> None:
        register_autograd(self, backward, setup_context=setup_context)

    def register_vmap(self, func: Function | None = None) -> Any:
        """Say what the operator does with a batch; also a decorator."""
        return register_vmap(self, func)


DEFINED: dict[str, CustomOpDef] = {}


def check_aliases(op: Operator, function: Function) -> Function:
    """`function` with a check that no result is one of the inputs."""

    def checked(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        outputs = result if isinstance(result, tuple) else (result,)
        storages = {id(t._storage) for t in tensors_in([*args, *kwargs.values()])}
        for tensor in tensors_in(outputs):
            if id(tensor._storage) in storages:
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
        made = CustomOpDef(namespace, short, text, function)
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


def opcheck(
    op: Operator | CustomOpDef,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = ("test_schema", "test_faketensor"),
    raise_exception: bool = True,
) -> dict[str, str]:
    """Check that an operator does what its schema and its fake kernel say."""
    found = resolve(op)
    results: dict[str, str] = {}
    for name in as_types(test_utils):
        try:
            CHECKS[name](found, args, kwargs or {})
            results[name] = "SUCCESS"
        except (RuntimeError, AssertionError) as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            results[name] = str(error)
    return results


class OpCheckError(Exception):
    """What `opcheck` raises: the name of the check and its reason."""


def check_schema(op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Only arguments marked as written change, and only those marked as shared are returned."""
    schema: Schema = op.schema
    given = {**dict(zip((a.name for a in schema.arguments), args)), **kwargs}
    before = {name: versions(value) for name, value in given.items()}
    result = op(*args, **kwargs)
    for argument in schema.arguments:
        value = given.get(argument.name)
        if versions(value) != before.get(argument.name, []) and not argument.is_write:
            raise RuntimeError(
                f"Argument {argument.name} is not defined as mutable but was mutated"
            )
    returned = {id(t._storage) for t in tensors_in([result])}
    for argument in schema.arguments:
        storages = {id(t._storage) for t in tensors_in([given.get(argument.name)])}
        if storages & returned and not argument.type.aliases:
            raise RuntimeError(
                f"Argument {argument.name} is not defined to alias output but was aliasing"
            )


def versions(value: Any) -> list[int]:
    return [int(tensor._storage._version) for tensor in tensors_in([value])]


def check_fake(op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """The fake kernel gives the sizes, strides and types that the real one gives."""
    if op.fake is None:
        raise RuntimeError(f"{op} has no fake kernel; add one with register_fake")
    real, fake = tensors_in([op(*args, **kwargs)]), tensors_in([op.fake(*args, **kwargs)])
    if [facts(tensor) for tensor in real] != [facts(tensor) for tensor in fake]:
        raise AssertionError(
            f"the fake kernel gives {[facts(t) for t in fake]}, "
            f"the real one {[facts(t) for t in real]}"
        )


def facts(tensor: Tensor) -> tuple[Any, ...]:
    return tuple(tensor._size), tuple(tensor._stride), tensor._dtype


CHECKS: dict[str, Callable[[Operator, tuple[Any, ...], dict[str, Any]], None]] = {
    "test_schema": check_schema,
    "test_faketensor": check_fake,
}
