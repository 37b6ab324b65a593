"""Reads the arguments of a Python call: which overload is meant, and with which values.

The generated bindings handle the common shapes of a call themselves; everything else comes here.
Overloads are tried in order. Which one to start with is remembered for the types of the arguments,
as far as types alone decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.engine.dispatch import named_results, numbers, overrides_hook
from rushlight.engine.dispatch.argument_types import (
    Check,
    Convert,
    ElementError,
    accepts,
    identity,
    tensor_list_check,
)
from rushlight.engine.dispatch.constants import python_default
from rushlight.engine.dispatch.operator import operator
from rushlight.engine.dispatch.schema import Argument

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
    type_name: str
    check: Check
    convert: Convert
    allows_none: bool
    keyword_only: bool
    default: Any = MISSING
    default_text: str = ""

    def accepts(self, value: Any) -> bool:
        return (self.allows_none and value is None) or self.check(value)

    def __str__(self) -> str:
        text = f"{self.type_name} {self.name}"
        return text if self.default is MISSING else f"{text} = {self.default_text}"


class Form:
    """One Python signature: an overload, with its `out=` variant folded in."""

    def __init__(self, spec: str, renames_self: bool, takes_numbers: bool) -> None:
        # `spec` is `add.Tensor` or `add.Tensor|add.out`; a leading `-` hides it from messages.
        self.hidden = spec.startswith("-")
        base, _, out = spec.removeprefix("-").partition("|")
        self.op = operator(base)
        self.out_op = operator(out) if out else None
        self.takes_numbers = takes_numbers
        arguments = list(self.op.schema.arguments)
        if not renames_self:
            # A method's `self` comes first, wherever the schema has it.
            arguments.sort(key=lambda a: a.name != "self")
        self.parameters = [self.parameter(argument, renames_self) for argument in arguments]
        # Where each argument of the schema is among the parameters.
        self.order = [arguments.index(a) for a in self.op.schema.arguments]
        self.wants_grad_option = {a.name for a in arguments} >= TENSOR_OPTIONS
        if self.out_op is not None:
            self.add_out(self.out_op.schema.out_arguments)
        if self.wants_grad_option:
            self.parameters.append(
                Parameter("requires_grad", "bool", *accepts_bool(), False, True, False, "False")
            )
        self.positional = [p for p in self.parameters if not p.keyword_only]
        self.names = {p.name: index for index, p in enumerate(self.parameters)}

    def parameter(self, argument: Argument, renames_self: bool) -> Parameter:
        of_type = argument.type
        is_self = argument.name == "self" and of_type.plain == "Tensor"
        name = "input" if is_self and renames_self else argument.name
        type_name, check, convert = accepts(of_type)
        if self.takes_numbers and of_type.required.name == "Tensor":
            check, convert = numbers.accepting(check), numbers.wrapped
        default, text = MISSING, ""
        if argument.has_default:
            default, text = python_default(argument)
        none = of_type.is_optional
        return Parameter(
            name, type_name, check, convert, none, argument.keyword_only, default, text
        )

    def add_out(self, outs: Sequence[Argument]) -> None:
        if len(outs) == 1:
            type_name, check, _ = accepts(outs[0].type)
        else:
            type_name, check = "tuple of Tensors", tuple_of(len(outs))
        self.parameters.append(
            Parameter("out", type_name, check, identity, True, True, None, "None")
        )

    def __str__(self) -> str:
        parts: list[str] = []
        for index, parameter in enumerate(self.parameters):
            if parameter.keyword_only and (
                index == 0 or not self.parameters[index - 1].keyword_only
            ):
                parts.append("*")
            parts.append(str(parameter))
        return f"({', '.join(parts)})"

    @property
    def takes_varargs(self) -> bool:
        """True if the call may spell the one list of integers as separate arguments."""
        skip = 1 if self.positional and self.positional[0].type_name == "Tensor" else 0
        rest = self.positional[skip:]
        return len(rest) == 1 and rest[0].type_name == "tuple of ints"

    def place(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The value for each parameter, MISSING where a default holds; TypeError in our words."""
        positional = self.positional
        values = [MISSING] * len(self.parameters)
        if self.takes_varargs:
            at = len(positional) - 1
            spelled = len(args) > at and not isinstance(args[at], (tuple, list, type(None)))
            if spelled and (positional[at].check((args[at],)) or len(args) > len(positional)):
                args = (*args[:at], tuple(args[at:]))
        if len(args) > len(positional):
            raise TypeError(f"{name}() takes {count_text(self)} but {were_given(len(args))}")
        values[: len(args)] = args
        for key, value in kwargs.items():
            index = self.names.get(key)
            if index is None:
                index = self.numpy_index(key)
            if index is None:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            if values[index] is not MISSING:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            values[index] = value
        lacking = [
            parameter.name
            for parameter, value in zip(self.parameters, values)
            if value is MISSING and parameter.default is MISSING
        ]
        if lacking:
            names = ", ".join(f'"{lack}"' for lack in lacking)
            raise TypeError(
                f"{name}() missing {len(lacking)} required positional arguments: {names}"
            )
        return values

    def numpy_index(self, key: str) -> int | None:
        for name, others in NUMPY_NAMES.items():
            if key in others and name in self.names:
                return self.names[name]
        return None

    def mismatch(self, values: list[Any]) -> int | None:
        """The index of the first value that its parameter does not take."""
        for index, (parameter, value) in enumerate(zip(self.parameters, values)):
            if value is not MISSING and not parameter.accepts(value):
                if value is None and parameter.default is None:
                    continue
                return index
        return None

    def wrong_type(self, name: str, values: list[Any], index: int, shift: int) -> TypeError:
        parameter, value = self.parameters[index], values[index]
        where = "" if parameter.keyword_only else f" (position {index + 1 - shift})"
        found = type(value).__name__
        if isinstance(value, (tuple, list)) and parameter.type_name == "tuple of Tensors":
            at = next((i for i, v in enumerate(value) if not parameter.check([v])), 0)
            return TypeError(
                f"expected Tensor as element {at} in argument {index - shift}, "
                f"but got {type(value[at]).__name__}"
            )
        if isinstance(value, (tuple, list)) and parameter.type_name.startswith("tuple of"):
            return element_error(
                name, parameter.name, 0, parameter.type_name, type(value[0]).__name__
            )
        return TypeError(
            f"{name}(): argument '{parameter.name}'{where} must be {parameter.type_name}, not {found}"
        )

    def run(self, name: str, values: list[Any]) -> Any:
        """Convert the values and call the overload."""
        out = None
        wants_grad = False
        converted: list[Any] = []
        for parameter, value in zip(self.parameters, values):
            if parameter.name == "requires_grad" and self.wants_grad_option:
                wants_grad = value is not MISSING and value
            elif parameter.name == "out" and self.out_op is not None:
                out = None if value is MISSING else value
            elif value is MISSING:
                converted.append(parameter.default)
            elif value is None:
                converted.append(None)
            else:
                try:
                    converted.append(parameter.convert(value))
                except ElementError as error:
                    raise element_error(name, parameter.name, *error.args) from None
        converted = [converted[index] for index in self.order]
        if out is None:
            result = named_results.wrap(self.op.schema, self.op.call(*converted))
            return result.requires_grad_(True) if wants_grad else result
        assert self.out_op is not None
        outs = (out,) if len(self.out_op.schema.out_arguments) == 1 else tuple(out)
        result = self.out_op.call(*self.reordered(converted), *outs)
        return named_results.wrap(self.out_op.schema, result)

    def reordered(self, converted: list[Any]) -> list[Any]:
        """The converted arguments in the order of the `out=` overload, which may take fewer."""
        assert self.out_op is not None
        by_name = dict(zip((a.name for a in self.op.schema.arguments), converted))
        wanted = [a for a in self.out_op.schema.arguments if not (a.keyword_only and a.is_write)]
        return [by_name[a.name] for a in wanted]


