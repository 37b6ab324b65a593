"""Types with raw fields."""

import sys

import pytest

from rushlight.engine.native import heap_types

pytestmark = pytest.mark.skipif(not heap_types.supported(), reason="needs raw fields")


def test_fields():
    base = heap_types.make_base("probe.Base", ("first", "second"))
    cls = type("Probe", (base,), {"__slots__": ("held", "__dict__", "__weakref__")})
    made = cls()
    assert made.first == made.second == 0
    made.first, made.second = -5, 1 << 62
    assert (made.first, made.second) == (-5, 1 << 62)
    with pytest.raises(TypeError):
        made.first = "text"
    made.held = made
    assert heap_types.slot_offset(cls, "held") >= heap_types.field_offset(
        ("first", "second"), "second"
    )


def test_references(collect):
    base = heap_types.make_base("probe.Other", ("word",))
    cls = type("Other", (base,), {"__slots__": ("held",)})
    thing = object()
    before = sys.getrefcount(thing)
    for _ in range(100):
        made = cls()
        made.held = thing
    del made
    collect()
    assert sys.getrefcount(thing) == before
