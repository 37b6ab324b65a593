"""What the families' YAML files say, as frozen records that know the line they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rushlight.engine.dispatch.schema import Schema, SchemaError, parse

OPS = Path(__file__).parents[1] / "ops"
FIELDS = {"func", "variants", "kind", "tags", "python_module", "binding", "deprecated"}
KINDS = {
    "pointwise", "reduction", "scan", "rows", "view", "composite", "structured", "explicit",
}  # fmt: skip
VARIANTS = {"function", "method"}


class YamlError(ValueError):
    """An entry is wrong; the message starts with its file and line."""


@dataclass(frozen=True)
class Entry:
    """One operator overload as its family declares it."""

    schema: Schema
    text: str
    family: str
    kind: str
    variants: frozenset[str]
    tags: tuple[str, ...]
    python_module: str
    is_bound: bool
    place: str
    # Argument names in the order in which an old form of the call takes them by position.
    deprecated: tuple[tuple[str, ...], ...] = ()


class LineLoader(yaml.SafeLoader):
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
        name = entry.schema.base_name
        if name in places:
            raise YamlError(f"{entry.place}: {name} is also declared at {places[name]}")
        places[name] = entry.place
    return entries


def read_family(path: Path) -> list[Entry]:
    raw = yaml.load(path.read_text(encoding="utf-8"), Loader=LineLoader) or []
    return [read_entry(item, path.parent.name, f"{path.name}:{item['line']}") for item in raw]


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
    variants = frozenset(word.strip() for word in item.get("variants", "function").split(","))
    kind = item.get("kind", "explicit")
    if kind not in KINDS:
        raise YamlError(f"{place}: the kind {kind!r} is not one of {', '.join(sorted(KINDS))}")
    if not variants <= VARIANTS:
        raise YamlError(f"{place}: variants are `function` and `method`, not {sorted(variants)}")
    if item.get("binding", "") not in ("", "none"):
        raise YamlError(f"{place}: `binding` can only be `none`")
    return Entry(
        schema,
        item["func"],
        family,
        kind,
        variants,
        tuple(item.get("tags", ())),
        item.get("python_module", ""),
        "binding" not in item,
        place,
        _old_forms(item.get("deprecated", ())),
    )


def _old_forms(given: Any) -> tuple[tuple[str, ...], ...]:
    """One old form's argument names, or several such lists."""
    if not given:
        return ()
    lists = given if isinstance(given[0], list) else [given]
    return tuple(tuple(names) for names in lists)
