"""What is said of the sizes of a program's arguments, and which argument it is said of."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rushlight._dynamo.exc import UserError, UserErrorType
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.export.dimensions import DerivedDim as _DerivedDim
from rushlight.export.dimensions import Dim, DimHint, DimHintType, StaticDim, dims
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

__all__ = [
    "AdditionalInputs",
    "Constraint",
    "Dim",
    "ShapesCollection",
    "dims",
    "refine_dynamic_shapes_from_suggested_fixes",
]

_Dim, _DimHint, _DimHintType, _StaticDim = Dim, DimHint, DimHintType, StaticDim
Constraint = Dim
# Containers whose specification is a container of the same kind; of others it is a list of their parts.
_PLAIN = (tuple, list, dict)


@dataclass
class _IntWrapper:
    """An integer that can be told from others of its value.

    Args:
        val: the integer
        dynamism: what is said of it
    """

    val: int
    dynamism: Any = None

    def __hash__(self) -> int:
        return id(self)


def _combine_args(
    f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Arguments by the names of a function's parameters."""
    if not isinstance(f, Module) and hasattr(f, "module_call_graph"):
        f = f.module()
    target = f.forward if isinstance(f, Module) else f
    return dict(inspect.signature(target).bind(*args, **(kwargs or {})).arguments)


def _refuse(text: str) -> None:
    raise UserError(
        UserErrorType.INVALID_INPUT,
        f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: {text}",
        case_name="dynamic_shapes_validation",
    )


def _kind_of(value: Any) -> type | None:
    """The kind of a container; None for what is none."""
    kind = pytree._get_node_type(value)
    return kind if kind in pytree.SUPPORTED_NODES else None


def _keys_and_parts(value: Any, kind: type) -> tuple[list[Any], list[Any]]:
    """The parts of a container, and what finds them in it."""
    if kind is dict:
        return [pytree.MappingKey(k) for k in value], list(value.values())
    if kind in _PLAIN:
        parts = list(value)
    else:
        parts = list(pytree.SUPPORTED_NODES[kind].flatten_fn(value)[0])
    return [pytree.SequenceKey(k) for k in range(len(parts))], parts


def matched(tree: Any, shapes: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, Any, Any]]:
    """What is in a nest of arguments, with its path and what is said of it.

    Args:
        tree: the arguments
        shapes: the specification, of the same structure; None says nothing of all below
        path: where the nest is
    """
    kind = _kind_of(tree)
    if kind is None:
        yield path, tree, shapes
        return
    keys, parts = _keys_and_parts(tree, kind)
    told = [None] * len(parts) if shapes is None else _told_of(tree, kind, keys, shapes, path)
    for key, part, shape in zip(keys, parts, told):
        yield from matched(part, shape, (*path, key))


def _told_of(
    tree: Any, kind: type, keys: list[Any], shapes: Any, path: tuple[Any, ...]
) -> list[Any]:
    """What a specification says of each part of a container."""
    place = pytree.keystr(path)
    wanted = kind if kind in _PLAIN else None
    found = _kind_of(shapes)
    if found not in _PLAIN:
        _refuse(f"`inputs{place}` is a {kind}, but `dynamic_shapes{place}` is not")
    if wanted is not None and found is not wanted and path:
        _refuse(f"`inputs{place}` is a {kind}, but `dynamic_shapes{place}` is a {found}")
    if len(shapes) != len(keys):
        _refuse(
            f"`inputs{place}` has {len(keys)} elements, but `dynamic_shapes{place}` has "
            f"{len(shapes)} elements"
        )
    if kind is dict and found is dict:
        if set(shapes) != set(tree):
            _refuse(
                f"`inputs{place}` has keys {list(tree)}, but `dynamic_shapes{place}` has keys "
                f"{list(shapes)}"
            )
        return [shapes[key] for key in tree]
    return list(shapes.values()) if found is dict else list(shapes)


