"""State dicts without nesting: a path becomes one name."""

from __future__ import annotations

from typing import Any

from rushlight.distributed.checkpoint._traverse import OBJ_PATH, set_element, traverse_state_dict

FLATTEN_MAPPING = dict[str, OBJ_PATH]


def flatten_state_dict(state_dict: Any) -> tuple[dict[str, Any], FLATTEN_MAPPING]:
    """The values by one name each, and the paths behind the names."""
    flat: dict[str, Any] = {}
    paths: FLATTEN_MAPPING = {}

    def note(path: OBJ_PATH, value: Any) -> None:
        name = ".".join(map(str, path))
        if name in flat:
            raise ValueError(f"duplicated flatten key {name}")
        flat[name] = value
        paths[name] = path

    traverse_state_dict(state_dict, note)
    return flat, paths


def unflatten_state_dict(state_dict: Any, mapping: FLATTEN_MAPPING) -> dict[str, Any]:
    """The nested state dict behind a flat one."""
    nested: dict[str, Any] = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested
