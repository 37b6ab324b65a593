"""Checking the sizes that programs say their tensors have; `Dyn` stands for what is not said."""

from __future__ import annotations

import itertools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.fx.experimental.refinement_types import Equality
from rushlight.fx.experimental.unification import Var
from rushlight.fx.node import Node, map_arg
from rushlight.fx.tensor_type import Dyn, TensorType, is_consistent, is_more_precise

__all__ = ["GraphTypeChecker", "Refine", "broadcast_types", "get_greatest_upper_bound"]

nn = rushlight.nn

_INFERENCE_RULES: dict[Any, Callable[..., Any]] = {}
_REFINEMENT_RULES: dict[Any, Callable[..., Any]] = {}
_RULES: dict[Any, Callable[..., Any]] = {}


def register_inference_rule(call_target: Any) -> Callable[[Any], Any]:
    """A decorator: the function finds the type of calls of a function, or of modules of a class."""
    return _registered(_INFERENCE_RULES, call_target)


def register_refinement_rule(call_target: Any) -> Callable[[Any], Any]:
    """A decorator: the function gives what must be equal in such calls."""
    return _registered(_REFINEMENT_RULES, call_target)


def register_algebraic_expressions_inference_rule(call_target: Any) -> Callable[[Any], Any]:
    """A decorator: the function gives such calls types with expressions of the sizes they get."""
    return _registered(_RULES, call_target)


def _registered(rules: dict[Any, Callable[..., Any]], target: Any) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        if target in rules:
            raise RuntimeError(f"Rule already registered for {target}!")
        rules[target] = function
        return function

    return register


# -- types --


def expand_to_tensor_dim(t: Any, n: int) -> TensorType:
    """A type as one of a tensor of so many dimensions."""
    if t == Dyn:
        return TensorType(tuple([Dyn] * n))
    if isinstance(t, TensorType):
        if len(t.__args__) != n:
            raise TypeError(
                f"Cannot extend tensor. Tensor {t} has rank {len(t.__args__)}. It should have "
                f"rank {n}"
            )
        return t
    raise TypeError(f"Cannot extend the type {t}")


def broadcast_types(t1: Any, t2: Any) -> tuple[Any, Any]:
    """Two types as tensors take part in one operation: sizes of 1 are repeated."""
    if t1 == Dyn or t2 == Dyn or isinstance(t1, Var) or isinstance(t2, Var):
        return t1, t2
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        raise TypeError(f"Cannot broadcast types {t1} and {t2}")
    first, second = list(t1.__args__), list(t2.__args__)
    first = [1] * (len(second) - len(first)) + first
    second = [1] * (len(first) - len(second)) + second
    for index, (one, other) in enumerate(zip(first, second)):
        if one == 1:
            first[index] = other
        elif other == 1:
            second[index] = one
    return TensorType(tuple(first)), TensorType(tuple(second))


def get_greatest_upper_bound(type1: Any, type2: Any) -> Any:
    """What two types say together."""
    if type1 == Dyn:
        return type2
    if type2 == Dyn:
        return type1
    if isinstance(type1, TensorType) and isinstance(type2, TensorType):
        if not is_consistent(type1, type2):
            raise TypeError(f"Inconsistent types {type1}, {type2}")
        sizes = [a if is_more_precise(a, b) else b for a, b in zip(type1.__args__, type2.__args__)]
        return TensorType(tuple(sizes))
    return type1 if type1 == type2 else None


def _refused(module: Any, kind: Any, node: Node) -> TypeError:
    return TypeError(
        f"Cannot apply {module} with input type {kind} and existing type {node.type} on {node}"
    )