def _tree_map_with_path(
    func: Callable[..., Any], tree: Any, *dynamic_shapes: Any, tree_name: str | None = None
) -> Any:
    """A nest of the same structure of what a function gives for each path, value and specification."""

    def build(value: Any, path: tuple[Any, ...], shapes: tuple[Any, ...]) -> Any:
        kind = _kind_of(value)
        if kind is None:
            return func(path, value, *shapes)
        keys, parts = _keys_and_parts(value, kind)
        told = [
            [None] * len(parts) if one is None else _told_of(value, kind, keys, one, path)
            for one in shapes
        ]
        made = [
            build(part, (*path, key), tuple(one[k] for one in told))
            for k, (key, part) in enumerate(zip(keys, parts))
        ]
        if kind is dict:
            return dict(zip(value, made))
        return tuple(made) if kind is tuple else made

    return build(tree, (), dynamic_shapes)


def _check_dynamic_shapes(combined_args: dict[str, Any], dynamic_shapes: Any) -> None:
    """Raise if a specification fits arguments badly."""
    if dynamic_shapes is None or not len(dynamic_shapes):
        return
    if isinstance(dynamic_shapes, (tuple, list)):
        tree: Any = type(dynamic_shapes)(combined_args.values())
    else:
        tree = combined_args
        _check_names(combined_args, dynamic_shapes)
    limits: dict[str, Dim] = {}
    for path, value, shape in matched(tree, dynamic_shapes):
        place = pytree.keystr(path)
        if isinstance(value, Tensor):
            for _, dim in _by_dimension(place, value, shape):
                if isinstance(dim, Dim):
                    _check_same_limits(limits, dim)
        elif isinstance(value, (int, _IntWrapper)) and not isinstance(value, bool):
            if isinstance(shape, (tuple, list, dict, Dim)):
                raise UserError(
                    UserErrorType.INVALID_INPUT,
                    f"Unexpected dynamic_shape {shape} for int at inputs{place}, only None or Dim hints",
                )
        elif shape is not None and not (isinstance(shape, (tuple, list, dict)) and not shape):
            raise UserError(
                UserErrorType.INVALID_INPUT,
                f"Cannot associate shape {shape} specified at `dynamic_shapes{place}` to non-tensor "
                f"type {type(value)} at `inputs{place}` (expected None)",
                case_name="dynamic_shapes_validation",
            )


def _check_names(combined_args: dict[str, Any], dynamic_shapes: dict[str, Any]) -> None:
    if set(dynamic_shapes) == set(combined_args):
        return
    text = (
        "When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names "
        f"{list(combined_args)} of `inputs`, but here they are {list(dynamic_shapes)}. "
    )
    if len(combined_args) == 1 and set(dynamic_shapes) == set(
        next(iter(combined_args.values()))
        if isinstance(next(iter(combined_args.values())), dict)
        else ()
    ):
        text += (
            "Since here `inputs` is a list/tuple enclosing a single dict, maybe you just forgot to "
            "enclose `dynamic_shapes` in a list/tuple?"
        )
    else:
        text += "Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` as a list/tuple matching `inputs`."
    raise UserError(UserErrorType.INVALID_INPUT, text, case_name="dynamic_shapes_validation")


def _check_same_limits(limits: dict[str, Dim], dim: Dim) -> None:
    known = limits.setdefault(dim.__name__, dim)
    if (known.min, known.max) != (dim.min, dim.max):
        raise UserError(
            UserErrorType.INVALID_INPUT,
            f"Found different definitions {known!r} and {dim!r} for the same symbolic dimension {dim.__name__}!",
        )
    if dim.root is not dim:
        _check_same_limits(limits, dim.root)


