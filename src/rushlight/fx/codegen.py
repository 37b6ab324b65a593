"""Python code of graphs."""

from __future__ import annotations

import enum
import keyword
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import rushlight
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.engine.native.numpy_later import is_number
from rushlight.engine.native.records import dataclass
from rushlight.fx._names import is_ours
from rushlight.fx._namespace import _custom_builtins, _Namespace
from rushlight.fx.node import Node, _get_qualified_name, _type_repr
from rushlight.utils import _pytree as pytree

TransformCodeFunc = Callable[[list[str]], list[str]]

# Operators that have another form with the operands the other way round, by the names of functions.
reflectable_magic_methods = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "floordiv": "{} // {}",
    "truediv": "{} / {}",
    "div": "{} / {}",
    "mod": "{} % {}",
    "pow": "{} ** {}",
    "lshift": "{} << {}",
    "rshift": "{} >> {}",
    "and_": "{} & {}",
    "or_": "{} | {}",
    "xor": "{} ^ {}",
    "getitem": "{}[{}]",
    "matmul": "{} @ {}",
}
magic_methods = {
    "eq": "{} == {}",
    "ne": "{} != {}",
    "lt": "{} < {}",
    "gt": "{} > {}",
    "le": "{} <= {}",
    "ge": "{} >= {}",
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    **reflectable_magic_methods,
}
inplace_methods = {
    "iadd": "{} += {}",
    "iand": "{} &= {}",
    "ifloordiv": "{} //= {}",
    "ilshift": "{} <<= {}",
    "imod": "{} %= {}",
    "imul": "{} *= {}",
    "imatmul": "{} @= {}",
    "ior": "{} |= {}",
    "ipow": "{} **= {}",
    "irshift": "{} >>= {}",
    "isub": "{} -= {}",
    "itruediv": "{} /= {}",
    "ixor": "{} ^= {}",
    "setitem": "{}[{}] = {}",
}

_DIM, _BLUE, _PLAIN = "\033[2m", "\033[34m", "\033[0m"

_LETTERS = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "complex128": "c128",
    "complex64": "c64", "complex32": "c32", "int64": "i64", "int32": "i32", "int16": "i16",
    "int8": "i8", "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8", "bool": "b8",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn_x2": "f4e2m1fnx2",
    "bits1x8": "b1", "bits2x4": "b2", "bits4x2": "b4", "bits8": "b8", "bits16": "b16",
}  # fmt: skip


def dtype_letters(dtype: Any) -> str:
    """The short name of an element type: `f32` for `float32`."""
    name = str(dtype).removeprefix("torch.")
    return _LETTERS.get(name, name)


def described_tensor(
    value: Any, include_stride: bool = False, include_device: bool = False, colored: bool = False
) -> str | None:
    """The element type and sizes of a tensor, or of what is known of one."""
    if not (hasattr(value, "dtype") and hasattr(value, "shape")):
        return None
    kind, sizes = dtype_letters(value.dtype), str(list(value.shape))
    is_tensor = isinstance(value, rushlight.Tensor)
    stride = str(list(value.stride())) if include_stride and is_tensor else ""
    device = str(value.device) if include_device and is_tensor else ""
    if not colored:
        return f"{kind}{sizes}{stride}{device}"
    red, blue, dim, green = "\033[31m", _BLUE, _DIM, "\033[32m"
    text = f"{red}{kind}{_PLAIN}{blue}{sizes}{_PLAIN}"
    if is_tensor:
        text += f"{dim}{blue}{stride}{_PLAIN}{dim}{green}{device}{_PLAIN}"
    return text


@dataclass
class PythonCode:
    """The code of a graph.

    Attributes:
        src: the text
        globals: what its names mean
    """

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None
    _prologue_start: int = 0


@dataclass(frozen=True)
class _ParsedStackTrace:
    """The innermost place of a stack."""

    file: str
    lineno: str
    name: str
    code: str

    def get_summary_str(self) -> str:
        return f"File: {self.file}:{self.lineno} in {self.name}, code: {self.code}"