def calculate_out_dimension(d_in: Any, module_instance: Any, index: int) -> Any:
    """A size behind a convolution or pooling."""
    if d_in == Dyn:
        return Dyn
    if isinstance(d_in, Var):
        # What it is depends on a number that is not known.
        return Dyn
    if not isinstance(d_in, int) and not _is_symbol(d_in):
        raise TypeError(
            f"{d_in} in {module_instance} must be a number or Dyn. Received {type(d_in)}"
        )

    def of(name: str) -> Any:
        value = getattr(module_instance, name)
        return value if isinstance(value, int) else value[index]

    reach = d_in + 2 * of("padding") - of("dilation") * (of("kernel_size") - 1) - 1
    return reach // of("stride") + 1


def _is_symbol(value: Any) -> bool:
    """Whether a value is a symbol of sympy, which is there only if somebody has imported it."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Symbol)


# -- types of calls --


@register_inference_rule(rushlight.add)
@register_inference_rule(operator.add)
def add_inference_rule(n: Node) -> Any:
    """A sum has the sizes of both, as far as both are known."""
    t1, t2 = n.args[0].type, n.args[1].type if isinstance(n.args[1], Node) else type(n.args[1])
    if t1 is int and isinstance(t2, TensorType):
        n.type = t2
        return n.type
    if t2 in (int, float) and (isinstance(t1, TensorType) or t1 is int):
        n.type = t1
        return n.type
    first, second = broadcast_types(t1, t2)
    n.meta["broadcast"] = first != t1 or second != t2
    if n.meta["broadcast"]:
        n.meta[str(n.args[0])] = first
        n.meta[str(n.args[1])] = second
    if not is_consistent(first, second):
        raise TypeError(
            f"Cannot add arguments {n.args[0]} ({t1}) and {n.args[1]} ({t2}) in node {n}. Types "
            f"should match"
        )
    n.type = second if is_more_precise(first, second) else first
    return n.type


@register_inference_rule(getattr)
def get_attr_inference_rule(n: Node, traced: Any) -> Any:
    """Sizes of a tensor are known if they are asked for."""
    if n.args[1] != "shape":
        raise TypeError("Not yet implemented")
    n.type = TensorType((Dyn,))
    return n.type


@register_inference_rule(rushlight.transpose)
def transpose_inference_rule(n: Node) -> Any:
    """Two sizes change places."""
    if n.target != rushlight.transpose:
        return None
    kind = n.args[0].type
    first, second = n.args[1], n.args[2]
    if kind == Dyn:
        n.type = Dyn
        return n.type
    if isinstance(kind, TensorType) and 0 <= first < len(kind.__args__) > second >= 0:
        sizes = list(kind.__args__)
        sizes[first], sizes[second] = sizes[second], sizes[first]
        n.type = get_greatest_upper_bound(TensorType(tuple(sizes)), n.type)
        return n.type
    raise TypeError(f"Cannot transpose {first} and {second} in type {kind} for node {n}")


@register_inference_rule(rushlight.reshape)
def reshape_inference_rule(n: Node) -> Any:
    """A tensor may have other sizes of as many elements."""
    kind, wanted = n.args[0].type, list(n.args[1])
    result = TensorType(tuple(Dyn if size == -1 else size for size in wanted))
    if kind == Dyn:
        n.type = result
        return result
    if isinstance(kind, TensorType):
        known = math.prod(size for size in kind.__args__ if size != Dyn)
        asked = math.prod(wanted)
        if known % asked == 0 or asked % known == 0:
            n.type = result
            return result
    raise TypeError(f"Cannot reshape in node {n} from {kind} to {result}")


def flatten_check(tensor_type: Any, start_dim: int, end_dim: int) -> TensorType:
    """Some sizes become one."""
    sizes = list(tensor_type.__args__)
    count = len(sizes)
    start = start_dim + count if start_dim < 0 else start_dim
    end = (end_dim + count if end_dim < 0 else end_dim) + 1
    if not (0 <= start <= count - 1 and 0 <= end <= count and start < end):
        raise TypeError(f"Incompatible dimensions {start}, {end - 1} in type {tensor_type}")
    middle = sizes[start:end]
    joined = Dyn if any(not isinstance(size, int) for size in middle) else math.prod(middle)
    return TensorType((*sizes[:start], joined, *sizes[end:]))


@register_inference_rule(rushlight.flatten)
def flatten_inference_rule(n: Node) -> Any:
    """Some sizes become one."""
    start = n.args[1] if len(n.args) > 1 else n.kwargs.get("start_dim", 0)
    end = n.args[2] if len(n.args) > 2 else n.kwargs.get("end_dim", -1)
    kind = n.args[0].type
    if kind == Dyn and isinstance(n.type, TensorType):
        n.args[0].type = kind = expand_to_tensor_dim(kind, len(n.type.__args__))
    if isinstance(kind, TensorType):
        n.type = get_greatest_upper_bound(flatten_check(kind, start, end), n.type)
    return n.type


@register_inference_rule(nn.BatchNorm2d)
def bn2d_inference_rule(n: Node, module_instance: Any) -> Any:
    """Sizes stay; the channels are known."""
    n.args[0].type = expand_to_tensor_dim(n.args[0].type, 4)
    kind = n.args[0].type
    n.type = expand_to_tensor_dim(n.type, 4)
    channels = module_instance.num_features
    if (
        is_consistent(kind.__args__[1], channels)
        and is_consistent(n.type.__args__[1], channels)
        and is_consistent(kind, n.type)
    ):
        n.type = get_greatest_upper_bound(kind, n.type)
        return n.type
    raise _refused(module_instance, kind, n)


@register_inference_rule(nn.Conv2d)
def conv2d_inference_rule(n: Node, module_instance: Any) -> Any:
    """The channels are the module's, the sizes are computed."""
    n.args[0].type = expand_to_tensor_dim(n.args[0].type, 4)
    kind = n.args[0].type
    before = expand_to_tensor_dim(n.type, 4)
    if not is_consistent(kind.__args__[1], module_instance.in_channels):
        raise _refused(module_instance, kind, n)
    sizes = [calculate_out_dimension(kind.__args__[2 + i], module_instance, i) for i in range(2)]
    result = TensorType((kind.__args__[0], module_instance.out_channels, *sizes))
    n.type = get_greatest_upper_bound(result, before)
    return n.type


