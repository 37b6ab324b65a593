"""Trees of Python containers: taking them apart into leaves, and putting them together again."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import threading
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Mapping
from types import UnionType
from typing import Any, NamedTuple

from rushlight.engine.native.forks import hold_over_fork
from rushlight.engine.native.records import dataclass

__all__ = [
    "Context",
    "FlattenFunc",
    "FlattenWithKeysFunc",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "SequenceKey",
    "TreeSpec",
    "UnflattenFunc",
    "arg_tree_leaves",
    "key_get",
    "keystr",
    "register_constant",
    "register_dataclass",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dict",
    "treespec_dumps",
    "treespec_leaf",
    "treespec_loads",
    "treespec_pprint",
    "treespec_tuple",
]

PyTree = Any
Context = Any
DumpableContext = Any
IsLeaf = Callable[[Any], bool] | None
FlattenFunc = Callable[[Any], tuple[list[Any], Context]]
UnflattenFunc = Callable[[Iterable[Any], Context], Any]


# -- the way to a leaf --


@dataclass(frozen=True)
class MappingKey:
    """A step into a mapping."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


@dataclass(frozen=True)
class SequenceKey:
    """A step into a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


@dataclass(frozen=True)
class GetAttrKey:
    """A step to an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


KeyEntry = Any
KeyPath = tuple[Any, ...]
FlattenWithKeysFunc = Callable[[Any], tuple[list[tuple[KeyEntry, Any]], Any]]


def keystr(kp: KeyPath) -> str:
    """The way as Python would write it."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What is at the end of the way."""
    for key in kp:
        obj = key.get(obj)
    return obj


# -- kinds of containers --


class NodeDef(NamedTuple):
    """How one kind of container comes apart and together."""

    type: type
    flatten_fn: FlattenFunc
    unflatten_fn: UnflattenFunc
    flatten_with_keys_fn: FlattenWithKeysFunc | None


class _SerializeNodeDef(NamedTuple):
    typ: type
    serialized_type_name: str
    to_dumpable_context: Callable[[Any], Any] | None
    from_dumpable_context: Callable[[Any], Any] | None


SUPPORTED_NODES: dict[Any, NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES: dict[Any, _SerializeNodeDef] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, Any] = {}
CONSTANT_NODES: set[type] = set()
BUILTIN_TYPES: frozenset[type] = frozenset(
    {tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque}  # type: ignore[arg-type]
)
STANDARD_DICT_TYPES: frozenset[type] = frozenset({dict, OrderedDict, defaultdict})
NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"
_NODE_REGISTRY_LOCK = threading.RLock()
hold_over_fork(_NODE_REGISTRY_LOCK)


def register_pytree_node(
    cls: type,
    flatten_fn: FlattenFunc,
    unflatten_fn: UnflattenFunc,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: FlattenWithKeysFunc | None = None,
) -> None:
    """Make a class a container.

    Args:
        cls: the class
        flatten_fn: gives the children of an object and what else it takes to make it again
        unflatten_fn: makes an object of children and that
        serialized_type_name: the name that `treespec_dumps` writes
        to_dumpable_context: makes the rest fit for JSON
        from_dumpable_context: takes that back
        flatten_with_keys_fn: like ``flatten_fn``, with the step to each child
    """
    with _NODE_REGISTRY_LOCK:
        if cls in SUPPORTED_NODES:
            raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) is not (from_dumpable_context is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or "
            "registered."
        )
    with _NODE_REGISTRY_LOCK:
        SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
        name = serialized_type_name or NO_SERIALIZED_TYPE_NAME_FOUND
        SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(
            cls, name, to_dumpable_context, from_dumpable_context
        )
        SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


_private_register_pytree_node = register_pytree_node


def _register_pytree_node(
    cls: type,
    flatten_fn: FlattenFunc,
    unflatten_fn: UnflattenFunc,
    to_str_fn: Any = None,
    maybe_from_str_fn: Any = None,
    **others: Any,
) -> None:
    """Older form of `register_pytree_node`."""
    register_pytree_node(cls, flatten_fn, unflatten_fn, **others)