def accepts_bool() -> tuple[Check, Convert]:
    return (lambda value: isinstance(value, bool)), bool


def element_error(name: str, parameter: str, position: int, wanted: str, found: str) -> TypeError:
    return TypeError(
        f"{name}(): argument '{parameter}' failed to unpack the object at pos {position + 1} with "
        f'error "type must be {wanted},but got {found}"'
    )


def tuple_of(length: int) -> Check:
    tensors = tensor_list_check(False)
    return lambda value: (
        isinstance(value, (tuple, list)) and len(value) == length and tensors(value)
    )


def count_text(form: Form) -> str:
    most = len(form.positional)
    least = sum(1 for p in form.positional if p.default is MISSING)
    if least == most:
        return f"{most} positional argument{'' if most == 1 else 's'}"
    return f"from {least} to {most} positional arguments"


def were_given(count: int) -> str:
    return f"{count} {'was' if count == 1 else 'were'} given"


class Resolver:
    """All Python signatures of one function or method."""

    def __init__(
        self, name: str, specs: tuple[str, ...], is_method: bool, takes_numbers: bool = False
    ) -> None:
        self.name = name
        self.specs = specs
        self.is_method = is_method
        self.takes_numbers = takes_numbers
        self.memo: dict[tuple[Any, ...], int] = {}
        self._forms: list[Form] | None = None
        # The object that programs call; what `__torch_function__` is told. Set by the binding.
        self.public: Callable[..., Any] | None = None

    @property
    def forms(self) -> list[Form]:
        if self._forms is None:
            rename = not self.is_method
            self._forms = [Form(spec, rename, False) for spec in self.specs]
            if self.takes_numbers:
                # Last, numbers as tensors: a `Scalar` overload serves the usual ones without.
                visible = [f"-{spec}" for spec in self.specs if not spec.startswith("-")]
                self._forms += [Form(spec, rename, True) for spec in visible]
        return self._forms

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = (*args, *kwargs.values())
        if overrides_hook.is_needed(values) and self.public is not None:
            return overrides_hook.call(self.public, overrides_hook.overloaded(values), args, kwargs)
        key = (*map(type, args), *((k, type(v)) for k, v in kwargs.items()))
        found = self.search(self.memo.get(key, 0), key, args, kwargs)
        if found is None:
            raise self.error(args, kwargs)
        form, placed = found
        return form.run(self.name, placed)

    def search(
        self, start: int, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Form, list[Any]] | None:
        """The first form that takes the arguments, and the values placed in it."""
        types_decide = True
        for index in range(start, len(self.forms)):
            form = self.forms[index]
            try:
                placed = form.place(self.name, args, kwargs)
            except TypeError:
                # Placing looks at numbers and names of arguments, except for varargs.
                types_decide = types_decide and not form.takes_varargs
                continue
            wrong = form.mismatch(placed)
            if wrong is None:
                if types_decide:
                    self.memo[key] = index
                return form, placed
            types_decide = types_decide and type(placed[wrong]) in DECISIVE
        return None

    def error(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
        """The error for a call that no form takes."""
        shown = [form for form in self.forms if not form.hidden] or self.forms
        shift = 1 if self.is_method else 0
        count = len(args) + len(kwargs)
        plausible = [form for form in shown if len(form.parameters) >= count or form.takes_varargs]
        if len(shown) == 1 or len(plausible) == 1:
            form = (plausible or shown)[0]
            if not plausible and len(shown) > 1:
                return self.no_form(shown, args, kwargs, shift)
            return self.single_error(form, args, kwargs, shift)
        return self.no_form(shown, args, kwargs, shift)

    def single_error(
        self, form: Form, args: tuple[Any, ...], kwargs: dict[str, Any], shift: int
    ) -> TypeError:
        try:
            placed = form.place(self.name, args, kwargs)
        except TypeError as error:
            text = str(error)
            if " missing " in text and len(self.forms) > 1:
                return self.no_form([form], args, kwargs, shift)
            return TypeError(text)
        wrong = form.mismatch(placed)
        if wrong is None:
            return TypeError(f"{self.name}(): could not convert the arguments")
        return form.wrong_type(self.name, placed, wrong, shift)

    def no_form(
        self, forms: list[Form], args: tuple[Any, ...], kwargs: dict[str, Any], shift: int
    ) -> TypeError:
        got = [type(a).__name__ for a in args[shift:]]
        got += [f"{k}={type(v).__name__}" for k, v in kwargs.items()]
        head = (
            f"{self.name}() received an invalid combination of arguments - got ({', '.join(got)}), "
            "but expected "
        )
        if len(forms) == 1:
            return TypeError(head + self.signature(forms[0]))
        lines = [head + "one of:"]
        for form in forms:
            lines.append(f" * {self.signature(form)}")
            reason = self.why_not(form, args[shift:], kwargs, shift)
            if reason:
                lines.append(f"      didn't match because some of the {reason}")
        return TypeError("\n".join([*lines, ""]))

    def signature(self, form: Form) -> str:
        """The form as messages write it; a method's does not mention `self`."""
        text = str(form)
        return (
            "(" + text.partition(", ")[2]
            if self.is_method and ", " in text
            else ("()" if self.is_method else text)
        )

    def why_not(self, form: Form, args: tuple[Any, ...], kwargs: dict[str, Any], shift: int) -> str:
        unknown = [k for k in kwargs if k not in form.names and form.numpy_index(k) is None]
        if unknown:
            return f"keywords were incorrect: {', '.join(unknown)}"
        parameters = form.parameters[shift:]
        if len(args) + len(kwargs) != len(parameters) or len(args) > len(form.positional) - shift:
            return ""
        texts = []
        for parameter, value in zip(parameters, args):
            kind = type(value).__name__
            texts.append(kind if parameter.accepts(value) else f"!{kind}!")
        for key, value in kwargs.items():
            kind = type(value).__name__
            index = form.names.get(key)
            good = index is not None and form.parameters[index].accepts(value)
            texts.append(f"{key}={kind if good else f'!{kind}!'}")
        return f"arguments have invalid types: ({', '.join(texts)})"
