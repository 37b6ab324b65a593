"""Compare with PyTorch over its own samples and hold the result against recorded floors.

`python tools/parity_floors.py --tool PATH` runs the parity tool on the families listed in
`tools/parity_floors.json` and fails if a share of passing samples is below its floor. A kind with
names of its own (layers, optimizers, random numbers) says which. `--full` takes all samples, not
the quick choice among them, and has floors of its own. `--record` writes what was measured as the
new floors.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

FLOORS = Path(__file__).with_name("parity_floors.json")
ROOT = Path(__file__).parent.parent


def measure(tool: str, ops: str, kind: str, options: list[str]) -> tuple[int, int]:
    """Passed and all samples of the operators that match."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, tool, "--path", str(ROOT / "src"), "--ops", ops]
        command += ["--kinds", kind, "--json", str(report), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        line = next((x for x in done.stdout.splitlines() if x.startswith(f"{kind}: ")), "")
    if "samples" not in line:
        raise SystemExit(
            f"parity gave no result for {kind}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    passed, total = line.rpartition(", ")[2].removesuffix(" samples").split("/")
    return int(passed), int(total)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--full", action="store_true", help="all samples (about an hour)")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    recorded = json.loads(FLOORS.read_text())
    ops = "^(" + "|".join(recorded["ops"]) + ")$"
    floor = "full floor" if options.full else "floor"
    below = []
    for kind, entry in recorded["kinds"].items():
        choice = ["--timeout", "300", *([] if options.full else ["--quick"])]
        passed, total = measure(options.tool, entry.get("ops", ops), kind, choice)
        share = 100 * passed / max(total, 1)
        print(
            f"{kind}: {passed}/{total} samples, {share:.1f} % (floor {entry[floor]} %)",
            flush=True,
        )
        if options.record:
            entry[floor] = math.floor(share * 10) / 10
        elif share < entry[floor]:
            below.append(kind)
    if options.record:
        FLOORS.write_text(json.dumps(recorded, indent=2) + "\n")
    if below:
        print(f"below the recorded floor: {', '.join(below)}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