@register_inference_rule(nn.ReLU)
def relu_inference_rule(n: Node, module_instance: Any) -> Any:
    """Sizes stay."""
    kind = n.args[0].type
    if kind == Dyn and isinstance(n.type, TensorType):
        n.args[0].type = kind = expand_to_tensor_dim(kind, len(n.type.__args__))
    if isinstance(kind, TensorType):
        n.type = get_greatest_upper_bound(kind, n.type)
    return n.type


def maxpool2d_check(typ: Any, module_instance: Any) -> TensorType:
    """The last two sizes are computed."""
    sizes = list(typ.__args__)
    if len(sizes) not in (3, 4):
        raise TypeError(f"Wrong size {typ} for {module_instance}")
    for index in range(2):
        sizes[index - 2] = calculate_out_dimension(sizes[index - 2], module_instance, index)
    return TensorType(tuple(sizes))


def adaptiveavgpool2d_check(tensor_type: Any, module_instance: Any) -> TensorType:
    """The last two sizes are the module's."""
    wanted = module_instance.output_size
    pair = (wanted, wanted) if isinstance(wanted, int) else wanted
    sizes = list(tensor_type.__args__)
    if len(sizes) not in (3, 4):
        raise TypeError(f"Tensor ranks must be 3 or 4. Got {tensor_type}")
    for index, size in enumerate(pair):
        if size is not None:
            sizes[index - 2] = size
    return TensorType(tuple(sizes))


def linear_check(tensor_type: Any, module_instance: Any) -> TensorType:
    """The last size is the module's."""
    *sizes, last = tensor_type.__args__
    if not sizes and len(tensor_type.__args__) < 2:
        raise TypeError(f"Type {tensor_type} must have rank 2 or more.")
    if not is_consistent(module_instance.in_features, last):
        raise TypeError(
            f"Inconsistent {module_instance.in_features} and {last} in {module_instance}"
        )
    return TensorType((*sizes, module_instance.out_features))