_FRAME = re.compile(r'^File "(.+)", line (\d+), in (.+)$')


def _parse_stack_trace(
    stack_trace: str, filter_fn: Callable[[str, str, str], bool] | None = None
) -> _ParsedStackTrace | None:
    """The innermost place that a stack names, of those that a filter lets pass."""
    if stack_trace is None:
        return None
    lines = stack_trace.strip().split("\n")
    for index in range(len(lines) - 2, -1, -1):
        match = _FRAME.match(lines[index].strip())
        if match:
            file, lineno, name = match.groups()
            code = lines[index + 1].strip()
            if filter_fn is None or filter_fn(file, name, code):
                return _ParsedStackTrace(file, lineno, name, code)
    return None


def _format_target(base: str, target: str) -> str:
    """An attribute of an expression; parts that are no identifiers go through `getattr`."""
    for part in target.split("."):
        is_name = part.isidentifier() and not keyword.iskeyword(part)
        base = f"{base}.{part}" if is_name else f'getattr({base}, "{part}")'
    return base


def _is_plain_pair(node: Node, name: str) -> bool:
    """Whether a call is `getattr(x, "name")` with a name that can stand behind a dot."""
    return (
        name == "getattr"
        and len(node.args) == 2
        and isinstance(node.args[1], str)
        and node.args[1].isidentifier()
    )


_ORIGINS = {
    list: typing.List,  # noqa: UP006
    dict: typing.Dict,  # noqa: UP006
    set: typing.Set,  # noqa: UP006
    frozenset: typing.FrozenSet,  # noqa: UP006
    tuple: typing.Tuple,  # noqa: UP006
}


def _identity(text: str) -> str:
    return text


def _dim(text: str) -> str:
    return f"{_DIM}{text}{_PLAIN}"


def _blue(text: str) -> str:
    return f"{_BLUE}{text}{_PLAIN}"