def _by_dimension(place: str, tensor: Any, shape: Any) -> list[tuple[int, Any]]:
    """What is said of the dimensions of a tensor."""
    if shape is None:
        return []
    if isinstance(shape, dict):
        pairs = list(shape.items())
        for i, _ in pairs:
            if not isinstance(i, int) or not -tensor.dim() <= i < tensor.dim():
                raise UserError(
                    UserErrorType.INVALID_INPUT,
                    f"Unexpected dimension {i} at `dynamic_shapes{place}` of a tensor of "
                    f"{tensor.dim()} dimensions at `inputs{place}`",
                    case_name="dynamic_shapes_validation",
                )
    elif isinstance(shape, (tuple, list)):
        if len(shape) != tensor.dim():
            raise UserError(
                UserErrorType.INVALID_INPUT,
                f"Expected dynamic shape spec {shape} specified at `dynamic_shapes{place}` to have the "
                f"same length as the actual tensor shape {tensor.shape} (expected {tensor.dim()}, but "
                f"got {len(shape)} instead)",
                case_name="dynamic_shapes_validation",
            )
        pairs = list(enumerate(shape))
    else:
        raise UserError(
            UserErrorType.INVALID_INPUT,
            f"Unexpected dynamic_shape {shape} of Tensor, try None instead",
        )
    for i, dim in pairs:
        if type(dim) is int and dim != tensor.shape[i]:
            raise UserError(
                UserErrorType.INVALID_INPUT,
                f"Static shape constraint of {dim} does not match input size of {tensor.shape[i]}, for "
                f"`inputs{place}.shape[{i}]` (expected {dim}, but got {tensor.shape[i]})",
                case_name="dynamic_shapes_validation",
            )
        if dim is not None and type(dim) is not int and not isinstance(dim, (Dim, DimHint)):
            raise UserError(
                UserErrorType.INVALID_INPUT,
                f"Unexpected dimension mapped to index {i} in input tensor shape {shape} specified at "
                f"`dynamic_shapes{place}` (expected None, an int, a Dim, Dim.AUTO, Dim.STATIC, or "
                f"Dim.DYNAMIC, but got {dim!r} instead)",
                case_name="dynamic_shapes_validation",
            )
    return [(i % tensor.dim(), dim) for i, dim in pairs]


@dataclass
class Told:
    """What is said of an argument.

    Args:
        sizes: of a tensor, what is said of each dimension
        value: of an integer, what is said of it
    """

    sizes: dict[int, Any] = dataclasses.field(default_factory=dict)
    value: Any = None


def told_of_arguments(combined_args: dict[str, Any], dynamic_shapes: Any) -> dict[int, Told]:
    """What a specification says, by the place of an argument among the leaves."""
    if dynamic_shapes is None or not len(dynamic_shapes):
        return {}
    tree: Any = combined_args
    if isinstance(dynamic_shapes, (tuple, list)):
        tree = type(dynamic_shapes)(combined_args.values())
    found = {}
    for place, (path, value, shape) in enumerate(matched(tree, dynamic_shapes)):
        if isinstance(value, Tensor):
            found[place] = Told(sizes=dict(_by_dimension(pytree.keystr(path), value, shape)))
        elif isinstance(shape, DimHint):
            found[place] = Told(value=shape)
    return found


class ShapesCollection:
    """A specification by tensors: what is said of each, wherever it is among the arguments."""

    def __init__(self) -> None:
        self._shapes: dict[int, Any] = {}

    def __setitem__(self, t: Any, shape: Any) -> None:
        if not isinstance(t, (Tensor, _IntWrapper)):
            raise AssertionError(
                f"Cannot assign shape to non-tensor or non-_IntWrapper type {type(t)}"
            )
        known = self._shapes.setdefault(id(t), shape)
        if known != shape:
            raise AssertionError(
                f"Shapes assigned to input do not match: expected {known}, got {shape}"
            )

    def __getitem__(self, t: Any) -> Any:
        return self._shapes.setdefault(id(t), {})

    def __len__(self) -> int:
        return len(self._shapes)

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: Any = None) -> Any:
        """The same by the structure of a module's arguments."""
        seen: set[int] = set()

        def find(path: Any, t: Any) -> Any:
            if id(t) not in self._shapes:
                return None
            seen.add(id(t))
            return self._shapes[id(t)]

        found = _tree_map_with_path(find, _combine_args(m, args, kwargs))
        if set(self._shapes) - seen:
            raise ValueError(
                "Some tensors that were assigned shapes were not found in args. Maybe such tensors "
                "were copied when passing them as args? Maybe such tensors are contained in classes "
                "that were not registered with pytree?"
            )
        return found


