"""The page: how pass rates and ratios went, the worst rows and the slowest tests of the last run.

It needs no network. Each curve is a small picture of its own with the last value beside its name, so
that no legend is needed; a point shows its run when it is pointed at.
"""

from __future__ import annotations

import html
import math
import statistics
from collections.abc import Callable, Iterable, Sequence

from hud.figures import Record

WORST = 20
WIDTH, HEIGHT, MARGIN = 300, 80, 6
# A curve: for each run that has the figure, its record and the value.
Curve = list[tuple[Record, float]]

_STYLE = """
:root { color-scheme: light dark; --back: #fcfbf8; --ink: #22201c; --dim: #7a746a; --rule: #ddd6c8;
  --line: #8a5a12; --bad: #b3261e; --good: #2e7d32; }
@media (prefers-color-scheme: dark) { :root { --back: #1b1a18; --ink: #e6e1d6; --dim: #958e80; --rule: #3a372f;
  --line: #e0a94a; --bad: #ff8a80; --good: #81c784; } }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1rem; color: var(--dim); }
.curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1rem 1.5rem; }
figure { margin: 0; } figcaption { display: flex; justify-content: space-between; }
figcaption b { font-weight: 600; } figcaption span { font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; overflow: visible; }
polyline { fill: none; stroke: var(--line); stroke-width: 1.5; } circle { fill: var(--line); }
.one { stroke: var(--rule); stroke-dasharray: 4 3; } svg text { fill: var(--dim); font-size: 9px; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--dim); font-weight: 500; }
td, th { padding: 2px 12px 2px 0; border-bottom: 1px solid var(--rule); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.bad { color: var(--bad); } .good { color: var(--good); } .dim { color: var(--dim); }
"""


def draw(records: Sequence[Record]) -> str:
    """The page of a history."""
    machines = list(dict.fromkeys(record["machine"] for record in records))
    body = "".join(_machine(m, [r for r in records if r["machine"] == m]) for m in machines)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>rushlight: figures</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        "<h1>rushlight: figures</h1>\n"
        f"{body or '<p>There are no runs yet.</p>'}</body>\n</html>\n"
    )


def _machine(machine: str, records: Sequence[Record]) -> str:
    last = records[-1]
    head = (
        f"<h2>{html.escape(machine)}</h2>\n<p class='dim'>{len(records)} runs; the last on "
        f"{html.escape(last['date'])}, commit {html.escape(last['commit'][:12])}</p>\n"
    )
    return head + _parity(records) + _benchmarks(records) + _tests(records)


def _parity(records: Sequence[Record]) -> str:
    """Pass rates by kind, and what fails."""
    curves = {
        kind: _curve(records, lambda r, kind=kind: pass_rate(r, kind))
        for kind in _names(records, "parity")
    }
    if not curves:
        return ""
    rows = [
        (kind, name)
        for kind, found in _last(records, "parity").items()
        for name in found["failing"]
    ]
    table = _table(("kind", "operators that do not pass"), _grouped(rows), "")
    return _section("Samples that pass, in percent", curves, "{:.2f} %", None, up=True) + table


def _benchmarks(records: Sequence[Record]) -> str:
    """Mean ratios by suite, and the worst workloads."""
    curves = {
        suite: _curve(records, lambda r, suite=suite: mean_ratio(r, suite))
        for suite in _names(records, "benchmarks")
    }
    if not curves:
        return ""
    rows = [
        (suite, workload, _ratio(ratio), _ratio(before))
        for suite, workload, ratio, before in worst_rows(records)[:WORST]
    ]
    title = "Time divided by PyTorch's, geometric means"
    return _section(title, curves, "{:.2f}", 1.0, up=False) + _table(
        ("suite", "workload", "ratio", "the run before"), rows, "Worst rows"
    )


def _tests(records: Sequence[Record]) -> str:
    """How long the tests take, what fails, and the slowest."""
    curves = {
        "seconds": _curve(records, lambda r: r.get("tests", {}).get("seconds")),
        "failing": _curve(records, lambda r: r.get("tests", {}).get("failed")),
    }
    tests = _last(records, "tests")
    if not tests:
        return ""
    slow = [(name, f"{seconds:.2f} s") for name, seconds in tests["slowest"]]
    failing = [(name,) for name in tests["failing"]]
    return (
        _section("Tests", curves, "{:.0f}", None, up=False)
        + (_table(("failing",), failing, "") if failing else "")
        + _table(("test", "time"), slow, "Slowest tests")
    )


# -- figures --