def _rule_of(check: Callable[[Any, Any], TensorType]) -> Callable[[Node, Any], Any]:
    """The rule of a module whose result has as many dimensions as what it gets."""

    def rule(n: Node, module_instance: Any) -> Any:
        kind = n.args[0].type
        if kind == Dyn and isinstance(n.type, TensorType):
            n.args[0].type = kind = expand_to_tensor_dim(kind, len(n.type.__args__))
        if isinstance(kind, TensorType):
            n.type = get_greatest_upper_bound(check(kind, module_instance), n.type)
        return n.type

    return rule


maxpool2d_inference_rule = register_inference_rule(nn.MaxPool2d)(_rule_of(maxpool2d_check))
adaptiveavgpool2d_inference_rule = register_inference_rule(nn.AdaptiveAvgPool2d)(
    _rule_of(adaptiveavgpool2d_check)
)
linear_inference_rule = register_inference_rule(nn.Linear)(_rule_of(linear_check))


class GraphTypeChecker:
    """Gives the nodes of a graph types, and finds those that do not go together.

    Args:
        env: types of what the program has from elsewhere
        traced: the module
    """

    def __init__(self, env: dict[str, Any], traced: Any) -> None:
        self.env = env
        self.traced = traced

    def type_check(self) -> bool:
        """Check all nodes. True, or an error."""
        for node in self.traced.graph.nodes:
            self.type_check_node(node)
        return True

    def type_check_node(self, n: Node) -> Any:
        """Check one node, whose arguments have been checked."""
        if n.type is None:
            n.type = Dyn
        if n.op == "placeholder":
            return n.type
        if n.op == "get_attr":
            found = self.traced
            for part in n.target.split("."):
                found = getattr(found, part)
            if isinstance(found, rushlight.Tensor):
                n.type = TensorType(tuple(found.shape))
            return n.type
        if n.op == "call_function":
            if n.target is getattr:
                return get_attr_inference_rule(n, self.traced)
            rule = _INFERENCE_RULES.get(n.target)
            if rule is None:
                raise RuntimeError(f"No inference rule registered for target {n.target}!")
            return rule(n)
        if n.op == "call_module":
            module = self.traced.get_submodule(n.target)
            rule = _INFERENCE_RULES.get(type(module))
            if rule is None:
                raise RuntimeError(f"No inference rule registered for class {type(module)}!")
            return rule(n, module)
        if n.op == "output":
            n.type = map_arg(n.args[0], lambda node: node.type)
            return n.type
        raise NotImplementedError(f"Method {n.op} not yet implemented")


# -- what must be equal --


def _pairs(n: Node) -> Any:
    """The sizes of what a node gets and of what it gives; nothing if they are not known."""
    given = n.args[0].type
    if isinstance(given, TensorType) and isinstance(n.type, TensorType):
        return list(zip(given.__args__, n.type.__args__))
    return []


@register_refinement_rule(nn.ReLU)
@register_refinement_rule(nn.BatchNorm2d)
def all_eq(n: Node) -> list[Any]:
    """All sizes stay."""
    return [Equality(a, b) for a, b in _pairs(n)]


@register_refinement_rule(nn.AdaptiveAvgPool2d)
@register_refinement_rule(nn.MaxPool2d)
def first_two_eq(n: Node) -> list[Any]:
    """The first two sizes stay."""
    return [Equality(a, b) for a, b in _pairs(n)[:2]]


@register_refinement_rule(nn.Conv2d)
@register_refinement_rule(nn.Linear)
@register_refinement_rule(rushlight.flatten)
def first_eq(n: Node) -> list[Any]:
    """The first size stays."""
    return [Equality(a, b) for a, b in _pairs(n)[:1]]


conv_refinement_rule = linear_refinement_rule = flatten_refinement_rule = first_eq


