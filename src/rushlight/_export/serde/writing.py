"""From an exported program to what its JSON file says."""

from __future__ import annotations

import inspect
import json
import math
import operator
from typing import Any

import rushlight
from rushlight._export.serde import expressions
from rushlight._export.serde.names import (
    DTYPES,
    LAYOUTS,
    MEMORY_FORMATS,
    OPERATIONS,
    SCHEMA_VERSION,
    TORCH_VERSION,
    SerializeError,
    name_of,
)
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.export import graph_signature as signatures
from rushlight.export.graph_signature import InputKind, OutputKind
from rushlight.fx.experimental.sym_node import constant_of, hint_of
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.utils import _pytree as pytree

__all__ = ["program_as_json", "tensor_as_json"]

Json = dict[str, Any]
_POSITIONAL, _KEYWORD = 1, 2
_KINDS = {
    OutputKind.USER_OUTPUT: ("user_output", None),
    OutputKind.LOSS_OUTPUT: ("loss_output", None),
    OutputKind.BUFFER_MUTATION: ("buffer_mutation", "buffer_name"),
    OutputKind.PARAMETER_MUTATION: ("parameter_mutation", "parameter_name"),
    OutputKind.GRADIENT_TO_PARAMETER: ("gradient_to_parameter", "parameter_name"),
    OutputKind.GRADIENT_TO_USER_INPUT: ("gradient_to_user_input", "user_input_name"),
    OutputKind.USER_INPUT_MUTATION: ("user_input_mutation", "user_input_name"),
}


def program_as_json(program: Any) -> Json:
    """What the file of a program says."""
    return {
        "graph_module": _Writer(program).module(),
        "opset_version": {"aten": 10},
        "range_constraints": {
            str(symbol): {"min_val": _limit(r.lower), "max_val": _limit(r.upper)}
            for symbol, r in program.range_constraints.items()
        },
        "schema_version": {"major": SCHEMA_VERSION[0], "minor": SCHEMA_VERSION[1]},
        "verifiers": [v.dialect for v in program.verifiers],
        "torch_version": TORCH_VERSION,
        "guards_code": list(program._guards_code),
    }


