"""How texts are optimised, and what that leaves behind in the process."""

import llvmlite.binding as llvm
import pytest

from rushlight.engine.native import machine
from rushlight.engine.native.lowlevel import Module

WALK = """
define i64 @{name}(ptr %at, i64 %n, i64 %stride) {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %sum = phi i64 [ 0, %entry ], [ %more, %head ]
  %step = mul i64 %i, %stride
  %place = getelementptr i8, ptr %at, i64 %step
  %word = load i64, ptr %place
  %more = add i64 %sum, %word
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %head, label %done
done:
  ret i64 %more
}}
"""


def test_others_who_use_llvm_keep_their_options() -> None:
    """Ours is made without strength reduction, which turns the product in the loop into a sum."""
    assert "mul" in machine.assembly(WALK.format(name="KERNEL"))
    target = llvm.Target.from_default_triple().create_target_machine(opt=2)
    assert "mul" not in target.emit_assembly(llvm.parse_assembly(WALK.format(name="theirs")))


def short_and_long(optimise: int) -> str:
    module = Module(f"lengths{optimise}", optimise=optimise)

    @module.function
    def half(n: int) -> int:
        return n // 2

    @module.function
    def outer(n: int) -> int:
        total = 0
        for k in range(n):
            total += half(k)
        return total

    return machine.assembly(module.part(outer).ir(), optimise)


def test_short_functions_become_part_of_their_callers() -> None:
    for level in (machine.TIDY, machine.FULLY):
        body = short_and_long(level).split(f"lengths{level}__outer:")[1]
        assert f"lengths{level}__half" not in body.split("Lfunc_end")[0]
        assert "(%rsp)" not in body


def test_a_text_without_what_is_asked_for_is_refused() -> None:
    with pytest.raises(RuntimeError, match="lacks the symbols absent_"):
        machine.library(WALK.format(name="present"), ("present", "absent"))
