"""Operators that take functions, and who answers their calls.

A call runs as it is unless somebody traces it: then the functions are traced apart, and the call is a node with their
graphs. What an operator has to say for that is little: which of its arguments are functions, what these are called with, and
how the call looks with other functions (`HigherOrderOperator.functions`, `inputs_of`, `rebuilt`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import rushlight
from rushlight.engine.core import keys, state
from rushlight.engine.core.symbolic import SymBool, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers, modes
from rushlight.engine.native.records import dataclass
from rushlight.utils import _pytree as pytree

__all__ = ["HigherOrderOperator", "registered"]

# All operators that take functions, by name.
registered: dict[str, HigherOrderOperator] = {}


def restored(module: str, name: str) -> HigherOrderOperator:
    """An operator by its name and by the module that makes it."""
    importlib.import_module(module)
    return registered[name]


@dataclass(frozen=True)
class HopSchema:
    """What a call of an operator that takes functions takes and gives.

    Args:
        name: the operator's name
        arguments: the arguments with their types
        returned: the types of the results
    """

    name: str
    arguments: tuple[str, ...]
    returned: str

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)}) -> {self.returned}"


def _type_of(value: Any) -> str:
    """The type of a value, as schemas have it."""
    if isinstance(value, Tensor):
        return "Tensor"
    names = {
        bool: "bool",
        int: "int",
        float: "float",
        str: "str",
        SymInt: "SymInt",
        SymBool: "SymBool",
    }
    return names.get(type(value), "Any")


class HigherOrderOperator:
    """An operator that takes functions: `torch.ops.higher_order` has it under its name.

    Args:
        name: its name
        cacheable: accepted
    """

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        if type(self) is HigherOrderOperator:
            raise RuntimeError(
                "Direct instantiation of HigherOrderOperator is not allowed. Please subclass it."
            )
        self._name = self.__name__ = self.__qualname__ = name
        self.__module__ = "torch.ops.higher_order"
        self.namespace = "higher_order"
        # What answers for a key, for modes of a class, or for layers of a kind.
        self.py_kernels: dict[Any, Callable[..., Any]] = {}
        self._functionalized: Callable[..., Any] | None = None
        registered[name] = self

    def name(self) -> str:
        """The operator's name."""
        return self._name

    def __reduce__(self) -> Any:
        return restored, (type(self).__module__, self._name)

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"torch.ops.higher_order.{self._name}"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.dispatch(*args, **kwargs)

    # -- what programs register --

    def py_impl(self, key: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator: a function answers for a key, or for modes of a class, which it gets first."""

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            name = getattr(key, "name", key)
            if name in self.py_kernels:
                raise AssertionError(
                    f"Trying to override a py_impl for {name} on operator {self._name}"
                )
            self.py_kernels[name] = function
            return function

        return decorate

    def py_autograd_impl(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator: a function answers where gradients are wanted."""
        return self.py_impl("Autograd")(function)

    def py_functionalize_impl(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator: a function answers where changes are followed; it gets what wraps and unwraps first."""
        self._functionalized = function
        return function

    def fallthrough(self, key: Any) -> None:
        """Let calls pass a key."""

    # -- what operators of the library say --

    # The names of the graphs of its functions.
    graph_names: tuple[str, ...] = ()
    # The same in graphs of programs that are compiled.
    body_names: tuple[str, ...] = ()
    # What they are called in messages.
    graph_titles: tuple[str, ...] = ()

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        """The functions among the arguments."""
        raise NotImplementedError(self._name)

    def inputs_of(self, index: int, args: Sequence[Any]) -> list[Any]:
        """Values like those that a function is called with."""
        raise NotImplementedError(self._name)

    def traced_with(self, args: Sequence[Any], shape_env: Any) -> Sequence[Any]:
        """The arguments that functions are traced with.

        Args:
            args: those of the call
            shape_env: makes symbols, if there are any
        """
        return args

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        """The arguments with other functions, which take more tensors at their end."""
        raise NotImplementedError(self._name)

    def node_arguments(self, args: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a node that calls the operator."""
        return tuple(args), {}

    def eager(self, *args: Any) -> Any:
        """Do what the operator means."""
        raise NotImplementedError(self._name)

    def fake(self, *args: Any) -> Any:
        """What the result is like, where elements are not known."""
        return self.eager(*args)

    def gradient(self, args: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        """Gradients of the arguments' tensors, in their order, from those of the results."""
        raise NotImplementedError(
            f"{self._name}: gradients are not supported where the call is traced"
        )

    # The names of the arguments; those with a star are lists.
    argument_names: tuple[str, ...] = ()

    def gen_schema(self, /, *args: Any) -> HopSchema:
        """What a call takes and gives, flat."""
        if not self.argument_names:
            raise NotImplementedError(f"{self._name}: there is no schema of its calls")
        taken = []
        for name, value in zip(self.argument_names, args):
            if name.endswith("*"):
                taken += [f"{_type_of(one)} {name[:-1]}{k}" for k, one in enumerate(value)]
            else:
                taken.append(f"{_type_of(value)} {name}")
        last = len(self.functions(args)) - 1
        with rushlight.no_grad():
            outs = self.functions(args)[last](*self.inputs_of(last, args))
        given = ", ".join(map(_type_of, outs))
        returned = f"({given})" if len(outs) != 1 else f"(({given}))"
        return HopSchema(self._name, tuple(taken), returned)

    # -- calls --

    def dispatch(self, /, *args: Any, **kwargs: Any) -> Any:
        """Let the first that has something to say answer a call."""
        from rushlight import overrides

        leaves = pytree.tree_leaves((args, kwargs))
        if overrides.has_torch_function(leaves):
            return overrides.handle_torch_function(self, leaves, *args, **kwargs)
        return self._answer(args, kwargs, leaves)

    def _answer(self, args: Any, kwargs: Any, leaves: list[Any]) -> Any:
        from rushlight._higher_order_ops import tracing

        if type(self).eager is not HigherOrderOperator.eager:
            wants = state.thread.grad_enabled and any(
                isinstance(x, Tensor) and x.requires_grad  # type: ignore[attr-defined]
                for x in leaves
            )
            return tracing.answer(self, args, wants)
        kernels = self.py_kernels
        top = layers.top()
        if top is not None and top.kind in kernels:
            from rushlight._functorch.pyfunctorch import retrieve_current_functorch_interpreter

            return kernels[top.kind](retrieve_current_functorch_interpreter(), *args, **kwargs)
        backend = next((x.device.type.upper() for x in leaves if isinstance(x, Tensor)), "CPU")  # type: ignore[attr-defined]
        if not state.thread.excluded & keys.AUTOGRAD:
            for key in f"Autograd{backend}", "Autograd":
                if key in kernels:
                    return kernels[key](*args, **kwargs)
        for mode in reversed(modes.stack()):
            if tracing.is_functional(mode) and self._functionalized is not None:
                return tracing.with_context(mode, self._functionalized, args, kwargs)
            found = kernels.get(type(mode))
            if found is not None:
                with tracing.without(mode):
                    return found(mode, *args, **kwargs)
        for key in backend, "CompositeExplicitAutograd", "CompositeImplicitAutograd":
            if key in kernels:
                return kernels[key](*args, **kwargs)
        self._refuse()

    def _refuse(self) -> NoReturn:
        top = layers.top()
        where = "" if top is None else f" within {top.kind}"
        raise NotImplementedError(
            f"There was no rule registered for HigherOrderOperator {self._name}{where}"
        )