class AdditionalInputs:
    """A specification by examples: what differs among them varies."""

    def __init__(self) -> None:
        self._examples: list[tuple[Any, Any]] = []

    def add(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """One more example."""
        if type(args) is not tuple:
            raise AssertionError(f"Representative args {args} must be a tuple")
        if kwargs is not None and type(kwargs) is not dict:
            raise AssertionError(f"Representative kwargs {kwargs} must be None or a dict")
        self._examples.append((args, kwargs))

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: Any = None) -> Any:
        """The specification for a module's arguments."""
        first, *others = [
            _combine_args(m, *example) for example in [(args, kwargs), *self._examples]
        ]
        leaves = [[value for _, value, _ in matched(other, None)] for other in others]
        place = iter(range(len(list(matched(first, None)))))

        def merge(path: Any, value: Any) -> Any:
            k = next(place)
            same = [one[k] for one in leaves]
            if isinstance(value, Tensor):
                sizes = [tuple(x.shape) for x in (value, *same)]
                return tuple(None if len(set(n)) == 1 else Dim.DYNAMIC for n in zip(*sizes))
            if any(type(x) is not type(value) or x != value for x in same):
                if type(value) is int:
                    return Dim.DYNAMIC
                raise ValueError(
                    f"The following inputs do not have the same value: {[value, *same]} at "
                    f"{pytree.keystr(path)}"
                )
            return None

        return _tree_map_with_path(merge, first)

    def verify(self, ep: Any) -> None:
        """Raise `RuntimeError` if a program does not allow the sizes of an example."""
        for args, kwargs in self._examples:
            ep._get_flat_args_with_check(args, kwargs or {})


def _dims_of(dynamic_shapes: Any) -> dict[str, Dim]:
    """The dimensions of a specification by name."""
    found: dict[str, Dim] = {}
    for dim in pytree.tree_iter(dynamic_shapes, is_leaf=lambda x: isinstance(x, (Dim, DimHint))):
        if isinstance(dim, Dim):
            found[dim.__name__] = dim
            found[dim.root.__name__] = dim.root
    return found


_get_dim_name_mapping = _dims_of
_FIX_DIM = re.compile(r"(\w+) = Dim\('\w+'(?:, min=(\d+))?(?:, max=(\d+|oo))?\)")
_FIX_LINEAR = re.compile(r"([^=]+) = (?:(\d+)\*)?([A-Za-z_]\w*)(?: ([+-]) (\d+))?")


def refine_dynamic_shapes_from_suggested_fixes(msg: str, dynamic_shapes: Any) -> Any:
    """A specification with what an error has suggested.

    Args:
        msg: the error's message
        dynamic_shapes: the specification that led to it
    """
    _, found, suggested = msg.partition("Suggested fixes:")
    if not found:
        raise UserError(
            UserErrorType.INVALID_INPUT,
            "Suggested fixes not found in error message given to "
            "refine_dynamic_shapes_from_suggested_fixes()",
        )
    known = _dims_of(dynamic_shapes)
    fixes: dict[str, Any] = {}
    linear: list[tuple[str, str, int, int]] = []
    for line in map(str.strip, suggested.strip().split("\n")):
        if not line:
            break
        if match := _FIX_DIM.fullmatch(line):
            name, least, most = match.groups()
            fixes[name] = Dim(
                name,
                min=int(least) if least else None,
                max=int(most) if most not in (None, "oo") else None,
            )
        elif (parts := line.split(" = "))[1].isdigit():
            fixes[parts[0]] = int(parts[1])
        elif match := _FIX_LINEAR.fullmatch(line):
            name, factor, root, sign, offset = match.groups()
            linear.append((name, root, int(factor or 1), int((sign or "") + (offset or "0"))))
    for name, root, factor, offset in linear:
        base: Any = fixes.get(root, known.get(root))
        if base is None:
            raise AssertionError(f"{root} is no dimension of dynamic_shapes")
        base = base if factor == 1 else base * factor
        fixes[name] = base + offset if offset else base
    unknown = [n for n in fixes if n not in known and n not in {root for _, root, _, _ in linear}]
    if unknown:
        raise AssertionError(f"{unknown[0]} is no dimension of dynamic_shapes")

    def apply(dim: Any) -> Any:
        if not isinstance(dim, Dim):
            return dim
        if dim.__name__ in fixes:
            return fixes[dim.__name__]
        if isinstance(dim, _DerivedDim) and dim.root.__name__ in fixes:
            return dim.fn(fixes[dim.root.__name__])
        return dim

    return pytree.tree_map(apply, dynamic_shapes, is_leaf=lambda x: isinstance(x, (Dim, DimHint)))
