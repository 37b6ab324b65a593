"""Reads the arguments of a Python call: which overload is meant, and with which values.

The generated bindings handle the common shapes of a call themselves; everything else comes here.
Overloads are tried in order. Which one to start with is remembered for the types of the arguments,
as far as types alone decide.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import named_results, numbers, overrides_hook
from rushlight.engine.dispatch.argument_types import (
    Check,
    Convert,
    ElementError,
    accepts,
    identity,
    is_tensor,
    name_of_type,
    tensor_list_check,
)
from rushlight.engine.dispatch.constants import python_default
from rushlight.engine.dispatch.invalid_arguments import no_form
from rushlight.engine.dispatch.operator import operator
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.dispatch.source import program_level
from rushlight.engine.native.records import dataclass

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<missing>"})()

# Names that numpy uses for PyTorch's.
NUMPY_NAMES = {
    "dim": ("axis",),
    "keepdim": ("keepdims",),
    "input": ("x", "a", "x1"),
    "other": ("x2",),
}
# For arguments of these types, the type alone decides whether a parameter takes them.
DECISIVE = {int, float, bool, str, complex, type(None)}
TENSOR_OPTIONS = {"dtype", "layout", "device", "pin_memory"}


@dataclass(slots=True)
class Parameter:
    """One parameter of a Python signature."""

    name: str
    # Its name in the schema.
    argument: str
    type_name: str
    check: Check
    convert: Convert
    allows_none: bool
    keyword_only: bool
    default: Any = MISSING
    default_text: str = ""

    def accepts(self, value: Any) -> bool:
        return (self.allows_none and value is None) or self.check(value)

    def mismatch(self, name: str, value: Any, where: str, index: int) -> Mismatch:
        """The error for a value that is not taken."""
        by_type = type(value) in DECISIVE
        is_list = isinstance(value, (tuple, list))
        if is_list and self.type_name == "tuple of Tensors" and value:
            at = next((i for i, v in enumerate(value) if not self.check([v])), 0)
            found = name_of_type(value[at])
            return Mismatch(
                f"expected Tensor as element {at} in argument {index}, but got {found}", by_type
            )
        if is_list and self.type_name.startswith("tuple of") and value:
            found = f"found element of type {name_of_type(value[0])} at pos 0"
            return Mismatch(
                f"{name}(): argument '{self.name}'{where} must be {self.type_name}, but {found}",
                by_type,
            )
        return Mismatch(
            f"{name}(): argument '{self.name}'{where} must be {self.type_name}, "
            f"not {name_of_type(value)}",
            by_type,
        )

    def __str__(self) -> str:
        text = f"{self.type_name} {self.name}"
        return text if self.default is MISSING else f"{text} = {self.default_text}"


class Mismatch(TypeError):
    """A form does not take a call. `by_type` is True if the types of the values alone say so."""

    def __init__(self, text: str, by_type: bool = True) -> None:
        super().__init__(text)
        self.by_type = by_type


class Form:
    """One Python signature: an overload, with its `out=` variant folded in.

    Args:
        word: as the generated files have it, see `bindings.signatures`
        takes_numbers: whether numbers stand for tensors
    """

    def __init__(self, word: str, takes_numbers: bool) -> None:
        self.hidden = word.startswith("-")
        word, _, old = word.removeprefix("-").partition("(")
        self.old_names = old.removesuffix(")").split(",") if old else []
        # What an old form does not mention keeps its default.
        self.left_out: dict[str, Any] = {}
        base, _, out = word.partition("|")
        self.op = operator(base)
        self.out_op = operator(out) if out else None
        self.takes_numbers = takes_numbers
        arguments = self.op.schema.arguments
        if self.old_names:
            by_name = {a.name: replace(a, keyword_only=False) for a in arguments}
            left_out = [a for a in arguments if a.name not in self.old_names]
            self.left_out = {a.name: python_default(a)[0] for a in left_out if a.has_default}
            arguments = tuple(replace(by_name[n], default_text=None) for n in self.old_names)
        self.parameters = [self.parameter(a) for a in arguments]
        self.wants_grad_option = {a.name for a in arguments} >= TENSOR_OPTIONS
        self.add_options()
        self.note_parameters()

    def of_method(self) -> Form:
        """The same for a method: its `self` is passed apart, and it has no `out`."""
        form = copy.copy(self)
        form.out_op = None
        left_out = {"self"} if self.out_op is None else {"self", "out"}
        form.parameters = [p for p in self.parameters if p.argument not in left_out]
        form.note_parameters()
        return form

    def note_parameters(self) -> None:
        self.positional = [p for p in self.parameters if not p.keyword_only]
        self.names = {p.name: index for index, p in enumerate(self.parameters)}
        self.least = sum(1 for p in self.parameters if p.default is MISSING)
        # One list of integers may be spelled out as separate arguments.
        self.takes_varargs = (
            len(self.positional) == 1 and self.positional[0].type_name == "tuple of ints"
        )

    def parameter(self, argument: Argument) -> Parameter:
        of_type = argument.type
        is_tensor_self = argument.name == "self" and of_type.plain == "Tensor"
        name = "input" if is_tensor_self else argument.name
        type_name, check, convert = accepts(of_type)
        if self.takes_numbers and of_type.required.name == "Tensor":
            check, convert = numbers.accepting(check), numbers.wrapped
        default, text = MISSING, ""
        if argument.has_default:
            default, text = python_default(argument)
            if argument.name == "dtype" and of_type.required.plain == "ScalarType":
                text = "None"
        # For a list that may be left out, None says so.
        none = of_type.is_optional or (of_type.kind == "list" and default == ())
        by_keyword = argument.keyword_only
        return Parameter(
            name, argument.name, type_name, check, convert, none, by_keyword, default, text
        )

    def add_options(self) -> None:
        """Add `out` and `requires_grad`, which Python's signature has and the schema has not."""
        if self.out_op is not None:
            outs = self.out_op.schema.out_arguments
            type_name, check = "tuple of Tensors", tuple_of(len(outs))
            if len(outs) == 1:
                type_name, check, _ = accepts(outs[0].type)
            out = Parameter("out", "out", type_name, check, identity, True, True, None, "None")
            at = len(self.parameters)
            if self.wants_grad_option:
                at = next(i for i, p in enumerate(self.parameters) if p.name == "dtype")
            self.parameters.insert(at, out)
        if self.wants_grad_option:
            # Listed before the options of a new tensor, wherever the schema has it.
            self.parameters.sort(key=lambda p: p.name in TENSOR_OPTIONS)
            self.parameters.sort(key=lambda p: p.keyword_only)
            for parameter in self.parameters:
                if parameter.name == "pin_memory":
                    parameter.default_text = "False"
                elif parameter.name == "dtype" and parameter.default is not MISSING:
                    parameter.default_text = "None"
            name = "requires_grad"
            self.parameters.append(
                Parameter(name, name, "bool", *accepts_bool(), False, True, False, "False")
            )

    def __str__(self) -> str:
        parts: list[str] = []
        shown = self.parameters
        if self.wants_grad_option:
            # Messages have the options of new tensors at the end.
            shown = sorted(shown, key=lambda p: p.name in TENSOR_OPTIONS | {"requires_grad"})
        for index, parameter in enumerate(shown):
            if parameter.keyword_only and (index == 0 or not shown[index - 1].keyword_only):
                parts.append("*")
            parts.append(str(parameter))
        return f"({', '.join(parts)})"

    def parse(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The value for each parameter, MISSING where a default holds; else `Mismatch`."""
        if len(args) > len(self.positional):
            spelled = self.takes_varargs and self.positional[0].check(args)
            if not spelled:
                raise Mismatch(self.too_many(name, len(args)), not self.takes_varargs)
        values: list[Any] = []
        at = used = 0
        for index, parameter in enumerate(self.parameters):
            by_keyword = at >= len(args)
            if not by_keyword:
                if parameter.keyword_only:
                    raise Mismatch(self.too_many(name, len(args)))
                value = args[at]
            else:
                value = self.keyword(parameter.name, kwargs)
                used += value is not MISSING
            if value is MISSING:
                if parameter.default is MISSING:
                    raise Mismatch(self.lacking(name, index, kwargs))
            elif not parameter.accepts(value):
                if not (index == 0 and self.takes_varargs and parameter.check(args) and args):
                    where = "" if by_keyword else f" (position {at + 1})"
                    raise parameter.mismatch(name, value, where, index)
                value, at = args, len(args) - 1
            at += not by_keyword
            values.append(MISSING if value is None and parameter.default == () else value)
        if used < len(kwargs):
            raise Mismatch(self.unexpected(name, args, kwargs))
        return values

    def keyword(self, name: str, kwargs: dict[str, Any]) -> Any:
        if name in kwargs:
            return kwargs[name]
        for other in NUMPY_NAMES.get(name, ()):
            if other in kwargs:
                return kwargs[other]
        return MISSING

    def too_many(self, name: str, count: int) -> str:
        most = len(self.positional)
        takes = f"{most} positional argument{'' if most == 1 else 's'}"
        if self.least != most:
            takes = f"from {self.least} to {most} positional arguments"
        were = "was" if count == 1 else "were"
        return f"{name}() takes {takes} but {count} {were} given"

    def lacking(self, name: str, first: int, kwargs: dict[str, Any]) -> str:
        names = [
            f'"{p.name}"'
            for p in self.parameters[first:]
            if p.default is MISSING and self.keyword(p.name, kwargs) is MISSING
        ]
        plural = "s" if len(names) == 1 else ""
        required = f"{len(names)} required positional argument{plural}"
        return f"{name}() missing {required}: {', '.join(names)}"

    def unexpected(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        for key in kwargs:
            if key not in self.names and not any(key in n for n in NUMPY_NAMES.values()):
                return f"{name}() got an unexpected keyword argument '{key}'"
            if key in self.names and self.names[key] < len(args):
                return f"{name}() got multiple values for argument '{key}'"
        return f"{name}(): invalid keyword arguments"

    def run(self, name: str, owner: Any, values: list[Any]) -> Any:
        """Convert the values and call the overload."""
        given: dict[str, Any] = {**self.left_out, "self": owner}
        for parameter, value in zip(self.parameters, values):
            key = parameter.argument
            if value is MISSING:
                given[key] = parameter.default
            elif value is None:
                given[key] = None
            else:
                try:
                    given[key] = parameter.convert(value)
                except ElementError as error:
                    raise element_error(name, parameter.name, *error.args) from None
        out = given.pop("out", None) if self.out_op is not None else None
        if out is None:
            schema = self.op.schema
            result = self.op.call(*(given[a.name] for a in schema.arguments))
            result = named_results.wrap(schema, result)
            return wanting_gradient(result) if given.get("requires_grad") else result
        assert self.out_op is not None
        schema = self.out_op.schema
        outs = (out,) if len(schema.out_arguments) == 1 else tuple(out)
        if self.wants_grad_option:
            said = {p.name for p, v in zip(self.parameters, values) if v is not MISSING}
            check_options({key: given[key] for key in said & TENSOR_OPTIONS}, outs[0])
        inputs = [given[a.name] for a in schema.arguments if a not in schema.out_arguments]
        result = named_results.wrap(schema, self.out_op.call(*inputs, *outs))
        return wanting_gradient(result) if given.get("requires_grad") else result


def accepts_bool() -> tuple[Check, Convert]:
    return (lambda value: isinstance(value, bool)), bool


def element_error(name: str, parameter: str, position: int, why: str) -> TypeError:
    return TypeError(
        f"{name}(): argument '{parameter}' failed to unpack the object at pos {position + 1} with "
        f'error "{why}"'
    )


def tuple_of(length: int) -> Check:
    tensors = tensor_list_check(False)
    return lambda value: (
        isinstance(value, (tuple, list)) and len(value) == length and tensors(value)
    )


def check_options(given: dict[str, Any], out: Any) -> None:
    """The options of a factory must be those of the tensor that it is to fill."""
    from rushlight.engine.loops.promotion import title

    dtype, layout, device = given.get("dtype"), given.get("layout"), given.get("device")
    if dtype is not None and dtype is not out._dtype_:
        raise RuntimeError(
            f"dtype {title(dtype)} does not match dtype of out parameter ({title(out._dtype_)})"
        )
    if layout is not None and layout is not out.layout:
        raise RuntimeError(f"layout {layout} does not match layout of out parameter ({out.layout})")
    if device is not None and device.type != out._storage_.device.type:
        raise RuntimeError(
            f"device type {device} does not match device type of out parameter "
            f"({out._storage_.device})"
        )


def wanting_gradient(made: Tensor, is_new: bool = False) -> Tensor:
    """A tensor whose operations are recorded from now on; one that is new has no views yet."""
    if made._dtype_.category < dtypes.FLOATING:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return made._begin_leaf() if is_new else made.requires_grad_()  # type: ignore[attr-defined, no-any-return]


@functools.cache
def form_of(word: str, takes_numbers: bool, is_method: bool) -> Form:
    """The form that a word stands for, shared by the function and the method of a name."""
    return (
        form_of(word, takes_numbers, False).of_method() if is_method else Form(word, takes_numbers)
    )


class Resolver:
    """All Python signatures of one function or method.

    Args:
        name: the function's name
        text: its overloads, words that `bindings.signatures` tells; a `+` among them lets numbers
            stand for tensors
        is_method: whether `self` is the object that it is called on
    """

    def __init__(self, name: str, text: str, is_method: bool) -> None:
        self.name = name
        self.text = text
        self.is_method = is_method
        self.memo: dict[tuple[Any, ...], int] = {}
        # The object that programs call; what `__torch_function__` is told. Set by the binding.
        self.public: Callable[..., Any] | None = None
        # Makes a call in Python; set by the binding, too.
        self.function: Callable[..., Any] = self._resolve

    def _resolve(self, *args: Any, **kwargs: Any) -> Any:
        return self(args, kwargs)

    @property
    def is_sign(self) -> bool:
        """Whether it is a method behind an operator sign: what that does not take, the other operand may."""
        return self.is_method and self.name.startswith("__")

    @property
    def words(self) -> list[str]:
        return [word for word in self.text.split() if word != "+"]

    @functools.cached_property
    def choices(self) -> list[tuple[str, bool, bool]]:
        """What `form_of` takes for each form, in the order in which they are tried."""
        words = self.words
        found = [(word, False, self.is_method) for word in words]
        if "+" in self.text.split():
            # Last, numbers as tensors: a `Scalar` overload serves the usual ones without.
            visible = [f"-{word}" for word in words if not word.startswith("-") and "(" not in word]
            found += [(word, True, self.is_method) for word in visible]
        return found

    @property
    def forms(self) -> list[Form]:
        return [form_of(*choice) for choice in self.choices]

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = (*args, *kwargs.values())
        if overrides_hook.is_needed(values) and self.public is not None:
            return overrides_hook.call(self.public, overrides_hook.overloaded(values), args, kwargs)
        owner = None
        if self.is_method:
            if not args:
                raise TypeError(f"unbound method Tensor.{self.name}() needs an argument")
            owner, args = args[0], args[1:]
            if not is_tensor(owner):
                raise TypeError(
                    f"descriptor '{self.name}' for 'torch._C.TensorBase' objects doesn't apply to "
                    f"a '{type(owner).__name__}' object"
                )
            if (args or kwargs) and not any(form.parameters for form in self.forms):
                given = "keyword arguments" if kwargs else f"arguments ({len(args)} given)"
                raise TypeError(f"TensorBase.{self.name}() takes no {given}")
        key = (*map(type, args), *((k, type(v)) for k, v in kwargs.items()))
        start = self.memo.get(key, 0)
        types_decide = True
        for index in range(start, len(self.choices)):
            form = form_of(*self.choices[index])
            try:
                parsed = form.parse(self.name, args, kwargs)
            except Mismatch as mismatch:
                types_decide = types_decide and mismatch.by_type
                continue
            if types_decide:
                self.memo[key] = index
            if form.old_names:
                self.warn_of_old_form(form)
            return form.run(self.name, owner, parsed)
        raise self.error(args, kwargs)

    def warn_of_old_form(self, form: Form) -> None:
        """Say, once for each function, that this way of calling it is going away."""
        if not state.may_warn(self):
            return
        now = "\n\t".join(f"{self.name}{f}" for f in self.forms if not f.hidden)
        warnings.warn(
            f"This overload of {self.name} is deprecated:\n\t{self.name}{form}\n"
            f"Consider using one of the following signatures instead:\n\t{now}",
            UserWarning,
            stacklevel=program_level(),
        )

    def error(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
        """The error for a call that no form takes: of the one form that may be meant, or of all."""
        shown = [form for form in self.forms if not form.hidden]
        count = len(args) + len(kwargs)
        plausible = [f for f in shown if f.least <= count <= len(f.parameters)]
        has_old = any(form.old_names for form in self.forms)
        meant = shown if len(shown) == 1 and not has_old else plausible
        if len(meant) == 1:
            try:
                meant[0].parse(self.name, args, kwargs)
            except Mismatch as mismatch:
                return TypeError(str(mismatch))
        return TypeError(no_form(f"{self.name}()", [str(f) for f in shown], args, kwargs))