def _limit(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def symint_as_json(value: Any) -> Json:
    """A size, plain or symbolic."""
    plain = constant_of(value) if isinstance(value, SymInt) else int(value)
    if plain is not None:
        return {"as_int": plain}
    hint = hint_of(value)
    told = None if hint is None else {"as_int": hint}
    return {"as_expr": {"expr_str": expressions.written(value), "hint": told}}


def _device(device: Any) -> Json:
    return {"type": device.type, "index": device.index}


def tensor_as_json(t: Any) -> Json:
    """What a tensor is like."""
    return {
        "dtype": DTYPES[t.dtype],
        "sizes": [symint_as_json(n) for n in t._size_],
        "requires_grad": t.requires_grad,
        "device": _device(t.device),
        "strides": [symint_as_json(n) for n in t._stride_],
        "storage_offset": symint_as_json(t._offset_),
        "layout": LAYOUTS[t.layout],
    }


class _Writer:
    """Writes one program.

    Args:
        program: the program
    """

    def __init__(self, program: Any) -> None:
        self.program = program
        self.namedtuples: Json = {}

    def module(self) -> Json:
        """The graph, its signature and the modules that it calls."""
        signature = self.program.graph_signature
        return {
            "graph": _GraphWriter(self.program.graph_module).written(signature),
            "signature": {
                "input_specs": [_input_spec(s) for s in signature.input_specs],
                "output_specs": [_output_spec(s) for s in signature.output_specs],
            },
            "module_call_graph": [
                {"fqn": entry.fqn, "signature": self._call(entry.signature)}
                for entry in self.program.module_call_graph
            ],
            "metadata": {},
            "treespec_namedtuple_fields": self.namedtuples,
        }

    def _call(self, signature: Any) -> Json | None:
        if signature is None:
            return None
        return {
            "inputs": [_spec_argument(x) for x in signature.inputs],
            "outputs": [_spec_argument(x) for x in signature.outputs],
            "in_spec": self._structure(signature.in_spec),
            "out_spec": self._structure(signature.out_spec),
            "forward_arg_names": signature.forward_arg_names or None,
        }

    def _structure(self, spec: Any) -> str:
        self._note_namedtuples(spec)
        return pytree.treespec_dumps(spec, 1)

    def _note_namedtuples(self, spec: Any) -> None:
        if spec.is_leaf():
            return
        if pytree.is_namedtuple_class(spec.context):
            name = pytree._dotted_name(spec.context)
            self.namedtuples[name] = {"field_names": list(spec.context._fields)}
        for child in spec.children():
            self._note_namedtuples(child)


def _spec_argument(arg: Any) -> Json:
    if isinstance(arg, signatures.TensorArgument):
        return {"as_tensor": {"name": arg.name}}
    for kind, name in (
        (signatures.SymIntArgument, "as_sym_int"), (signatures.SymFloatArgument, "as_sym_float"),
        (signatures.SymBoolArgument, "as_sym_bool"),
    ):  # fmt: skip
        if isinstance(arg, kind):
            return {name: {"as_name": arg.name}}
    if isinstance(arg, signatures.ConstantArgument):
        return _constant(arg.value)
    raise SerializeError(f"{arg} cannot be written")


def _constant(value: Any) -> Json:
    for kind, name in (
        (bool, "as_bool"), (str, "as_string"), (int, "as_int"), (float, "as_float"),
    ):  # fmt: skip
        if type(value) is kind:
            return {name: _number(value)}
    if value is None:
        return {"as_none": True}
    if type(value) is complex:
        return {"as_complex": {"real": value.real, "imag": value.imag}}
    raise SerializeError(f"a constant of type {type(value)} cannot be written")


def _number(value: Any) -> Any:
    """What JSON has no numbers for, by name."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _input_spec(spec: Any) -> Json:
    if spec.kind is InputKind.USER_INPUT:
        if isinstance(spec.arg, signatures.ConstantArgument):
            return {"constant_input": {"name": spec.arg.name, "value": _constant(spec.arg.value)}}
        return {"user_input": {"arg": _spec_argument(spec.arg)}}
    arg = {"name": spec.arg.name}
    if spec.kind is InputKind.PARAMETER:
        return {"parameter": {"arg": arg, "parameter_name": spec.target}}
    if spec.kind is InputKind.BUFFER:
        return {"buffer": {"arg": arg, "buffer_name": spec.target, "persistent": spec.persistent}}
    if spec.kind is InputKind.CONSTANT_TENSOR:
        return {"tensor_constant": {"arg": arg, "tensor_constant_name": spec.target}}
    raise SerializeError(f"{spec} cannot be written")


def _output_spec(spec: Any) -> Json:
    kind, target = _KINDS[spec.kind]
    if spec.kind is OutputKind.USER_OUTPUT:
        return {kind: {"arg": _spec_argument(spec.arg)}}
    told = {} if target is None else {target: spec.target}
    return {kind: {"arg": {"name": spec.arg.name}, **told}}


class _GraphWriter:
    """Writes one graph.

    Args:
        module: has the graph and the graphs within
    """

    def __init__(self, module: GraphModule) -> None:
        self.module = module
        self.tensors: Json = {}
        self.symints: Json = {}
        self.symfloats: Json = {}
        self.symbools: Json = {}
        self.nodes: list[Json] = []

    def written(self, signature: Any = None) -> Json:
        """The graph; with a signature its inputs may be constants."""
        inputs = []
        for node in self.module.graph.find_nodes(op="placeholder"):
            value = node.meta.get("val")
            inputs.append(self._output(node.name, value) if _is_value(value) else _constant(value))
        for node in self.module.graph.nodes:
            if node.op == "call_function":
                self._call(node)
        returned = self.module.graph.output_node().args[0]
        is_single = not isinstance(returned, (tuple, list))
        outputs = [self.argument(x) for x in ([returned] if is_single else returned)]
        return {
            "inputs": inputs, "outputs": outputs, "nodes": self.nodes, "tensor_values": self.tensors,
            "sym_int_values": self.symints, "sym_bool_values": self.symbools,
            "is_single_tensor_return": is_single, "custom_obj_values": {},
            "sym_float_values": self.symfloats,
        }  # fmt: skip

    def _call(self, node: Node) -> None:
        target = node.target
        if target is operator.getitem and isinstance(node.args[0], Node):
            return
        value = node.meta.get("val")
        single: bool | None = None
        if target in OPERATIONS:
            names = list(inspect.signature(target).parameters)  # type: ignore[arg-type]
            inputs = [
                {"name": name, "arg": self.argument(a), "kind": _POSITIONAL}
                for name, a in zip(names, node.args)
            ]
            outputs = [self._output(node.name, value)]
        elif isinstance(target, Operator):
            inputs, outputs = self._inputs(node), self._outputs(node)
        elif isinstance(target, HigherOrderOperator):
            inputs = [{"name": "", "arg": self.argument(a), "kind": _POSITIONAL} for a in node.args]
            inputs += [
                {"name": n, "arg": self.argument(a), "kind": _KEYWORD}
                for n, a in node.kwargs.items()
            ]
            outputs, single = self._unpacked(node), isinstance(value, Tensor)
        else:
            raise SerializeError(f"Serializing {target} is not supported")
        self.nodes.append({
            "target": name_of(target), "inputs": inputs, "outputs": outputs,
            "metadata": _metadata(node), "is_hop_single_tensor_return": single, "name": node.name,
        })  # fmt: skip

    def _inputs(self, node: Node) -> list[Json]:
        found = []
        schema = node.target.schema  # type: ignore[union-attr]
        for k, argument in enumerate(schema.arguments):
            if argument.name in node.kwargs:
                value, kind = node.kwargs[argument.name], _KEYWORD
            elif not argument.keyword_only and k < len(node.args):
                value, kind = node.args[k], _POSITIONAL
            else:
                continue
            arg = self.argument(value, argument.type)
            found.append({"name": argument.name, "arg": arg, "kind": kind})
        return found

    def _outputs(self, node: Node) -> list[Json]:
        returns = node.target.schema.returns  # type: ignore[union-attr]
        if not returns:
            return []
        value = node.meta["val"]
        if len(returns) == 1 and isinstance(value, (list, tuple)):
            return [{"as_tensors": self._parts(node, value)}]
        if len(returns) == 1:
            return [self._output(node.name, value)]
        return self._unpacked(node)

    def _unpacked(self, node: Node) -> list[Json]:
        value = node.meta.get("val")
        if not isinstance(value, (tuple, list)):
            return [self._output(node.name, value)]
        found = []
        for k, part in enumerate(value):
            if isinstance(part, (list, tuple)):
                user = self._user(node, k)
                found.append(
                    {"as_tensors": self._parts(user or node, part, "" if user else f"_{k}")}
                )
            else:
                found.append(self._output(self._name(node, k), part))
        return found

    def _parts(self, node: Node, values: Any, suffix: str = "") -> list[Json]:
        found = []
        for k, part in enumerate(values):
            name = self._name(node, k) if not suffix else f"{node.name}_unused{suffix}_{k}"
            self.tensors[name] = tensor_as_json(part)
            found.append({"name": name})
        return found

    def _user(self, node: Node, index: int) -> Node | None:
        """The node that fetches a part of a result."""
        for user in node.users:
            if user.target is operator.getitem and user.args[1] == index:
                return user
        return None

    def _name(self, node: Node, index: int) -> str:
        user = self._user(node, index)
        return f"{node.name}_unused_{index}" if user is None else user.name

    def _output(self, name: str, value: Any) -> Json:
        """A value with a name."""
        if value is None:
            return {"as_none": True}
        if isinstance(value, Tensor):
            self.tensors[name] = tensor_as_json(value)
            return {"as_tensor": {"name": name}}
        if isinstance(value, (bool, SymBool)):
            self.symbools[name] = (
                {"as_bool": value}
                if isinstance(value, bool)
                else {"as_expr": {"expr_str": expressions.written(value), "hint": None}}
            )
            return {"as_sym_bool": {"as_name": name}}
        if isinstance(value, (int, SymInt)):
            self.symints[name] = symint_as_json(value)
            return {"as_sym_int": {"as_name": name}}
        if isinstance(value, (float, SymFloat)):
            self.symfloats[name] = (
                {"as_float": value}
                if isinstance(value, float)
                else {"as_expr": {"expr_str": expressions.written(value), "hint": None}}
            )
            return {"as_sym_float": {"as_name": name}}
        raise SerializeError(f"{name} has a value of type {type(value)}, which cannot be written")

    def argument(self, value: Any, kind: Any = None) -> Json:
        """An argument of a call; `kind` is the type that its schema has for it."""
        if isinstance(value, Node):
            return self._node(value)
        if isinstance(value, (list, tuple)):
            return self._list(list(value), kind)
        if isinstance(value, dict):
            return {"as_string_to_argument": {k: self.argument(v) for k, v in value.items()}}
        for names, name in (
            (DTYPES, "as_scalar_type"), (MEMORY_FORMATS, "as_memory_format"), (LAYOUTS, "as_layout"),
        ):  # fmt: skip
            if value.__hash__ is not None and type(value) is type(next(iter(names))):
                return {name: names[value]}
        if isinstance(value, rushlight.device):
            return {"as_device": _device(value)}
        if isinstance(value, (Operator, HigherOrderOperator)):
            return {"as_operator": name_of(value)}
        return _constant(value)

    def _node(self, node: Node) -> Json:
        if node.op == "get_attr":
            inner = getattr(self.module, str(node.target))
            if not isinstance(inner, GraphModule):
                raise SerializeError(f"{node.target} is fetched, but is no graph")
            graph = _GraphWriter(inner).written()
            return {"as_graph": {"name": node.target, "graph": graph}}
        return self._named(node)

    def _named(self, node: Node) -> Json:
        value = node.meta.get("val")
        for kind, name in (
            (SymInt, "as_sym_int"),
            (SymFloat, "as_sym_float"),
            (SymBool, "as_sym_bool"),
        ):
            if isinstance(value, kind):
                return {name: {"as_name": node.name}}
        return {"as_tensor": {"name": node.name}}

    def _list(self, values: list[Any], kind: Any) -> Json:
        if not values:
            return {_EMPTY.get(getattr(kind, "leaf", ""), "as_tensors"): []}
        kinds = {type(v) for v in values}
        for plain, name in (
            (bool, "as_bools"),
            (int, "as_ints"),
            (float, "as_floats"),
            (str, "as_strings"),
        ):
            if kinds == {plain}:
                return {name: [_number(v) for v in values]}
        nodes = [v for v in values if isinstance(v, Node)]
        symbols = [v.meta.get("val") for v in nodes]
        for symbol, plain, one in (
            (SymInt, int, "as_int"), (SymFloat, float, "as_float"), (SymBool, bool, "as_bool"),
        ):  # fmt: skip
            if nodes and all(isinstance(s, (symbol, plain)) for s in symbols):
                found = [{"as_name": v.name} if isinstance(v, Node) else {one: v} for v in values]
                return {one.replace("as_", "as_sym_") + "s": found}
        if len(nodes) == len(values):
            return {"as_tensors": [{"name": v.name} for v in values]}
        if all(v is None or isinstance(v, Node) for v in values):
            return {
                "as_optional_tensors": [
                    {"as_none": True} if v is None else {"as_tensor": {"name": v.name}}
                    for v in values
                ]
            }
        if all(isinstance(v, (list, tuple)) for v in values):
            inner = [self._list(list(v), None) for v in values]
            names = {next(iter(one)) for one in inner}
            wanted = {
                "as_tensors": "as_nested_tensors",
                "as_ints": "as_int_lists",
                "as_floats": "as_float_lists",
            }
            if len(names) == 1 and (name := names.pop()) in wanted:
                return {wanted[name]: [next(iter(one.values())) for one in inner]}
        raise SerializeError(f"a list of {kinds} cannot be written")


_EMPTY = {
    "bool": "as_bools", "int": "as_ints", "SymInt": "as_ints", "float": "as_floats", "str": "as_strings",
    "Tensor": "as_tensors",
}  # fmt: skip


def _is_value(value: Any) -> bool:
    return isinstance(value, (Tensor, SymInt, SymFloat, SymBool))


def _metadata(node: Node) -> dict[str, str]:
    found = {}
    if node.meta.get("stack_trace"):
        found["stack_trace"] = node.meta["stack_trace"]
    stack = node.meta.get("nn_module_stack")
    if stack:
        found["nn_module_stack"] = ";".join(
            f"{key},{path},{kind}" for key, (path, kind) in stack.items()
        )
    if node.meta.get("torch_fn"):
        found["torch_fn"] = ";".join(node.meta["torch_fn"])
    if node.meta.get("custom"):
        found["custom"] = json.dumps(node.meta["custom"])
    return found
