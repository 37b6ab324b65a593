"""Which sizes of arguments vary, as plain containers, and back."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from rushlight._dynamo.exc import UserError, UserErrorType
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.export.dimensions import NO_LIMIT, DerivedDim, Dim, DimHint, DimHintType
from rushlight.export.dynamic_shapes import _check_dynamic_shapes, _tree_map_with_path
from rushlight.utils import _pytree as pytree

__all__ = ["DynamicShapesSpec", "RootDim"]

_HINT = "_DimHint."
_LINEAR = re.compile(r"(?:(-?\d+)\*)?([A-Za-z_]\w*)(?: ([+-]) (\d+))?")


@dataclass
class RootDim:
    """A dimension by name.

    Args:
        min: the least that it is
        max: the most that it is; None without a limit
        derived: the texts of the dimensions that follow from it
    """

    min: int
    max: int | None
    derived: list[str]


@dataclass
class DynamicShapesSpec:
    """Which sizes vary.

    Args:
        dynamic_shapes: for each tensor a list: numbers, names of dimensions, and hints
        dims: the dimensions by name
    """

    dynamic_shapes: Any
    dims: dict[str, RootDim]


def _dump_dynamic_shapes(
    dynamic_shapes: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
    to_dict: bool | None = False,
) -> Any:  # fmt: skip
    """What `export` gets as `dynamic_shapes`, as plain containers.

    Args:
        dynamic_shapes: as `export` gets it
        args: the arguments
        kwargs: and those by name
        to_dict: whether dictionaries are given rather than dataclasses
    """
    if dynamic_shapes is None:
        return {"dynamic_shapes": None, "dims": {}}
    shapes = tuple(dynamic_shapes.values() if isinstance(dynamic_shapes, dict) else dynamic_shapes)
    given = (*args, *(kwargs or {}).values())
    _check_dynamic_shapes(dict(enumerate(given)), shapes)  # type: ignore[arg-type]
    dims: dict[str, RootDim] = {}

    def sizes(path: Any, tensor: Any, shape: Any) -> Any:
        if not isinstance(tensor, Tensor):
            return None
        if shape is None:
            return [_text(Dim.STATIC, dims)] * len(tensor._size_)
        known = shape if isinstance(shape, dict) else dict(enumerate(shape))
        return [
            _text(n if known.get(k) is None else known[k], dims)
            for k, n in enumerate(tensor._size_)
        ]

    told = _tree_map_with_path(sizes, given, shapes, tree_name="inputs")
    for dim in dims.values():
        dim.derived.sort()
    spec = DynamicShapesSpec(told, dict(sorted(dims.items())))
    return dataclasses.asdict(spec) if to_dict else spec


def _text(size: Any, dims: dict[str, RootDim]) -> Any:
    """One size; its dimension is noted."""
    if isinstance(size, DimHint):
        return _HINT + size.type.name
    if not isinstance(size, Dim):
        return size
    root = size.root
    most = None if root.max == NO_LIMIT else root.max
    known = dims.setdefault(root.__name__, RootDim(root.min, most, []))
    if isinstance(size, DerivedDim) and size.__name__ not in known.derived:
        known.derived.append(size.__name__)
    return size.__name__


def _load_dynamic_shapes(spec: Any, from_dict: bool | None = False) -> Any:
    """What `export` gets as `dynamic_shapes`, from what `_dump_dynamic_shapes` gave.

    Args:
        spec: that
        from_dict: whether it is dictionaries
    """
    if from_dict:
        spec = _read(spec)
    elif not isinstance(spec, DynamicShapesSpec):
        raise _refused(f"Expected `spec` to be a DynamicShapesSpec, got {type(spec)}")
    if spec.dynamic_shapes is None:
        return None
    known: dict[str, Dim] = {}
    for name, info in spec.dims.items():
        if not name.isidentifier():
            raise _refused(f"Expected `spec['dims']` keys to be symbols, got {name}")
        known[name] = Dim(name, min=info.min, max=info.max)
        known.update((text, _derived(text, name, known[name])) for text in info.derived)

    def size(told: Any) -> Any:
        if told is None or isinstance(told, int):
            return told
        if not isinstance(told, str):
            raise _refused(
                "Expected leaves in `spec['dynamic_shapes']` to be ints, None, Dim.AUTO/STATIC, symbols, "
                f" or derived expressions, got {told}"
            )
        if told.startswith(_HINT):
            return DimHint(DimHintType[told.removeprefix(_HINT)])
        if told not in known:
            raise _refused(
                "Expected dims in `spec['dynamic_shapes']` to be tracked in `spec['dims']`, "
                f"got {told} which is not in {spec.dims.keys()}"
            )
        return known[told]

    return pytree.tree_map(size, spec.dynamic_shapes)


def _derived(text: str, name: str, root: Dim) -> Dim:
    """The dimension that a text derives from a root."""
    found = _LINEAR.fullmatch(text)
    if found is None:
        raise _refused(f"Expected derived expressions to be linear expressions, got {text}")
    factor, symbol, sign, offset = found.groups()
    if symbol != name:
        raise _refused(
            f"Expected derived expressions in to have {name} as the only free symbol, got {text}"
        )
    made = root * int(factor) if factor else root
    return made if sign is None else made + int(sign + offset)


def _read(spec: Any) -> DynamicShapesSpec:
    """Dictionaries as dataclasses, if they have what these need."""
    if not isinstance(spec, dict):
        raise _refused(f"With from_dict=True, expected `spec` to be a dict, got {type(spec)}")
    if sorted(spec) != ["dims", "dynamic_shapes"]:
        raise _refused(
            "With from_dict=True, expected `spec` to have keys `dims` and `dynamic_shapes`, "
            f"instead found {spec.keys()}"
        )
    dims = {}
    for name, told in spec["dims"].items():
        if not isinstance(name, str):
            raise _refused(
                f"Expected `spec['dims']` keys to be strings for symbols, got key {type(name)}"
            )
        if sorted(told) != ["derived", "max", "min"]:
            raise _refused(
                "Expected `spec['dims']` values to have keys `derived`, `max`, and `min`, "
                f"instead found {told.keys()}"
            )
        if not isinstance(told["min"], int):
            raise _refused(
                f"Expected dims in `spec['dims']` to map `min` to an int, got {name}: {told['min']}"
            )
        if not isinstance(told["max"], (int, type(None))):
            raise _refused(
                "Expected dims in `spec['dims']` to map `max` to an int or None, "
                f"got {name}: {told['max']}"
            )
        derived = told["derived"]
        if not isinstance(derived, list) or not all(isinstance(d, str) for d in derived):
            raise _refused(
                "Expected dims in `spec['dims']` to map `derived` to a list of derived expressions, "
                f"got {name}: {derived}"
            )
        dims[name] = RootDim(**told)
    return DynamicShapesSpec(spec["dynamic_shapes"], dims)


def _refused(text: str) -> UserError:
    return UserError(UserErrorType.INVALID_INPUT, text)
