"""`python -m rushlight.engine.codegen [--check]`: write the generated files, or list old ones."""

from __future__ import annotations

import sys
from pathlib import Path

from rushlight.engine.codegen import outputs
from rushlight.engine.codegen.model import load

GENERATED = Path(__file__).parents[1] / "generated"
PACKAGE = Path(__file__).parents[2]


def stale(files: dict[str, str], folder: Path = PACKAGE) -> list[str]:
    """The files that differ from what the YAML says, and those that should not be there."""
    old = [name for name, text in files.items() if read(folder / name) != text]
    generated = folder / "engine" / "generated"
    there = {
        path.relative_to(folder).as_posix()
        for path in generated.rglob("*.py*")
        if path.suffix in (".py", ".pyi")
    }
    return old + sorted(there - set(files))


def read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def write(files: dict[str, str], folder: Path = PACKAGE) -> list[str]:
    changed = stale(files, folder)
    for name in changed:
        path = folder / name
        if name not in files:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name], encoding="utf-8")
    return changed


def main(arguments: list[str]) -> int:
    files = outputs.everything(load())
    if arguments == ["--check"]:
        old = stale(files)
        print("\n".join(f"out of date: {name}" for name in old) or "up to date")
        return 1 if old else 0
    if arguments:
        print(__doc__)
        return 2
    print("\n".join(f"wrote {name}" for name in write(files)) or "up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