class _Writer:
    """Writes the body of one function."""

    def __init__(
        self,
        codegen: CodeGen,
        root_module: str,
        namespace: _Namespace,
        verbose: bool,
        include_stride: bool,
        include_device: bool,
        colored: bool,
        additional_meta: list[str] | None,
    ) -> None:
        self.codegen = codegen
        self.root = root_module
        self.namespace = namespace
        self.verbose = verbose
        self.include_stride = include_stride
        self.include_device = include_device
        self.additional_meta = additional_meta or []
        self.colored = colored
        self.dim = _dim if colored else _identity
        self.literal = _blue if colored else _identity
        self.free_vars: list[str] = []
        self.body: list[str] = []
        # The node that each part of the body is of.
        self.origin: list[int | None] = []
        self.globals: dict[str, Any] = {}
        self.wrapped: dict[str, None] = {}
        self.returned = ""
        self.names: dict[Node, str] = {}
        self.renamed: list[tuple[Node, Any]] = []

    # -- names --

    def add_global(self, hint: str, value: Any) -> str:
        """The name under which the code knows something."""
        if is_ours(value) and value is not rushlight.device:
            return _get_qualified_name(value)
        name = self.namespace.create_name(hint.replace(".", "_") if hint != "..." else hint, value)
        if name in self.globals:
            if self.globals[name] is not value:
                raise AssertionError(f"Global name {name} already assigned to different object")
            return name
        self.globals[name] = value
        return name

    def name(self, node: Node) -> str:
        found = self.names.get(node)
        if found is None:
            found = self.names[node] = self.namespace.create_name(node.name, node)
            if found != node.name or node._repr_fn is not None:
                # Others who print the node while the code is written print this name.
                self.renamed.append((node, node._repr_fn))
                node.__dict__["_repr_fn"] = self.name
        return found

    def type_text(self, value: Any) -> str:
        if value == ():
            return "()"
        if isinstance(value, types.UnionType):
            return "|".join(map(self.type_text, value.__args__))
        text = _type_repr(value)
        origin = getattr(value, "__origin__", None)
        if origin is None:
            return self.add_global(text, value)
        if not isinstance(value, types.GenericAlias):
            origin = _ORIGINS.get(origin, origin)
        name = self.add_global(_type_repr(origin), origin)
        inner = getattr(value, "__args__", None)
        if inner:
            return f"{name}[{','.join(map(self.type_text, inner))}]"
        return name

    # -- expressions --

    def text(self, value: Any) -> str:
        """An argument as an expression."""
        kind = type(value)
        if kind is Node:
            return self.name(value)
        if kind is int or kind is str or kind is float or value is None:
            return self.literal(repr(value))
        if isinstance(value, Node):
            return self.name(value)
        if isinstance(value, tuple):
            if hasattr(value, "_fields"):
                name = self.add_global(_get_qualified_name(kind), kind)
                return f"{name}({', '.join(map(self.text, value))})"
            if isinstance(value, rushlight.Size):
                return f"({', '.join(map(self.text, value))}{',' * (len(value) == 1)})"
            if len(value) == 1:
                return f"({self.text(value[0])},)"
            return f"({', '.join(map(self.text, value))})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, dict):
            # Colored as one.
            literal, self.literal = self.literal, _identity
            items = ", ".join(f"{key!r}: {self.text(item)}" for key, item in value.items())
            self.literal = literal
            return literal(f"{{{items}}}")
        if isinstance(value, slice):
            return (
                f"slice({self.text(value.start)}, {self.text(value.stop)}, {self.text(value.step)})"
            )
        if isinstance(value, (Operator, OperatorPacket)):
            return _get_qualified_name(value)
        if isinstance(value, enum.Enum):
            return f"{self.add_global(kind.__name__, kind)}.{value.name}"
        if isinstance(value, rushlight.Tensor):
            return self._tensor(value)
        if isinstance(value, rushlight.device):
            self.add_global("device", rushlight.device)
            return self.literal(repr(value))
        if callable(value) and not isinstance(value, type) and hasattr(value, "__name__"):
            return self.add_global(_get_qualified_name(value), value)
        if isinstance(value, type):
            return self.type_text(value)
        if is_number(value):
            return f"{self.add_global(_get_qualified_name(kind), kind)}({self.literal(repr(value.item()))})"
        return self.literal(repr(value))

    def _tensor(self, value: Any) -> str:
        size = list(value.size())
        dtype = str(value.dtype).removeprefix("torch.")
        return f"torch.Tensor(size={size}, dtype={dtype})"

    def arguments(self, args: Iterable[Any], kwargs: dict[str, Any]) -> str:
        parts = [self.text(value) for value in args]
        parts += [f"{name} = {self.text(value)}" for name, value in kwargs.items()]
        return ", ".join(parts)

    # -- nodes --

    def annotation(self, node: Node) -> str:
        text = "" if node.type is None else f" : {self.type_text(node.type)}"
        if not self.verbose:
            return text
        value = node.meta.get("val", node.meta.get("tensor_meta"))
        if value is None:
            return text
        described = described_tensor(value, self.include_stride, self.include_device, self.colored)
        if described is None and isinstance(
            value, (rushlight.SymInt, rushlight.SymFloat, rushlight.SymBool)
        ):
            described = f"Sym({value})"
        return text if described is None else f': "{described}"'

    def node(self, node: Node) -> None:
        """Write one node."""
        op = node.op
        annotation = self.annotation(node) if self.verbose or node.type is not None else ""
        if op == "call_function":
            self._function(node, annotation)
        elif op == "call_module":
            target = _format_target(self.root, node.target)
            called = f"{target}({self.arguments(node.args, node.kwargs)})"
            self.body.append(f"{self.name(node)}{annotation} = {called}")
        elif op == "call_method":
            target = _format_target(self.text(node.args[0]), node.target)
            called = f"{target}({self.arguments(node.args[1:], node.kwargs)})"
            self.body.append(f"{self.name(node)}{annotation} = {called}")
        elif op == "get_attr":
            target = _format_target(self.root, node.target)
            self.body.append(f"{self.name(node)}{annotation} = {target}")
        elif op == "placeholder":
            self._parameter(node, annotation)
        elif op == "output":
            if node.type is not None:
                self.returned = f" -> {self.type_text(node.type)}"
            self.body.append(self.codegen._output_of(self, node))
        else:
            raise NotImplementedError(f"node: {op} {node.target}")

    def _parameter(self, node: Node, annotation: str) -> None:
        default = f" = {self.text(node.args[0])}" if node.args else ""
        self.free_vars.append(f"{node.target}{annotation}{default}")
        plain = node.target.replace("*", "")
        if plain != self.name(node):
            self.body.append(f"{self.name(node)} = {plain}\n")

    def _function(self, node: Node, annotation: str) -> None:
        target, args = node.target, node.args
        if not callable(target):
            raise AssertionError(f"Expected callable target, got {type(target)}")
        name = getattr(target, "__name__", "")
        if getattr(target, "__module__", None) == "_operator":
            if name in magic_methods:
                if not isinstance(args, tuple):
                    raise AssertionError(f"Expected tuple args, got {type(args)}")
                made = magic_methods[name].format(*map(self.text, args))
                self.body.append(f"{self.name(node)}{annotation} = {made}")
                return
            if name in inplace_methods:
                made = inplace_methods[name].format(*map(self.text, args))
                self.body.append(f"{made};  {self.name(node)}{annotation} = {self.text(args[0])}")
                return
        qualified = _get_qualified_name(target)
        known = self.add_global(qualified, target)
        head, _, last = known.rpartition(".")
        if head and keyword.iskeyword(last):
            # Overloads may be called `from`.
            known = _format_target(head, last)
        if _is_plain_pair(node, known):
            made = _format_target(self.text(args[0]), args[1])
        else:
            made = f"{known}({self.arguments(args, node.kwargs)})"
        self.body.append(f"{self.name(node)}{annotation} = {made}")
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(known)

    def forget(self, node: Node, last_uses: dict[Node, list[Node]]) -> None:
        """Write that values which nobody needs any more are dropped."""
        if node.op == "placeholder":
            return
        if node.op == "output":
            self.body.append("\n")
            return
        dropped = last_uses.get(node, [])
        if not node.users:
            dropped = [*dropped, node]
        if dropped:
            text = " = ".join([self.name(one) for one in dropped] + ["None"])
            self.body.append(f";  {self.dim(text)}\n")
        else:
            self.body.append("\n")

    def write(self, nodes: Iterable[Node]) -> None:
        """Write all nodes."""
        nodes = list(nodes)
        last_uses: dict[Node, list[Node]] = {}
        seen: set[Node] = set()
        for node in reversed(nodes):
            for used in node._input_nodes:
                if used not in seen:
                    seen.add(used)
                    last_uses.setdefault(node, []).append(used)
        told = None
        for index, node in enumerate(nodes):
            start = len(self.body)
            if self.verbose:
                told = self._tell_origin(node, told)
            self.node(node)
            self.forget(node, last_uses)
            self.origin += [index] * (len(self.body) - start)

    def _tell_origin(self, node: Node, told: str | None) -> str | None:
        """Write where nodes come from, unless that was told of the one before; what is told last."""
        if node.op in ("placeholder", "output"):
            return told
        parsed = _parse_stack_trace(node.stack_trace) if node.stack_trace else None
        summary = (
            "No stacktrace found for following nodes"
            if parsed is None
            else parsed.get_summary_str()
        )
        known = [f"{key}: {node.meta[key]}" for key in self.additional_meta if key in node.meta]
        if known:
            summary = f"{', '.join(known)} # {summary}"
        if summary != told:
            self.body.append("\n" + self.dim(f"# {summary}") + "\n")
        return summary

    def restore(self) -> None:
        for node, before in self.renamed:
            node.__dict__["_repr_fn"] = before