def _register_namedtuple(cls: Any, *, serialized_type_name: str) -> None:
    """Give a class of named tuples, which are containers in any case, a name in files."""
    with _NODE_REGISTRY_LOCK:
        if cls in SUPPORTED_SERIALIZED_TYPES:
            raise ValueError(f"{cls} is already registered as pytree node.")
        SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(cls, serialized_type_name, None, None)
        SERIALIZED_TYPE_TO_PYTHON_TYPE[serialized_type_name] = cls


def _deregister_pytree_node(cls: type) -> None:
    with _NODE_REGISTRY_LOCK:
        del SUPPORTED_NODES[cls]
        node = SUPPORTED_SERIALIZED_TYPES.pop(cls)
        SERIALIZED_TYPE_TO_PYTHON_TYPE.pop(node.serialized_type_name, None)
        CONSTANT_NODES.discard(cls)


def register_constant(cls: type) -> None:
    """Make objects of a class, which compare by value, part of the structure."""
    if cls.__eq__ is object.__eq__:
        raise TypeError(
            "register_constant(cls) expects `cls` to have a non-default `__eq__` implementation."
        )
    if cls.__hash__ is object.__hash__ or cls.__hash__ is None:
        raise TypeError(
            "register_constant(cls) expects `cls` to have a non-default `__hash__` implementation."
        )
    register_pytree_node(
        cls,
        lambda value: ([], ConstantNode(value)),
        lambda _, context: context.value,
        flatten_with_keys_fn=lambda value: ([], ConstantNode(value)),
    )
    CONSTANT_NODES.add(cls)


@dataclass(frozen=True)
class ConstantNode:
    """An object that belongs to the structure."""

    value: Any


def is_constant_class(cls: type) -> bool:
    return isinstance(cls, type) and cls in CONSTANT_NODES


