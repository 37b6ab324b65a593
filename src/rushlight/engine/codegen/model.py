"""What the families' YAML files say, as frozen records that know the line they came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

try:
    # Reads in C, which takes a fifth of the time.
    from yaml import CSafeLoader as Loader
except ImportError:
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

from rushlight.engine.codegen import variants
from rushlight.engine.dispatch.schema import Schema, SchemaError, parse
from rushlight.engine.native.records import dataclass

OPS = Path(__file__).parents[1] / "ops"
FIELDS = {
    "func", "alias", "variants", "inplace", "out", "kind", "tags", "python_module", "binding",
    "deprecated", "autocast", "lazy_values", "numbers", "derivative", "inplace_derivative",
}  # fmt: skip
VARIANTS = {"function", "method"}
# Python namespaces whose functions have their name in front of their own.
PREFIXES = ("special", "linalg", "fft")
# What fields may say that have one of a few words.
WORDS = {
    "kind": {"pointwise"},
    "binding": {"none"},
    "autocast": {"lower_precision", "float32", "widest"},
    "lazy_values": {"seen"},
    "numbers": {"tensors"},
}


class YamlError(ValueError):
    """An entry is wrong; the message starts with its file and line."""


@dataclass(frozen=True)
class Entry:
    """One operator overload as its family declares it."""

    schema: Schema
    text: str
    family: str
    variants: frozenset[str]
    tags: tuple[str, ...]
    python_module: str
    is_bound: bool
    place: str
    # The operator that this is another name of: first all its overloads, then the one like this.
    alias: str = ""
    # Whether it is pointwise, although its kernel does not say so.
    is_pointwise: bool = False
    # Argument names in the order in which an old form of the call takes them by position.
    deprecated: tuple[tuple[str, ...], ...] = ()
    # To which type autocast brings the arguments; nothing if it leaves them.
    autocast: str = ""
    # Whether it looks at conjugate and negative keys itself, or at no elements.
    sees_lazy_values: bool = False
    # Whether its Python names take numbers where the schema has tensors.
    takes_numbers: bool = False
    # How it differentiates, see `codegen.derivatives`; None if nobody said.
    derivative: Mapping[str, Any] | None = None

    @property
    def facts(self) -> tuple[Any, ...]:
        """What `dispatch.operator.Operator` is made from."""
        given: tuple[Any, ...] = (self.text, self.family, self.tags)
        given += (self.autocast, self.sees_lazy_values, self.is_pointwise, self.alias)
        while not given[-1] and len(given) > 3:
            given = given[:-1]
        return given


class LineLoader(Loader):
    """Keeps the line of each mapping under the key `line`."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep=deep)
        found["line"] = node.start_mark.line + 1
        return found


def load(folder: Path = OPS) -> list[Entry]:
    """Every entry of every family, families in alphabetical order."""
    entries: list[Entry] = []
    for path in sorted(folder.glob("*/native_functions.yaml")):
        entries += read_family(path)
    places: dict[str, str] = {}
    for entry in entries:
        name = entry.schema.full_name
        if name in places:
            raise YamlError(f"{entry.place}: {name} is also declared at {places[name]}")
        places[name] = entry.place
    return with_targets(entries)


def with_targets(entries: list[Entry]) -> list[Entry]:
    """The entries with the overload that each alias calls: the one with its argument types."""
    overloads: dict[tuple[Any, ...], str] = {}
    for entry in entries:
        if not entry.schema.namespace:
            overloads[(entry.schema.name, *_types(entry.schema))] = entry.schema.base_name
    return [
        replace(entry, alias=_target(entry, overloads)) if entry.alias else entry
        for entry in entries
    ]


def _types(schema: Schema) -> tuple[str, ...]:
    return (schema.kind, *(argument.type.plain for argument in schema.arguments))