def pass_rate(record: Record, kind: str) -> float | None:
    """The percentage of samples that pass."""
    found = record.get("parity", {}).get(kind)
    return 100 * found["passed"] / found["samples"] if found and found["samples"] else None


def mean_ratio(record: Record, suite: str) -> float | None:
    """The geometric mean of a suite's ratios; workloads that failed have none."""
    ratios = [r for r in record.get("benchmarks", {}).get(suite, {}).values() if r]
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None


def worst_rows(records: Sequence[Record]) -> list[tuple[str, str, float | None, float | None]]:
    """Suite, workload, ratio and the ratio before; those that failed first, then the largest."""
    with_figures = [r for r in records if "benchmarks" in r]
    last = with_figures[-1]["benchmarks"] if with_figures else {}
    before = with_figures[-2]["benchmarks"] if len(with_figures) > 1 else {}
    rows = [
        (suite, workload, ratio, before.get(suite, {}).get(workload))
        for suite, ratios in last.items()
        for workload, ratio in ratios.items()
    ]
    return sorted(rows, key=lambda row: -math.inf if row[2] is None else -row[2])


def _names(records: Sequence[Record], part: str) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record.get(part, {})))


def _last(records: Sequence[Record], part: str) -> dict:
    """The part of the last run that has it."""
    return next((record[part] for record in reversed(records) if part in record), {})


def _curve(records: Sequence[Record], value: Callable[[Record], float | None]) -> Curve:
    return [(record, v) for record in records if (v := value(record)) is not None]


def _grouped(rows: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    groups: dict[str, list[str]] = {}
    for kind, name in rows:
        groups.setdefault(kind, []).append(name)
    return [(kind, ", ".join(names)) for kind, names in groups.items()]


def _ratio(ratio: float | None) -> str:
    return "failed" if ratio is None else f"{ratio:.2f}"


# -- drawing --


def _section(
    title: str, curves: dict[str, Curve], form: str, line: float | None, *, up: bool
) -> str:
    pictures = "".join(
        picture(name, curve, form, line, up=up) for name, curve in curves.items() if curve
    )
    return f"<h3>{html.escape(title)}</h3>\n<div class='curves'>\n{pictures}</div>\n"


def picture(name: str, curve: Curve, form: str, line: float | None, *, up: bool) -> str:
    """One curve: its name, its last value and its change, and a line over the runs."""
    values = [value for _, value in curve]
    low, high = min(values), max(values)
    if line is not None:
        low, high = min(low, line), max(high, line)
    reach = (high - low) or 1.0

    def x(k: int) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * (k / (len(curve) - 1) if len(curve) > 1 else 0.5)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (value - low) / reach

    points = " ".join(f"{x(k):.1f},{y(v):.1f}" for k, v in enumerate(values))
    dots = "".join(
        f'<circle cx="{x(k):.1f}" cy="{y(v):.1f}" r="2.5"><title>'
        f"{html.escape(r['date'])}, {html.escape(r['commit'][:12])}: {form.format(v)}</title></circle>"
        for k, (r, v) in enumerate(curve)
    )
    ruler = ""
    if line is not None:
        ruler = (
            f'<line class="one" x1="0" x2="{WIDTH}" y1="{y(line):.1f}" y2="{y(line):.1f}"/>'
            f'<text x="{WIDTH}" y="{y(line) - 3:.1f}" text-anchor="end">PyTorch</text>'
        )
    return (
        f"<figure><figcaption><b>{html.escape(name)}</b> "
        f"<small class='dim'>{form.format(min(values))} … {form.format(max(values))}</small> "
        f"<span>{form.format(values[-1])}{_change(values, up)}</span></figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(name)}">'
        f'{ruler}<polyline points="{points}"/>{dots}</svg></figure>\n'
    )


def _change(values: Sequence[float], up: bool) -> str:
    """How the last value differs from the one before, and whether that is good."""
    if len(values) < 2 or f"{values[-1] - values[-2]:+.2f}" in ("+0.00", "-0.00"):
        return ""
    change = values[-1] - values[-2]
    return f' <span class="{"good" if (change > 0) == up else "bad"}">{change:+.2f}</span>'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> str:
    if not rows:
        return ""

    def cells(tag: str, row: Sequence[str]) -> str:
        numbers = {k for k, name in enumerate(head) if name in ("ratio", "the run before", "time")}
        return "".join(
            f"<{tag}{' class=n' if k in numbers else ''}>{html.escape(cell)}</{tag}>"
            for k, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in rows)
    named = f"<h3>{html.escape(title)}</h3>\n" if title else ""
    return f"{named}<table><tr>{cells('th', head)}</tr>\n{body}</table>\n"