def register_dataclass(
    cls: type,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Make a dataclass a container of its fields.

    Args:
        cls: the class
        field_names: the fields that are children; all that its constructor takes if None
        drop_field_names: fields that are left out and get their default
        serialized_type_name: the name that `treespec_dumps` writes
    """
    if field_names is None:
        if not dataclasses.is_dataclass(cls):
            raise ValueError(
                "field_names must be specified with a list of all fields used to initialize "
                f"{cls}, as it is not a dataclass."
            )
        field_names = [f.name for f in dataclasses.fields(cls) if f.init]
    names = [name for name in field_names if name not in (drop_field_names or [])]

    def flatten(obj: Any) -> tuple[list[Any], Any]:
        keyed, context = flatten_with_keys(obj)
        return [value for _, value in keyed], context

    def flatten_with_keys(obj: Any) -> tuple[list[tuple[KeyEntry, Any]], Any]:
        present = [n for n in names if getattr(obj, n) is not None]
        absent = [n for n in names if getattr(obj, n) is None]
        return [(GetAttrKey(n), getattr(obj, n)) for n in present], [present, absent]

    def unflatten(values: Iterable[Any], context: Any) -> Any:
        present, absent = context
        return cls(**dict(zip(present, values)), **dict.fromkeys(absent))

    register_pytree_node(
        cls,
        flatten,
        unflatten,
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=flatten_with_keys,
    )


# -- the built-in kinds --


def _keyed_sequence(values: Any) -> list[tuple[KeyEntry, Any]]:
    return [(SequenceKey(index), value) for index, value in enumerate(values)]


def _keyed_mapping(mapping: Any) -> list[tuple[KeyEntry, Any]]:
    return [(MappingKey(key), value) for key, value in mapping.items()]


def _dotted_name(kind: Any) -> str:
    known = SUPPORTED_SERIALIZED_TYPES.get(kind)
    if known is not None:
        return known.serialized_type_name
    return f"{kind.__module__}.{kind.__qualname__}"


def _named(text: str) -> Any:
    if text in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        return SERIALIZED_TYPE_TO_PYTHON_TYPE[text]
    module, _, name = text.rpartition(".")
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


register_pytree_node(
    list,
    lambda d: (d, None),
    lambda values, _: list(values),
    serialized_type_name="builtins.list",
    flatten_with_keys_fn=lambda d: (_keyed_sequence(d), None),
)
register_pytree_node(
    tuple,
    lambda d: (list(d), None),
    lambda values, _: tuple(values),
    serialized_type_name="builtins.tuple",
    flatten_with_keys_fn=lambda d: (_keyed_sequence(d), None),
)
register_pytree_node(
    dict,
    lambda d: (list(d.values()), list(d)),
    lambda values, keys: dict(zip(keys, values)),
    serialized_type_name="builtins.dict",
    flatten_with_keys_fn=lambda d: (_keyed_mapping(d), list(d)),
)
register_pytree_node(
    namedtuple,  # type: ignore[arg-type]
    lambda d: (list(d), type(d)),
    lambda values, kind: kind(*values),
    serialized_type_name="collections.namedtuple",
    to_dumpable_context=lambda kind: _dotted_name(kind),
    from_dumpable_context=lambda text: _named(text),
    flatten_with_keys_fn=lambda d: (
        [(GetAttrKey(name), value) for name, value in zip(d._fields, d)],
        type(d),
    ),
)
register_pytree_node(
    OrderedDict,
    lambda d: (list(d.values()), list(d)),
    lambda values, keys: OrderedDict(zip(keys, values)),
    serialized_type_name="collections.OrderedDict",
    flatten_with_keys_fn=lambda d: (_keyed_mapping(d), list(d)),
)
register_pytree_node(
    defaultdict,
    lambda d: (list(d.values()), [d.default_factory, list(d)]),
    lambda values, context: defaultdict(context[0], zip(context[1], values)),
    serialized_type_name="collections.defaultdict",
    to_dumpable_context=lambda context: {
        "default_factory_module": context[0].__module__,
        "default_factory_name": context[0].__qualname__,
        "dict_context": context[1],
    },
    from_dumpable_context=lambda dumped: [
        _named(f"{dumped['default_factory_module']}.{dumped['default_factory_name']}"),
        dumped["dict_context"],
    ],
    flatten_with_keys_fn=lambda d: (_keyed_mapping(d), [d.default_factory, list(d)]),
)
register_pytree_node(
    deque,
    lambda d: (list(d), d.maxlen),
    lambda values, length: deque(values, maxlen=length),
    serialized_type_name="collections.deque",
    flatten_with_keys_fn=lambda d: (_keyed_sequence(d), d.maxlen),
)


def _name_functions() -> None:
    """Give the functions of the built-in kinds the names by which libraries reuse them."""
    kinds = {
        "list": list, "tuple": tuple, "dict": dict, "namedtuple": namedtuple,
        "ordereddict": OrderedDict, "odict": OrderedDict, "defaultdict": defaultdict, "deque": deque,
    }  # fmt: skip
    for name, kind in kinds.items():
        node = SUPPORTED_NODES[kind]
        globals()[f"_{name}_flatten"] = node.flatten_fn
        globals()[f"_{name}_unflatten"] = node.unflatten_fn
        globals()[f"_{name}_flatten_with_keys"] = node.flatten_with_keys_fn


_name_functions()


def _register_own_kinds() -> type:
    """Sizes of tensors, and named results of operators, are tuples of their own kinds."""
    from rushlight.engine.core.size import Size
    from rushlight.engine.dispatch.named_results import NamedResult

    register_pytree_node(
        Size,
        lambda d: (list(d), None),
        lambda values, _: tuple(values),
        serialized_type_name="torch.Size",
        flatten_with_keys_fn=lambda d: (_keyed_sequence(d), None),
    )
    register_pytree_node(
        NamedResult,
        lambda d: (list(d), type(d)),
        lambda values, kind: kind(values),
        flatten_with_keys_fn=lambda d: (
            [(GetAttrKey(name), value) for name, value in zip(d._fields, d)],
            type(d),
        ),
    )
    return NamedResult


# Each operator's results have a class below this one.
_NAMED_RESULT = _register_own_kinds()


def is_namedtuple_class(cls: Any) -> bool:
    """Whether a class was made by `namedtuple`."""
    fields = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and all(type(name) is str for name in fields)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: object) -> bool:
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: object | type) -> bool:
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


_is_namedtuple_instance = is_namedtuple_instance


def is_structseq_class(cls: Any) -> bool:
    """Whether a class is a named tuple of Python's own, such as `time.struct_time`."""
    counts = ("n_fields", "n_sequence_fields", "n_unnamed_fields")
    return (
        isinstance(cls, type)
        and cls.__bases__ == (tuple,)
        and all(isinstance(getattr(cls, name, None), int) for name in counts)
    )


def is_structseq_instance(obj: object) -> bool:
    return is_structseq_class(type(obj))


def is_structseq(obj: object | type) -> bool:
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _get_node_type(tree: Any) -> Any:
    kind: Any = type(tree)
    return kind if kind in SUPPORTED_NODES else _type_of_unregistered(kind)


@functools.lru_cache(4096)
def _type_of_unregistered(kind: Any) -> Any:
    """As what a class is flattened that is not registered itself."""
    if is_namedtuple_class(kind):
        return namedtuple
    return _NAMED_RESULT if issubclass(kind, _NAMED_RESULT) else kind


def tree_is_leaf(tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Whether a value is no container, or one that ``is_leaf`` takes for a leaf."""
    if is_leaf is not None and is_leaf(tree):
        return True
    return _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf


# -- structures --


class TreeSpec:
    """What is left of a tree without its leaves.

    Args:
        type: the kind of container; None for a leaf
        context: what else it takes to make the container
        children_specs: the structures of its children
    """

    __slots__ = ("_children", "_context", "_type", "num_children", "num_leaves", "num_nodes")

    num_leaves: int
    num_nodes: int

    def __init__(self, type: Any, context: Context, children_specs: list[TreeSpec]) -> None:
        self._type, self._context, self._children = type, context, list(children_specs)
        self.num_children = len(self._children)
        nodes, leaves = 1, 0
        for child in self._children:
            nodes += child.num_nodes
            leaves += child.num_leaves
        self.num_nodes = nodes
        self.num_leaves = 1 if type is None else leaves

    @property
    def type(self) -> Any:
        return self._type

    @property
    def context(self) -> Any:
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        return self._children

    def children(self) -> list[TreeSpec]:
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        return self._children[index]

    def is_leaf(self) -> bool:
        return self._type is None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        mine, theirs = (self._type, self._context), (other._type, other._context)
        return mine == theirs and self._children == other._children

    def __hash__(self) -> int:
        context = tuple(self._context) if self._type in STANDARD_DICT_TYPES else None
        return hash((self._type, str(context), tuple(map(hash, self._children))))

    def __repr__(self, indent: int = 0) -> str:
        if self._type is None:
            return "*"
        inner = indent + 2
        children = [child.__repr__(inner) for child in self._children]
        text = f",\n{' ' * inner}".join(children)
        return f"TreeSpec({self._type.__name__}, {self._context}, [{text}])"

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """The tree of this structure with these leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec "
                f"refers to a pytree that holds {self.num_leaves} items ({self})."
            )
        return self._built(iter(leaves))

    def _built(self, leaves: Any) -> PyTree:
        if self._type is None:
            return next(leaves)
        children = [child._built(leaves) for child in self._children]
        return SUPPORTED_NODES[self._type].unflatten_fn(children, self._context)

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """The parts of a tree that stand where this structure has leaves."""
        found: list[PyTree] = []
        self._collect(tree, found)
        return found

    def _collect(self, tree: PyTree, found: list[PyTree]) -> None:
        if self._type is None:
            found.append(tree)
            return
        kind = _get_node_type(tree)
        both_dicts = self._type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES
        if kind is not self._type and not both_dicts:
            raise ValueError(
                f"Node type mismatch; expected {self._type!r}, but got {type(tree)!r}."
            )
        if both_dicts:
            children = self._values_by_key(tree)
        else:
            children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
            self._check_children(children, context, kind)
        for child, value in zip(self._children, children):
            child._collect(value, found)

    def _values_by_key(self, tree: Any) -> list[Any]:
        """The values of a dictionary in the order that this structure has."""
        keys = self._context[1] if self._type is defaultdict else self._context
        if len(tree) != self.num_children:
            raise ValueError(
                f"Node arity mismatch; expected {self.num_children}, but got {len(tree)}."
            )
        missing, extra = set(keys) - set(tree), set(tree) - set(keys)
        if missing or extra:
            parts = [f"; missing key(s): {missing}"] if missing else []
            parts += [f"; extra key(s): {extra}"] if extra else []
            raise ValueError(f"Node keys mismatch{''.join(parts)}.")
        return [tree[key] for key in keys]

    def _check_children(self, children: list[Any], context: Any, kind: Any) -> None:
        if len(children) != self.num_children:
            raise ValueError(
                f"Node arity mismatch; expected {self.num_children}, but got {len(children)}."
            )
        # A deque of another length limit is still the same structure.
        if context != self._context and kind is not deque:
            raise ValueError(
                f"Node context mismatch for custom node type {self._type!r}; expected "
                f"{self._context!r}, but got {context!r}."
            )


PyTreeSpec = TreeSpec


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])


