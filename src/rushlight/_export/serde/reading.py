"""From what a JSON file says to an exported program."""

from __future__ import annotations

import json
import keyword
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
    SerializeError,
    function_of,
)
from rushlight._export.verifier import load_verifier
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._subclasses.fake_tensor import FakeTensorMode
from rushlight.engine.dispatch.operator import Operator
from rushlight.export.exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from rushlight.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from rushlight.fx.experimental.sym_node import Expression
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree
from rushlight.utils._sympy.value_ranges import ValueRanges

__all__ = ["device_of", "program_of"]

Json = dict[str, Any]
_DTYPES = {number: dtype for dtype, number in DTYPES.items()}
_LAYOUTS = {number: layout for layout, number in LAYOUTS.items()}
_FORMATS = {number: form for form, number in MEMORY_FORMATS.items()}
_FLOATS = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}
_KEYWORD = 2
# Symbols of which a file says no value.
_USUAL = 8
_OUTPUTS = {
    "user_output": (OutputKind.USER_OUTPUT, None),
    "loss_output": (OutputKind.LOSS_OUTPUT, None),
    "buffer_mutation": (OutputKind.BUFFER_MUTATION, "buffer_name"),
    "parameter_mutation": (OutputKind.PARAMETER_MUTATION, "parameter_name"),
    "gradient_to_parameter": (OutputKind.GRADIENT_TO_PARAMETER, "parameter_name"),
    "gradient_to_user_input": (OutputKind.GRADIENT_TO_USER_INPUT, "user_input_name"),
    "user_input_mutation": (OutputKind.USER_INPUT_MUTATION, "user_input_name"),
}


def _only(union: Json) -> tuple[str, Any]:
    """What a union is, and its value."""
    found = [
        (name, value) for name, value in union.items() if value is not None or name == "as_none"
    ]
    if len(found) != 1:
        raise SerializeError(f"expected one value, got {union}")
    return found[0]


def device_of(told: Json) -> Any:
    """A device."""
    index = told.get("index")
    return (
        rushlight.device(told["type"]) if index is None else rushlight.device(told["type"], index)
    )


def program_of(
    told: Json, state_dict: dict[str, Any], constants: dict[str, Any], example_inputs: Any = None
) -> ExportedProgram:
    """The program that a file tells of.

    Args:
        told: the file
        state_dict: parameters and buffers
        constants: other tensors
        example_inputs: what the program was exported with
    """
    version = told["schema_version"]["major"]
    if version != SCHEMA_VERSION[0]:
        raise SerializeError(
            f"Serialized schema version {version} does not match our current schema version {SCHEMA_VERSION[0]}."
        )
    ranges = told["range_constraints"]
    symbols = _Symbols(told["graph_module"]["graph"], ranges)
    inner = told["graph_module"]
    signature = ExportGraphSignature(
        [_input_spec(s) for s in inner["signature"]["input_specs"]],
        [_output_spec(s) for s in inner["signature"]["output_specs"]],
    )
    module = _GraphReader(symbols).module(inner["graph"], signature)
    program = ExportedProgram(
        module,
        module.graph,
        signature,
        state_dict,
        {
            symbols.of_name(name): ValueRanges(
                "-int_oo" if r["min_val"] is None else r["min_val"],
                "int_oo" if r["max_val"] is None else r["max_val"],
            )
            for name, r in ranges.items()
        },
        [
            ModuleCallEntry(entry["fqn"], _call_signature(entry.get("signature")))
            for entry in inner["module_call_graph"]
        ],
        example_inputs,
        constants,
        verifiers=[load_verifier(name) for name in told.get("verifiers") or ["TRAINING"]],
    )
    program._guards_code = list(told.get("guards_code") or [])
    return program


