"""The history of figures and the page that is drawn from it, with figures that are made up."""

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hud import figures, page
from hud.__main__ import main

JUNIT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="tests.test_a" name="test_quick" time="0.5"/>
<testcase classname="tests.test_a" name="test_slow&lt;1&gt;" time="12.25"/>
<testcase classname="tests.test_b" name="test_broken" time="1"><failure message="no">x</failure></testcase>
<testcase classname="tests.test_b" name="test_left_out" time="0"><skipped message="s"/></testcase>
</testsuite></testsuites>"""


def parity(passed: int, failing: list[str]) -> dict:
    results = [{"name": name, "status": "fail"} for name in failing]
    results.append({"name": "add", "status": "pass"})
    return {
        "kinds": {
            "forward": {"summary": {"samples_passed": passed, "samples": 200}, "results": results}
        }
    }


@pytest.fixture
def history(tmp_path) -> Path:
    """Three runs on one machine, one on another."""
    path = tmp_path / "figures.jsonl"
    (tmp_path / "junit.xml").write_text(JUNIT)
    runs = [(180, ["sin"], 0.5, 1.5), (190, ["sin", "a<b"], 0.25, 3.0), (198, ["sin"], 0.125, None)]
    for day, (passed, failing, first, second) in enumerate(runs, 1):
        suite = {"suite": "nn", "threads": 1, "ratios": {"linear": first, "conv <2d>": second}}
        (tmp_path / "nn.json").write_text(json.dumps(suite))
        (tmp_path / "parity.json").write_text(json.dumps(parity(passed, failing)))
        given = [
            "append",
            str(path),
            "--commit",
            f"{day:040x}",
            "--date",
            f"2030-01-0{day}T00:00:00",
        ]
        given += ["--machine", "Linux x86_64", "--benchmarks", str(tmp_path / "nn.json")]
        given += ["--parity", str(tmp_path / "parity.json"), "--tests", str(tmp_path / "junit.xml")]
        assert main(given) == 0
    given = ["append", str(path), "--commit", "f" * 40, "--date", "2029-12-31T00:00:00"]
    assert main([*given, "--machine", "Linux aarch64", "--tests", str(tmp_path / "junit.xml")]) == 0
    return path


def test_each_run_is_one_line_and_the_oldest_comes_first(history):
    lines = history.read_text().splitlines()
    assert len(lines) == 4 and all(json.loads(line) for line in lines)
    records = figures.read(history)
    assert [r["date"][:10] for r in records] == [
        "2029-12-31", "2030-01-01", "2030-01-02", "2030-01-03",
    ]  # fmt: skip
    assert "benchmarks" not in records[0]


def test_what_is_kept_of_reports(history):
    last = figures.read(history)[-1]
    assert last["parity"] == {"forward": {"passed": 198, "samples": 200, "failing": ["sin"]}}
    assert last["benchmarks"] == {"nn": {"linear": 0.125, "conv <2d>": None}}
    tests = last["tests"]
    assert (tests["passed"], tests["failed"], tests["skipped"]) == (2, 1, 1)
    assert tests["seconds"] == 13.8
    assert tests["failing"] == ["tests.test_b::test_broken"]
    assert tests["slowest"][0] == ["tests.test_a::test_slow<1>", 12.25]


def test_figures_of_a_run(history):
    records = figures.read(history)
    assert page.pass_rate(records[1], "forward") == 90.0
    assert page.pass_rate(records[0], "forward") is None
    assert math.isclose(page.mean_ratio(records[2], "nn"), math.sqrt(0.25 * 3))
    assert math.isclose(page.mean_ratio(records[3], "nn"), 0.125)
    # What failed comes first, then what is slowest; beside it the run before.
    assert page.worst_rows(records) == [
        ("nn", "conv <2d>", None, 3.0),
        ("nn", "linear", 0.125, 0.25),
    ]


class Reader(HTMLParser):
    """The elements of a page, each closed again."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.addresses: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data + " "


def test_the_page_shows_rates_ratios_worst_rows_and_slowest_tests(history, tmp_path):
    target = tmp_path / "page.html"
    assert main(["draw", str(history), str(target)]) == 0
    read = Reader(target.read_text("utf-8"))
    assert read.addresses == []
    for expected in (
        "Linux x86_64", "Linux aarch64", "99.00 %", "+4.00", "conv <2d>", "failed", "3.00",
        "tests.test_a::test_slow<1>", "12.25 s", "tests.test_b::test_broken", "sin",
    ):  # fmt: skip
        assert expected in read.text, expected
    assert "a<b" not in read.text, "what failed earlier passes now"
    # Forward, nn, and two of the tests on one machine; two of the tests on the other.
    assert read.tags.count("svg") == 6
    assert read.tags.count("circle") == 3 + 3 + 3 + 3 + 1 + 1


def test_points_lie_within_the_picture(history):
    text = page.draw(figures.read(history))
    points = re.findall(r'cx="([\d.-]+)" cy="([\d.-]+)"', text)
    assert points
    for x, y in points:
        assert 0 <= float(x) <= page.WIDTH and 0 <= float(y) <= page.HEIGHT


def test_better_is_up_for_rates_and_down_for_ratios():
    curve = [({"date": "a", "commit": "b"}, v) for v in (1.0, 2.0)]
    assert 'class="good">+1.00' in page.picture("x", curve, "{}", None, up=True)
    assert 'class="bad">+1.00' in page.picture("x", curve, "{}", None, up=False)


def test_an_empty_history_has_a_page():
    assert "no runs yet" in page.draw([])


def test_damaged_files_are_named(tmp_path, capsys):
    history = tmp_path / "figures.jsonl"
    history.write_text('{"date": "x", "commit": "y", "machine": "z"}\n{"date": "x"}\n')
    assert main(["draw", str(history), str(tmp_path / "page.html")]) == 1
    assert "line 2 has no commit, machine" in capsys.readouterr().err
    history.write_text("{")
    assert main(["draw", str(history), str(tmp_path / "page.html")]) == 1
    assert "line 1" in capsys.readouterr().err
    report = tmp_path / "nn.json"
    report.write_text("{}")
    given = ["append", str(history), "--commit", "c", "--benchmarks", str(report)]
    assert main(given) == 1
    assert "nn.json has no suite, threads, ratios" in capsys.readouterr().err
    assert history.read_text() == "{"
