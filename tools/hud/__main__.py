"""`python tools/hud append|draw`: figures of each run, and a page drawn from them."""

from __future__ import annotations

import argparse
import datetime
import platform
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from hud import figures, page


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    parser = argparse.ArgumentParser(prog="hud", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    append = commands.add_parser("append", help="add one run's figures to a history")
    append.add_argument("history", type=Path)
    append.add_argument("--commit", required=True)
    append.add_argument("--date", help="in ISO form; now, if left out")
    append.add_argument("--machine", default=f"{platform.system()} {platform.machine()}")
    append.add_argument("--benchmarks", type=Path, nargs="*", default=[], metavar="JSON",
                        help="what `benchmarks/run.py --json` wrote")  # fmt: skip
    append.add_argument("--parity", type=Path, metavar="JSON", help="what the parity tool wrote")
    append.add_argument("--tests", type=Path, metavar="XML", help="what `pytest --junitxml` wrote")
    append.set_defaults(run=_append)
    draw = commands.add_parser("draw", help="write the page of a history")
    draw.add_argument("history", type=Path)
    draw.add_argument("page", type=Path)
    draw.set_defaults(run=_draw)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except (figures.Unreadable, OSError) as error:
        print(f"hud: {error}", file=sys.stderr)
        return 1
    return 0


def _append(options: argparse.Namespace) -> None:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = figures.record_of(
        options.date or now, options.commit, options.machine,
        options.benchmarks, options.parity, options.tests,
    )  # fmt: skip
    figures.append(options.history, record)


def _draw(options: argparse.Namespace) -> None:
    options.page.write_text(page.draw(figures.read(options.history)), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
