"""Kernels with their source: the kernel language beside its IR."""

import re

import pytest

import rushlight as torch
from rushlight._command import main
from rushlight._command.explain.side_by_side import WIDTH, side_by_side

CALLS = {
    "sum": (torch.sum, (torch.ones(3, 4), 1)),
    "product": (torch.mm, (torch.ones(30, 40), torch.ones(40, 50))),
    "scan": (torch.cumsum, (torch.ones(5, 7), 0)),
    "map": (torch.add, (torch.ones(5), torch.ones(5))),
}


@pytest.mark.parametrize("name", CALLS)
def test_lines_of_source_stand_beside_the_ir_that_they_write(name):
    function, arguments = CALLS[name]
    text = side_by_side(function, *arguments)
    rows = [line for line in text.splitlines() if line[WIDTH : WIDTH + 2] == " |"]
    assert len(rows) > 10
    assert any(re.match(r"\w+\.py: ", row) for row in rows)
    # Source is not shown for its own sake: an instruction follows each line.
    starts = [row for row in rows if re.match(r" *\d+ \S", row)]
    assert starts
    assert all(row[WIDTH + 2 :].strip() for row in starts)


def test_a_loop_is_shown_by_its_head():
    text = side_by_side(torch.sum, torch.ones(3, 4), 1)
    assert re.search(r"for outer in range\(self.size\[2\]\): +\| br label %head", text)


def test_every_line_of_the_ir_is_there():
    call = torch.exp, torch.ones(6)
    ir = torch.explain(*call).partition("== LLVM IR ==\n")[2].partition("\n\n== ")[0]
    instructions = [line.strip() for line in ir.splitlines() if line.startswith("  %")]
    shown = side_by_side(*call)
    assert instructions
    assert all(f"| {line}" in shown for line in instructions)


def test_a_view_runs_no_kernel():
    assert side_by_side(torch.Tensor.t, torch.ones(2, 3)) == "no kernel is run"


def test_the_command_shows_kernels(capsys):
    assert main.main(["explain", "--kernels", "a + b"]) == 0
    assert capsys.readouterr().out.startswith("define void @KERNEL")