def _target(entry: Entry, overloads: Mapping[tuple[Any, ...], str]) -> str:
    found = overloads.get((entry.alias, *_types(entry.schema)))
    if found is None:
        raise YamlError(
            f"{entry.place}: {entry.alias} has no overload with the types of {entry.text}"
        )
    return found


def read_family(path: Path) -> list[Entry]:
    raw = yaml.load(path.read_text(encoding="utf-8"), Loader=LineLoader) or []
    return [
        entry
        for item in raw
        for entry in read_entries(item, path.parent.name, f"{path.name}:{item['line']}")
    ]


def read_entries(item: Mapping[str, Any], family: str, where: str) -> Iterator[Entry]:
    """An overload, and its variants."""
    entry = read_entry(item, family, where)
    yield entry
    if "inplace" in item:
        words = _words(item["inplace"])
        made = _variant(entry, variants.inplace_of(entry.text), words, words - {"untagged"})
        yield replace(made, derivative=_rule(item.get("inplace_derivative")))
    if "out" in item:
        name, *more = (word.strip() for word in item["out"].split(","))
        made = _variant(entry, variants.out_of(entry.text, name), set(more), {"function"})
        yield replace(made, deprecated=())


def _words(text: str) -> set[str]:
    return {word.strip() for word in text.split(",")}


def _variant(entry: Entry, func: str | None, words: set[str], bound: set[str]) -> Entry:
    """A variant of a functional overload: what it does not say itself is the overload's."""
    if func is None:
        raise YamlError(f"{entry.place}: no variant follows from {entry.text}")
    if not bound <= VARIANTS or not words - bound <= {"untagged"}:
        raise YamlError(f"{entry.place}: {', '.join(sorted(words))} say nothing of a variant")
    tags = () if "untagged" in words else variants.tags_of(entry.tags)
    schema = parse(func)
    alias = f"{entry.alias}_" if entry.alias and schema.kind == "inplace" else entry.alias
    return replace(
        entry, schema=schema, text=func, variants=frozenset(bound), tags=tags, autocast="",
        derivative=None, alias=alias,
    )  # fmt: skip


def read_entry(item: Mapping[str, Any], family: str, where: str) -> Entry:
    place = f"{family}/{where}"
    unknown = set(item) - FIELDS - {"line"}
    if unknown:
        raise YamlError(f"{place}: unknown field {', '.join(sorted(unknown))}")
    try:
        schema = parse(item["func"])
    except KeyError:
        raise YamlError(f"{place}: the entry has no `func`") from None
    except SchemaError as error:
        raise YamlError(f"{place}: {error}") from None
    bound = frozenset(_words(item.get("variants", "function")))
    if not bound <= VARIANTS:
        raise YamlError(f"{place}: variants are `function` and `method`, not {sorted(bound)}")
    for field, words in WORDS.items():
        if item.get(field, "") not in ("", *words):
            raise YamlError(f"{place}: `{field}` can only be `{'` or `'.join(sorted(words))}`")
    return Entry(
        schema,
        item["func"],
        family,
        bound,
        tuple(item.get("tags", ())),
        schema.namespace or item.get("python_module") or _prefix(schema.name),
        "binding" not in item,
        place,
        item.get("alias", ""),
        "kind" in item,
        _old_forms(item.get("deprecated", ())),
        item.get("autocast", ""),
        "lazy_values" in item,
        "numbers" in item,
        _rule(item.get("derivative")),
    )


def _prefix(name: str) -> str:
    """The Python namespace that an operator's name begins with."""
    first = name.partition("_")[0]
    return first if first in PREFIXES else ""


def _rule(given: Any) -> Mapping[str, Any] | None:
    """A rule; one that is a single word is a mapping with that field."""
    return {given: True} if isinstance(given, str) else given


def _old_forms(given: Any) -> tuple[tuple[str, ...], ...]:
    """One old form's argument names, or several such lists."""
    if not given:
        return ()
    lists = given if isinstance(given[0], list) else [given]
    return tuple(tuple(names) for names in lists)
