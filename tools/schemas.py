"""Records every operator's schema, or says what has changed since the record.

python tools/schemas.py --write     after a change that is meant
python tools/schemas.py             what programs written against the record would notice
"""

from __future__ import annotations

import sys
from pathlib import Path

from rushlight.engine.dispatch.compatibility import compare
from rushlight.engine.generated.operators import OPERATORS

RECORD = Path(__file__).with_name("schemas.txt")


def current() -> dict[str, str]:
    return {name: facts[0] for name, facts in OPERATORS.items()}


def recorded(path: Path = RECORD) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.partition("(")[0]: line for line in lines}


def main(arguments: list[str]) -> int:
    if arguments == ["--write"]:
        RECORD.write_text("\n".join(sorted(current().values())) + "\n", encoding="utf-8")
        return 0
    found = compare(recorded(), current())
    print("\n".join(found) or "compatible")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