class _Symbols:
    """The symbols of a file.

    Args:
        graph: the graph, whose values tell examples of them
        ranges: between which numbers they lie
    """

    def __init__(self, graph: Json, ranges: Json) -> None:
        self.env = ShapeEnv()
        self.mode = FakeTensorMode(
            shape_env=self.env, static_shapes=True, allow_non_fake_inputs=True, export=True
        )
        self.ranges = ranges
        self.values = dict(_examples(graph))

    def symbol(self, name: str) -> Any:
        """A symbol by name."""
        known = self.env._by_name.get(name)
        if known is not None:
            return known
        limits = self.ranges.get(name, {})
        low, high = limits.get("min_val"), limits.get("max_val")
        least = float("-inf") if low is None else low
        most = float("inf") if high is None else high
        if name.startswith("zuf"):
            made: Any = self.env.create_unbacked_symfloat(name)
        elif name.startswith("u"):
            made = self.env._trace.unknown(name, least, most)
            self.env._counts["u"] = max(self.env._counts["u"], int(name[1:]) + 1)
        else:
            made = self.env._trace.symbol(name, self.values.get(name, _USUAL), max(least, 2), most)
            self.env.backed_var_to_val[Expression(made)] = self.values.get(name, _USUAL)
        self.env._by_name[name] = made
        return made

    def of_name(self, text: str) -> Expression:
        """The key of a range: a symbol, or a text over such."""
        return Expression(self.symbol(text) if text.isidentifier() else _Text(text))

    def number(self, told: Json) -> Any:
        """A plain or symbolic number."""
        kind, value = _only(told)
        if kind != "as_expr":
            return _FLOATS.get(value, value) if isinstance(value, str) else value
        return expressions.read(value["expr_str"], self.env, self.symbol)

    def tensor(self, told: Json) -> Any:
        """A fake of what a tensor is like."""
        sizes = [self.number(n) for n in told["sizes"]]
        strides = [self.number(n) for n in told["strides"]]
        with self.mode:
            made = rushlight.empty_strided(
                sizes, strides, dtype=_DTYPES[told["dtype"]], device=device_of(told["device"])
            )
        return made.requires_grad_() if told["requires_grad"] else made