class CodeGen:
    """Writes the code of graphs. Subclasses change the parameters and what is returned."""

    _sym_repr: Callable[[Any], str] = staticmethod(lambda x: repr(x))

    def __init__(self) -> None:
        self._body_transformer: TransformCodeFunc | None = None
        self._func_name = "forward"

    # -- what subclasses override --

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        """The line that begins the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if expanded_def:
            lines = "".join(f"    {one},\n" for one in free_vars)
            return f"def {self._func_name}(\n{lines}){maybe_return_annotation}:"
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(
        self,
        output_args: Any,
        *,
        descs: Any | None = None,
        repr_fn: Callable[[object], str] | None = None,
    ) -> str:
        """The line that returns."""
        return f"return {(repr_fn or repr)(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """The values of the parameters for the arguments of a call."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """What a call returns for the values of the output node."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Names that the code of a subclass needs besides."""
        return []

    # -- the code --

    def _output_of(self, writer: _Writer, node: Node) -> str:
        """The line that returns, by a method that may know nothing of `repr_fn`."""
        method = self.generate_output
        if getattr(method, "__func__", None) in _KNOWS_REPR:
            return method(node.args[0], repr_fn=writer.text)
        for used in node._input_nodes:
            writer.name(used)
        return method(node.args[0])

    def _gen_python_code(
        self,
        nodes: Any,
        root_module: str,
        namespace: _Namespace,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        """The function of a graph's nodes."""
        if record_func:
            raise NotImplementedError(
                "python_code: record_func is not supported: there is no profiler of single nodes yet"
            )
        writer = _Writer(
            self, root_module, namespace, verbose, include_stride, include_device, colored,
            additional_meta,
        )  # fmt: skip
        for name, builtin in _custom_builtins.items():
            writer.globals[writer.namespace.create_name(name, builtin.obj)] = builtin.obj
        for name, value in self.additional_globals():
            writer.add_global(name, value)
        try:
            writer.write(nodes)
            if not writer.body:
                # A function without statements.
                writer.body.append("pass\n")
                writer.origin.append(None)
            body, origin = writer.body, writer.origin
            if self._body_transformer is not None:
                body = self._body_transformer(body)
                origin = [None] * len(body)
            wraps = ""
            if writer.wrapped:
                wrap = writer.add_global("wrap", rushlight.fx.wrap)
                wraps = "\n".join(f'{wrap}("{name}")' for name in writer.wrapped)
            if expanded_def or self.gen_fn_def.__func__ in _KNOWS_EXPANDED:  # type: ignore[attr-defined]
                prologue = self.gen_fn_def(
                    writer.free_vars, writer.returned, expanded_def=expanded_def
                )
            else:
                prologue = self.gen_fn_def(writer.free_vars, writer.returned)
        finally:
            writer.restore()
        text = "".join(body).lstrip("\n")
        code = "\n".join(["    " + line for line in text.split("\n")])
        source = f"\n{wraps}\n\n{prologue}\n{code}"
        start = source[: source.index(prologue)].count("\n") + 1
        lines = _lines_of(body, origin)
        return PythonCode(source, writer.globals, _lineno_map=lines, _prologue_start=start)


def _lines_of(body: list[str], origin: list[int | None]) -> dict[int, int | None]:
    """The node that each line behind the first is of; the last line is empty."""
    lines: dict[int, int | None] = {}
    line = 1
    for text, index in zip(body, origin):
        lines[line] = index
        for _ in range(text.count("\n")):
            line += 1
            lines[line] = index
    return lines


class _BoxedCodeGen(CodeGen):
    """Code of a function that gets its arguments in one list, which it empties."""

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        names = [one.split(":")[0].strip() for one in free_vars if one != "self"]
        unpacked = f"    {', '.join(names)}, = args_list\n" if names else ""
        return (
            f"def {self._func_name}(self, args_list){maybe_return_annotation}:\n"
            f"{unpacked}    args_list.clear()"
        )


class _PyTreeInfo(NamedTuple):
    """How the nested arguments of a traced function become parameters.

    Attributes:
        orig_args: the names of the arguments
        in_spec: their structure
        out_spec: the structure of what is returned
    """

    orig_args: list[str]
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """Code of a function whose arguments and results are nested."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs: Any) -> Any:
        flat = pytree.arg_tree_leaves(*inputs)
        return flat

    def process_outputs(self, out: Any) -> Any:
        if self.pytree_info is None or self.pytree_info.out_spec is None:
            return out
        if not isinstance(out, (list, tuple)):
            out = [out]
        return pytree.tree_unflatten(out, self.pytree_info.out_spec)

    def gen_var_bindings(
        self, fn_args: list[str], free_vars: list[str], expanded_def: bool = False
    ) -> str:
        """The lines that take the arguments apart."""
        names = [one.split(":")[0].split("#")[0].split(" = ")[0] for one in free_vars]
        typed = [one.split(" = ")[0] + "; " for one in free_vars if ":" in one]
        lines = f"\n    {''.join(typed)}\n" if typed else ""
        spec = self.pytree_info.in_spec
        has_keywords = (
            spec.type is tuple
            and spec.num_children == 2
            and spec.child(0).type is tuple
            and spec.child(1).type is dict
        )
        if has_keywords:
            count = spec.child(0).num_children
            given = [*fn_args[:count]]
            named = [f"'{n}':{n}" for n in spec.child(1).context]
            text = f"([{', '.join(given)}], {{{', '.join(named)}}})"
        else:
            text = f"[{', '.join(fn_args)}]"
        return (
            f"{lines}\n    {', '.join(names)}, = fx_pytree.tree_flatten_spec({text}, self._in_spec)"
        )

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        names = list(self.pytree_info.orig_args)
        has_self = bool(names) and names[0] == "self"
        if has_self:
            free_vars.insert(0, "self")
        text = super().gen_fn_def(names[:], maybe_return_annotation, expanded_def=expanded_def)
        if has_self:
            free_vars, names = free_vars[1:], names[1:]
        if free_vars:
            text += self.gen_var_bindings(names, free_vars, expanded_def)
        return text

    def generate_output(
        self,
        output_args: Any,
        *,
        descs: Any | None = None,
        repr_fn: Callable[[object], str] | None = None,
    ) -> str:
        text = (repr_fn or repr)(output_args)
        if self.pytree_info is not None and self.pytree_info.out_spec is not None:
            return f"return pytree.tree_unflatten({text}, self._out_spec)"
        return f"return {text}"


class _ExportCodeGen(_PyTreeCodeGen):
    """Code of exported programs: their arguments are put in order by graphs of their own."""

    def __init__(
        self,
        pytree_info: _PyTreeInfo,
        in_shuffle_graph: Any,
        out_shuffle_graph: Any,
        tree_leaf_names: list[str],
        root: Any | None,
    ) -> None:
        super().__init__(pytree_info)
        self.in_shuffle_graph = in_shuffle_graph
        self.out_shuffle_graph = out_shuffle_graph
        self.tree_leaf_names = tree_leaf_names
        self.root = root

    def process_inputs(self, *inputs: Any) -> Any:
        flat = super().process_inputs(*inputs)
        if self.root is not None:
            flat = (self.root, *flat)
        return self.in_shuffle_graph(*flat)

    def process_outputs(self, out: Any) -> Any:
        return super().process_outputs(self.out_shuffle_graph(*self.last_inputs, *out))

    last_inputs: tuple[Any, ...] = ()


_KNOWS_REPR = frozenset((CodeGen.generate_output, _PyTreeCodeGen.generate_output))
_KNOWS_EXPANDED = frozenset(
    (CodeGen.gen_fn_def, _PyTreeCodeGen.gen_fn_def, _BoxedCodeGen.gen_fn_def)
)


@contextmanager
def _override_sym_repr(override: Callable[[Any], str]) -> Iterator[None]:
    """Within the block symbolic numbers are printed otherwise."""
    before = CodeGen._sym_repr
    CodeGen._sym_repr = staticmethod(override)
    try:
        yield
    finally:
        CodeGen._sym_repr = before