_LEAF_SPEC = LeafSpec()


def treespec_leaf() -> LeafSpec:
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(
    mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (), /, **kwargs: TreeSpec
) -> TreeSpec:
    members = dict(mapping, **kwargs)
    return TreeSpec(dict, list(members), list(members.values()))


def treespec_pprint(treespec: TreeSpec) -> str:
    """The structure as text, drawn as a tree with stars for leaves."""
    return repr(tree_unflatten([_Star()] * treespec.num_leaves, treespec))


class _Star:
    def __repr__(self) -> str:
        return "*"


# -- apart and together --


def _flattened(tree: PyTree, leaves: list[Any], is_leaf: IsLeaf) -> TreeSpec:
    kind = _get_node_type(tree)
    if kind not in SUPPORTED_NODES or (is_leaf is not None and is_leaf(tree)):
        leaves.append(tree)
        return _LEAF_SPEC
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flattened(child, leaves, is_leaf) for child in children])


def tree_flatten(tree: PyTree, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree, and its structure."""
    leaves: list[Any] = []
    return leaves, _flattened(tree, leaves, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The tree of a structure with these leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "tree_unflatten(leaves, treespec): Expected `treespec` to be instance of PyTreeSpec "
            f"but got item of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: IsLeaf = None) -> Iterable[Any]:
    """The leaves of a tree, one after the other."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    children, _ = SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)
    for child in children:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a tree."""
    leaves: list[Any] = []
    _collect_leaves(tree, leaves, is_leaf)
    return leaves


def _collect_leaves(tree: PyTree, leaves: list[Any], is_leaf: IsLeaf) -> None:
    kind = _get_node_type(tree)
    if kind not in SUPPORTED_NODES or (is_leaf is not None and is_leaf(tree)):
        leaves.append(tree)
        return
    for child in SUPPORTED_NODES[kind].flatten_fn(tree)[0]:
        _collect_leaves(child, leaves, is_leaf)


def tree_structure(tree: PyTree, is_leaf: IsLeaf = None) -> TreeSpec:
    return tree_flatten(tree, is_leaf)[1]


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """The leaves of all arguments."""
    return [leaf for value in (*args, *kwargs.values()) for leaf in tree_iter(value)]


def tree_map(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """The tree with a function of every leaf, and of what other trees have in its place."""
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten(map(func, *columns))


def tree_map_(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Call a function for every leaf; the tree itself."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for values in zip(leaves, *(spec.flatten_up_to(rest) for rest in rests)):
        func(*values)
    return tree


def _predicate(chosen: Any) -> Callable[[Any], bool]:
    if isinstance(chosen, (type, tuple, UnionType)):
        return lambda value: isinstance(value, chosen)
    if callable(chosen):
        return chosen
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def map_only(
    type_or_types_or_pred: Any, /
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator: the function for leaves of a type, others as they are."""
    applies = _predicate(type_or_types_or_pred)

    def decorate(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(function)
        def chosen(value: Any) -> Any:
            return function(value) if applies(value) else value

        return chosen

    return decorate


def tree_map_only(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """The tree with a function of every leaf of a type."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """Call a function for every leaf of a type; the tree itself."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


# -- with the way to each leaf --


def _with_paths(path: KeyPath, tree: PyTree, is_leaf: IsLeaf) -> Iterable[tuple[KeyPath, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    kind = _get_node_type(tree)
    flatten = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if flatten is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a "
            "flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in flatten(tree)[0]:
        yield from _with_paths((*path, key), child, is_leaf)


def tree_flatten_with_path(
    tree: PyTree, is_leaf: IsLeaf = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """The leaves with the ways to them, and the structure."""
    return list(_with_paths((), tree, is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: PyTree, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    return list(_with_paths((), tree, is_leaf))


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """`tree_map` of a function that also gets the way to the leaf, first."""
    keyed, spec = tree_flatten_with_path(tree, is_leaf)
    paths, leaves = [path for path, _ in keyed], [leaf for _, leaf in keyed]
    columns = [leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten(map(func, paths, *columns))


def _broadcast_to_and_flatten(
    tree: PyTree, treespec: TreeSpec, is_leaf: IsLeaf = None
) -> list[Any] | None:
    """The leaves of a tree, each as often as the structure has leaves below it; None if it differs."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    kind = _get_node_type(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    if kind is not treespec.type or context != treespec.context:
        return None
    if len(children) != treespec.num_children:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec.children_specs):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        found += part
    return found


# -- structures as JSON --

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


def _dumped(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in SUPPORTED_SERIALIZED_TYPES:
        raise NotImplementedError(
            f"Serializing {spec.type} in pytree is not registered, please use "
            "`torch.utils._pytree.register_pytree_node` or `torch.utils._pytree._register_namedtuple`."
        )
    node = SUPPORTED_SERIALIZED_TYPES[spec.type]
    if node.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your "
            "_register_pytree_node call with a `serialized_type_name` kwarg."
        )
    import json

    if node.to_dumpable_context is None:
        context: Any = json.dumps(spec.context)
    else:
        context = json.dumps(node.to_dumpable_context(spec.context))
    return {
        "type": node.serialized_type_name,
        "context": context,
        "children_spec": [_dumped(child) for child in spec.children_specs],
    }


def _loaded(dumped: dict[str, Any]) -> TreeSpec:
    if dumped["type"] is None:
        return _LEAF_SPEC
    kind = SERIALIZED_TYPE_TO_PYTHON_TYPE.get(dumped["type"])
    if kind is None:
        raise KeyError(f"Unknown type {dumped['type']!r} of a serialized pytree")
    import json

    context = json.loads(dumped["context"])
    read = SUPPORTED_SERIALIZED_TYPES[kind].from_dumpable_context
    return TreeSpec(
        kind,
        context if read is None else read(context),
        [_loaded(c) for c in dumped["children_spec"]],
    )


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as text."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "treespec_dumps(treespec, protocol): Expected `treespec` to be instance of PyTreeSpec "
            f"but got item of type {type(treespec)}."
        )
    chosen = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL if protocol is None else protocol
    if chosen != 1:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    import json

    return json.dumps([chosen, _dumped(treespec)])


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that a text stands for."""
    import json

    protocol, dumped = json.loads(serialized)
    if protocol != 1:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return _loaded(dumped)