class _Text:
    """An expression that nothing is asked of but its text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def _examples(graph: Json) -> Any:
    """The values that symbols had where a program was exported."""
    sizes = [n for t in graph["tensor_values"].values() for n in t["sizes"]]
    for told in (*sizes, *graph["sym_int_values"].values()):
        expression = told.get("as_expr")
        if expression and expression.get("hint") and expression["expr_str"].startswith("Symbol("):
            yield expression["expr_str"].split("'")[1], expression["hint"]["as_int"]


class _GraphReader:
    """Reads one graph.

    Args:
        symbols: those of the file
    """

    def __init__(self, symbols: _Symbols) -> None:
        self.symbols = symbols
        self.graph = Graph()
        self.root = Module()
        self.nodes: dict[str, Node] = {}
        self.told: Json = {}

    def module(self, told: Json, signature: ExportGraphSignature | None = None) -> GraphModule:
        """The module of a graph."""
        self.told = told
        for place, given in enumerate(told["inputs"]):
            kind, value = _only(given)
            if kind in ("as_tensor", "as_sym_int", "as_sym_float", "as_sym_bool"):
                name = value.get("name") or value["as_name"]
                self._know(name, self._placeholder(name))
            else:
                name = "" if signature is None else signature.input_specs[place].arg.name
                self._placeholder(name or f"arg{place}").meta["val"] = self.argument(given)
        for node in told["nodes"]:
            self._call(node)
        outputs = [self.argument(x) for x in told["outputs"]]
        returned: Any = outputs[0] if told.get("is_single_tensor_return") else tuple(outputs)
        made = self.graph.output(returned)
        made.meta["val"] = pytree.tree_map_only(Node, lambda n: n.meta.get("val"), returned)
        return GraphModule(self.root, self.graph, "GraphModule")

    def _placeholder(self, name: str) -> Node:
        node = self.graph.placeholder(name)
        self.graph._graph_namespace._used_names.add(name)
        node.name = node.target = name
        return node

    def _know(self, name: str, node: Node) -> None:
        """Let a name of the file mean a node, whose value it tells."""
        self.nodes[name] = node
        if name in self.told["tensor_values"]:
            node.meta["val"] = self.symbols.tensor(self.told["tensor_values"][name])
            return
        for table in ("sym_int_values", "sym_float_values", "sym_bool_values"):
            if name in (self.told.get(table) or {}):
                node.meta["val"] = self.symbols.number(self.told[table][name])

    # -- nodes --

    def _call(self, told: Json) -> None:
        target = function_of(told["target"])
        given = [(i["name"], self.argument(i["arg"]), i.get("kind")) for i in told["inputs"]]
        if isinstance(target, Operator):
            args, kwargs = _by_schema(target, given)
        elif target in OPERATIONS:
            args, kwargs = tuple(value for _, value, _ in given), {}
        else:
            # Operators that take functions take tuples, for which files have no word of their own.
            plain = (v for name, v, kind in given if kind != _KEYWORD or not name)
            args = tuple(tuple(v) if isinstance(v, list) else v for v in plain)
            kwargs = {name: v for name, v, kind in given if kind == _KEYWORD and name}
        name = told.get("name") or self._name_of_output(told)
        node = self.graph.create_node("call_function", target, args, kwargs, name)
        meta = _metadata(told.get("metadata") or {})
        node.meta.update(meta)
        node.meta.setdefault("nn_module_stack", {})
        self._outputs(told, node, target)
        for value in args:
            if isinstance(value, Node) and value.op == "get_attr":
                value.meta.update(meta)

    @staticmethod
    def _name_of_output(told: Json) -> str | None:
        if len(told["outputs"]) != 1:
            return None
        _, value = _only(told["outputs"][0])
        return value.get("name") or value.get("as_name") if isinstance(value, dict) else None

    def _outputs(self, told: Json, node: Node, target: Any) -> None:
        outputs = told["outputs"]
        if not outputs:
            return
        is_function = isinstance(target, HigherOrderOperator)
        if len(outputs) == 1:
            kind, value = _only(outputs[0])
            if kind == "as_none":
                node.meta["val"] = None
                return
            if isinstance(value, dict) and not (
                is_function and told.get("is_hop_single_tensor_return") is False
            ):
                self._know(value.get("name") or value["as_name"], node)
                return
            if kind == "as_tensors":
                outputs = [{"as_tensor": one} for one in value]
        node.meta["val"] = tuple(self._part(node, k, one) for k, one in enumerate(outputs))

    def _part(self, node: Node, index: int, told: Json) -> Any:
        kind, value = _only(told)
        if kind == "as_none":
            return None
        name = None if kind == "as_tensors" else value.get("name") or value["as_name"]
        made = self.graph.create_node("call_function", operator.getitem, (node, index), {}, name)
        made.meta.update({k: v for k, v in node.meta.items() if k != "val"})
        if kind == "as_tensors":
            found = [self._part(made, k, {"as_tensor": one}) for k, one in enumerate(value)]
            made.meta["val"] = found
            return found
        self._know(str(name), made)
        return made.meta.get("val")

    # -- arguments --

    def argument(self, told: Json) -> Any:
        """An argument of a call."""
        kind, value = _only(told)
        reader = getattr(self, f"_{kind}", None)
        if reader is not None:
            return reader(value)
        if kind in ("as_float",):
            return float(_FLOATS.get(value, value)) if isinstance(value, str) else value
        if kind in ("as_floats",):
            return [_FLOATS.get(x, x) if isinstance(x, str) else x for x in value]
        if kind in _AS_IT_IS:
            return value
        raise SerializeError(f"an argument of kind {kind} cannot be read")

    def _as_none(self, value: Any) -> None:
        return None

    def _as_tensor(self, value: Json) -> Node:
        return self.nodes[value["name"]]

    def _as_tensors(self, value: list[Json]) -> list[Node]:
        return [self.nodes[one["name"]] for one in value]

    def _as_nested_tensors(self, value: list[list[Json]]) -> list[list[Node]]:
        return [self._as_tensors(one) for one in value]

    def _as_optional_tensor(self, value: Json) -> Node | None:
        return self.argument(value)  # type: ignore[no-any-return]

    def _as_optional_tensors(self, value: list[Json]) -> list[Node | None]:
        return [self.argument(one) for one in value]

    def _symbolic(self, value: Json) -> Any:
        kind, found = _only(value)
        return self.nodes[found] if kind == "as_name" else found

    _as_sym_int = _as_sym_float = _as_sym_bool = _symbolic

    def _symbolic_list(self, value: list[Json]) -> list[Any]:
        return [self._symbolic(one) for one in value]

    _as_sym_ints = _as_sym_floats = _as_sym_bools = _symbolic_list

    def _as_scalar_type(self, value: int) -> Any:
        return _DTYPES[value]

    def _as_memory_format(self, value: int) -> Any:
        return _FORMATS[value]

    def _as_layout(self, value: int) -> Any:
        return _LAYOUTS[value]

    def _as_device(self, value: Json) -> Any:
        return device_of(value)

    def _as_complex(self, value: Json) -> complex:
        return complex(value["real"], value["imag"])

    def _as_operator(self, value: str) -> Any:
        return function_of(value)

    def _as_string_to_argument(self, value: Json) -> Any:
        return {name: self.argument(one) for name, one in value.items()}

    def _as_graph(self, value: Json) -> Node:
        module = _GraphReader(self.symbols).module(value["graph"])
        self.root.add_module(value["name"], module)
        return self.graph.get_attr(value["name"])


_AS_IT_IS = {
    "as_int", "as_ints", "as_bool", "as_bools", "as_string", "as_strings", "as_int_lists",
    "as_float_lists",
}  # fmt: skip


def _by_schema(op: Operator, given: list[tuple[str, Any, Any]]) -> tuple[tuple[Any, ...], Json]:
    """Arguments by position and by name, as they were; older files do not say which."""
    values = {name: (value, kind) for name, value, kind in given}
    args, kwargs = [], {}
    for argument in op.schema.arguments:
        if argument.name not in values:
            continue
        value, kind = values[argument.name]
        if kind is None:
            is_named = argument.has_default or argument.keyword_only
        else:
            is_named = kind == _KEYWORD
        if is_named and not keyword.iskeyword(argument.name):
            kwargs[argument.name] = value
        else:
            args.append(value)
    return tuple(args), kwargs


def _metadata(told: dict[str, str]) -> Json:
    found: Json = {}
    if told.get("stack_trace"):
        found["stack_trace"] = told["stack_trace"]
    if told.get("nn_module_stack"):
        stack = {}
        for item in told["nn_module_stack"].split(";"):
            key, path, kind = item.split(",", 2)
            stack[key] = (path, kind)
        found["nn_module_stack"] = stack
    if told.get("torch_fn"):
        found["torch_fn"] = tuple(told["torch_fn"].split(";"))
    if told.get("custom"):
        found["custom"] = json.loads(told["custom"])
    return found


# -- signatures --


def _argument_spec(told: Json) -> Any:
    kind, value = _only(told)
    for name, spec in (
        ("as_sym_int", SymIntArgument), ("as_sym_float", SymFloatArgument),
        ("as_sym_bool", SymBoolArgument),
    ):  # fmt: skip
        if kind == name:
            return spec(value["as_name"])
    if kind == "as_tensor":
        return TensorArgument(value["name"])
    return ConstantArgument("", _constant(told))


def _constant(told: Json) -> Any:
    kind, value = _only(told)
    if kind == "as_none":
        return None
    return _FLOATS.get(value, value) if kind == "as_float" and isinstance(value, str) else value


def _input_spec(told: Json) -> InputSpec:
    kind, value = _only(told)
    if kind == "user_input":
        return InputSpec(InputKind.USER_INPUT, _argument_spec(value["arg"]), None)
    if kind == "constant_input":
        arg = ConstantArgument(value["name"], _constant(value["value"]))
        return InputSpec(InputKind.USER_INPUT, arg, None)
    arg_ = TensorArgument(value["arg"]["name"])
    if kind == "parameter":
        return InputSpec(InputKind.PARAMETER, arg_, value["parameter_name"])
    if kind == "buffer":
        return InputSpec(InputKind.BUFFER, arg_, value["buffer_name"], value["persistent"])
    if kind == "tensor_constant":
        return InputSpec(InputKind.CONSTANT_TENSOR, arg_, value["tensor_constant_name"])
    raise SerializeError(f"an input of kind {kind} cannot be read")


def _output_spec(told: Json) -> OutputSpec:
    kind, value = _only(told)
    if kind not in _OUTPUTS:
        raise SerializeError(f"an output of kind {kind} cannot be read")
    output, target = _OUTPUTS[kind]
    if output is OutputKind.USER_OUTPUT:
        return OutputSpec(output, _argument_spec(value["arg"]), None)
    return OutputSpec(output, TensorArgument(value["arg"]["name"]), target and value[target])


def _call_signature(told: Json | None) -> ModuleCallSignature | None:
    if told is None:
        return None
    return ModuleCallSignature(
        [_argument_spec(x) for x in told["inputs"]],
        [_argument_spec(x) for x in told["outputs"]],
        pytree.treespec_loads(told["in_spec"]),
        pytree.treespec_loads(told["out_spec"]),
        told.get("forward_arg_names"),
    )
