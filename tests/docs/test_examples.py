"""What the book shows is run: blocks of Python, and sessions with what they print."""

import doctest
import re
from pathlib import Path

import pytest

import rushlight as torch

ROOT = Path(__file__).parent.parent.parent
CHAPTERS = sorted(
    [*(ROOT / "docs").glob("*.md"), *(ROOT / "rfcs").glob("*.md"), ROOT / "README.md"],
    key=lambda path: path.name,
)
# Lists, where there is nothing to run.
LISTS = {"README.md", "name_index.md", "glossary.md", "finding_things.md", "differences.md"}
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^ {4}.*\n(?:[ ]*\n(?= {4}))?)+", re.MULTILINE)


def blocks_of(text: str) -> list[tuple[int, str]]:
    """The blocks of Python and the sessions of a chapter, with the lines before each."""
    found = [(m.start(2), m[2], m[1]) for m in FENCE.finditer(text)]
    outside = FENCE.sub(lambda m: re.sub(r"[^\n]", "-", m[0]), text)
    found += [(m.start(), m[0], "") for m in INDENTED.finditer(outside)]
    return [
        (text.count("\n", 0, start), block)
        for start, block, language in sorted(found)
        if language in ("python", "pycon") or ">>>" in block
    ]


def run_session(block: str, names: dict[str, object], path: Path, line: int) -> str:
    """Type a session's lines; where it prints something else than the book says."""
    parsed = doctest.DocTestParser().get_doctest(block, names, path.name, str(path), line)
    parsed.globs = names
    report: list[str] = []
    runner = doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False
    )
    runner.run(parsed, out=report.append, clear_globs=False)
    return "".join(report)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_examples_of_a_chapter_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"torch": torch, "__name__": path.stem}
    for line, block in blocks_of(path.read_text("utf-8")):
        if ">>>" in block:
            report = run_session(block, names, path, line)
            assert not report, report
        else:
            # A file of its own, for those who read the source; with the chapter's line numbers.
            file = tmp_path / f"{path.stem}_{line}.py"
            file.write_text("\n" * line + block, "utf-8")
            exec(compile(file.read_text("utf-8"), str(file), "exec"), names)


def test_each_chapter_has_an_example():
    without = [
        path.name
        for path in (ROOT / "docs").glob("*.md")
        if path.name not in LISTS and not blocks_of(path.read_text("utf-8"))
    ]
    assert not without, f"nothing to run in {', '.join(without)}"


def test_sessions_that_print_something_else_are_found(tmp_path):
    assert run_session(">>> 1 + 1\n2\n", {}, tmp_path, 0) == ""
    assert "Got:\n    2" in run_session(">>> 1 + 1\n3\n", {}, tmp_path, 0)


def test_blocks_are_found():
    text = (
        "a\n\n```python\nx = 1\n```\n\n    >>> x\n    1\n\n```yaml\ny: 2\n```\n\n    not Python\n"
    )
    assert blocks_of(text) == [(3, "x = 1\n"), (6, "    >>> x\n    1\n")]
