"""Draws the pictures of the chapters, which are those that `rushlight explain --compile --picture` draws.

python tools/pictures.py           # write docs/pictures
python tools/pictures.py --check   # say which ones would be others
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import rushlight as torch
from rushlight._command.explain.compiled import Compilation, Section, sections
from rushlight._command.explain.graphs import exported_picture, lazy_picture
from rushlight._command.explain.picture import Picture, beside, stacked

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def _told(program: Callable[..., object], *args: object) -> list[Section]:
    return sections(Compilation(program, *args), code=False, times=False)


def _of(told: list[Section], *beginnings: str) -> list[tuple[str, Picture]]:
    """Some of the pictures, by the beginnings of their titles."""
    return [
        (part.title, part.picture)
        for part in told
        if part.picture is not None and part.title.startswith(beginnings)
    ]


def capture() -> Picture:
    """A program that is two graphs: a branch on a tensor is between them."""

    def run(x: torch.Tensor) -> torch.Tensor:
        y = x.sin() + 1
        if y.sum() > 0:
            y = y * 2
        return y

    return beside(_of(_told(run, torch.zeros(2)), "captured graph"))


def joint_graph() -> Picture:
    """Both directions of a normalisation and a product."""

    def norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.relu((x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)) @ w)

    inputs = torch.ones(4, 8, requires_grad=True), torch.ones(8, 8, requires_grad=True)
    return stacked(_of(_told(norm, *inputs), "joint graph"))


def fusion() -> Picture:
    """Operators, the loops that they become, and the memory of these."""

    def block(x: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
        normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
        return x + torch.nn.functional.silu(normed @ w1) @ w2

    told = _told(block, torch.ones(2048, 128), torch.ones(128, 512), torch.ones(512, 128))
    graphs = beside(_of(told, "forward: operators", "forward: loops"))
    return stacked([("", graphs), *_of(told, "forward: memory")])


def export() -> Picture:
    """A module with a buffer that it writes to."""

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(3, 2)
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls.add_(1)
            return self.linear(x).relu()

    program = torch.export.export(Net(), (torch.ones(4, 3),))
    return exported_picture(program.run_decompositions())


def lazy_tensors() -> Picture:
    """A softmax that nobody has looked at."""
    x = torch.ones(4, 8).to("lazy")
    shifted = (x - x.amax(1, keepdim=True)).exp()
    return lazy_picture([shifted / shifted.sum(1, keepdim=True)])


PICTURES = (capture, joint_graph, fusion, export, lazy_tensors)


def main(arguments: list[str]) -> int:
    """Write the pictures, or check them."""
    others = []
    for draw in PICTURES:
        path, text = FOLDER / f"{draw.__name__}.svg", str(draw()) + "\n"
        if not path.exists() or path.read_text("utf-8") != text:
            others.append(path.name)
            if "--check" not in arguments:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, "utf-8")
    print("\n".join(others) or "all pictures are as they would be drawn")
    return 1 if others and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