@register_refinement_rule(rushlight.add)
@register_refinement_rule(operator.add)
def element_wise_eq(n: Node) -> list[Any]:
    """Sizes of both operands are those of the sum, unless they are repeated."""
    if not all(isinstance(arg, Node) for arg in n.args[:2]):
        return []
    first, second = broadcast_types(n.args[0].type, n.args[1].type)
    if not all(isinstance(kind, TensorType) for kind in (first, second, n.type)):
        return []
    found = []
    for a, b, c in zip(first.__args__, second.__args__, n.type.__args__):
        found += [Equality(a, c), Equality(b, c)]
    return found


@register_algebraic_expressions_inference_rule(nn.Conv2d)
def conv_rule(n: Node, module_instance: Any) -> TensorType | None:
    """What a convolution's sizes are in terms of those it gets."""
    given = n.args[0].type if isinstance(n.args[0], Node) else None
    if not (isinstance(given, TensorType) and isinstance(n.type, TensorType)):
        return None
    sizes = [calculate_out_dimension(given.__args__[2 + i], module_instance, i) for i in range(2)]
    n.type = TensorType((*n.type.__args__[:2], *sizes))
    return n.type


class Refine:
    """Puts variables in the places of what is not known, and collects what must be equal.

    Args:
        traced: the module
    """

    def __init__(self, traced: Any) -> None:
        self.constraints: list[Any] = []
        self.traced = traced
        self.symbol_iter = itertools.count(start=0, step=1)

    def refine(self) -> bool:
        """Collect it from all nodes."""
        for node in self.traced.graph.nodes:
            self.refine_node(node)
        return True

    def symbolic_relations(self) -> bool:
        """Give nodes types with sympy's symbols, and expressions of them where rules have some."""
        for node in self.traced.graph.nodes:
            self.infer_symbolic_relations(node)
        return True

    def convert_to_sympy_symbols(self, typ: Any) -> Any:
        """A type with a symbol of sympy for each variable."""
        import sympy  # type: ignore[import-untyped]

        if isinstance(typ, Var):
            return sympy.Symbol(str(typ))
        if isinstance(typ, TensorType):
            return TensorType(tuple(self.convert_to_sympy_symbols(a) for a in typ.__args__))
        if isinstance(typ, (list, tuple)):
            return type(typ)(self.convert_to_sympy_symbols(item) for item in typ)
        return typ

    def infer_symbolic_relations(self, n: Node) -> Any:
        """Do so for one node, whose arguments have been seen to."""
        n.type = self.convert_to_sympy_symbols(n.type)
        if n.op == "call_function" and n.target in _RULES:
            return _RULES[n.target](n)
        if n.op == "call_module":
            module = self.traced.get_submodule(n.target)
            if type(module) in _RULES:
                return _RULES[type(module)](n, module)
        if n.op == "output":
            n.type = map_arg(n.args[0], lambda node: node.type)
        return n.type

    def replace_dyn_with_fresh_var(self, typ: Any) -> Any:
        """A type with a variable for each thing that is not known."""
        if typ == Dyn:
            return Var(next(self.symbol_iter))
        if isinstance(typ, TensorType):
            return TensorType(tuple(self.replace_dyn_with_fresh_var(a) for a in typ.__args__))
        if isinstance(typ, (list, tuple)):
            return type(typ)(self.replace_dyn_with_fresh_var(item) for item in typ)
        return typ

    def refine_node(self, n: Node) -> Any:
        """Collect it from one node."""
        if n.type is None:
            n.type = Dyn
        n.type = self.replace_dyn_with_fresh_var(n.type)
        target = n.target
        if n.op == "call_module":
            target = type(self.traced.get_submodule(n.target))
        if n.op in ("call_function", "call_module") and target in _REFINEMENT_RULES:
            self.constraints += _REFINEMENT_RULES[target](n)
        if n.op == "output":
            n.type = map_arg(n.args[0], lambda node: node.type)
        return n.type
