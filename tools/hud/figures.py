"""The history of figures: a file with one line of JSON for each run.

A record has the date, the commit and the machine, and of what was measured:

* ``benchmarks``: suite -> workload -> our time divided by PyTorch's, or None if it failed;
* ``parity``: kind -> samples that pass, all samples, and the operators that fail;
* ``tests``: how many passed, failed and were skipped, seconds, and the slowest ones.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Record = dict[str, Any]
SLOWEST = 20
_FIELDS = ("date", "commit", "machine")


class Unreadable(Exception):
    """A file is not what it should be."""


def record_of(
    date: str,
    commit: str,
    machine: str,
    benchmarks: Iterable[Path] = (),
    parity: Path | None = None,
    tests: Path | None = None,
) -> Record:
    """One run's figures, out of the reports of its tools."""
    record: Record = {"date": date, "commit": commit, "machine": machine}
    suites = dict(_suite_of(path) for path in benchmarks)
    if suites:
        record["benchmarks"] = suites
    if parity is not None:
        record["parity"] = _parity_of(parity)
    if tests is not None:
        record["tests"] = _tests_of(tests)
    return record


def append(history: Path, record: Record) -> None:
    """Add a record to a history; lines that are there stay as they are."""
    with history.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, sort_keys=True, allow_nan=False) + "\n")


def read(history: Path) -> list[Record]:
    """All records, oldest first."""
    records = []
    for number, line in enumerate(history.read_text("utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise Unreadable(f"{history}, line {number}: {error}") from None
        missing = [field for field in _FIELDS if field not in record]
        if missing:
            raise Unreadable(f"{history}, line {number} has no {', '.join(missing)}")
        records.append(record)
    return sorted(records, key=lambda record: record["date"])


def _load(path: Path, *fields: str) -> Any:
    try:
        report = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise Unreadable(f"{path}: {error}") from None
    missing = [field for field in fields if field not in report]
    if missing:
        raise Unreadable(f"{path} has no {', '.join(missing)}")
    return report


def _suite_of(path: Path) -> tuple[str, dict[str, float | None]]:
    report = _load(path, "suite", "threads", "ratios")
    threads = report["threads"]
    name = report["suite"] if threads == 1 else f"{report['suite']}, {threads} threads"
    return name, report["ratios"]


def _parity_of(path: Path) -> dict[str, Any]:
    kinds = _load(path, "kinds")["kinds"]
    return {
        kind: {
            "passed": found["summary"]["samples_passed"],
            "samples": found["summary"]["samples"],
            "failing": [r["name"] for r in found["results"] if r["status"] in ("fail", "missing")],
        }
        for kind, found in kinds.items()
    }


def _tests_of(path: Path) -> dict[str, Any]:
    try:
        cases = list(xml.parse(path).iter("testcase"))
    except xml.ParseError as error:
        raise Unreadable(f"{path}: {error}") from None
    failed = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    skipped = [c for c in cases if c.find("skipped") is not None]
    times = {f"{c.get('classname')}::{c.get('name')}": float(c.get("time", 0)) for c in cases}
    slowest = sorted(times.items(), key=lambda item: -item[1])[:SLOWEST]
    return {
        "passed": len(cases) - len(failed) - len(skipped),
        "failed": len(failed),
        "skipped": len(skipped),
        "seconds": round(sum(times.values()), 1),
        "failing": [f"{c.get('classname')}::{c.get('name')}" for c in failed],
        "slowest": slowest,
    }
