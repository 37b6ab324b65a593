"""Links of the book, its glossary and its list of things to find."""

import re
import runpy
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
HOOKS = runpy.run_path(str(ROOT / "tools" / "site_hooks.py"))
TEXTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "rfcs").glob("*.md"),
]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors_of(path: Path) -> set[str]:
    """The names that the headings of a text have."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_links_lead_to_files_and_headings(path):
    for target in LINK.findall(path.read_text("utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), f"{path.name} links to {target}"
        if anchor:
            assert anchor in anchors_of(file), f"{path.name} links to {target}"


def rows_of(name: str) -> list[list[str]]:
    """The rows of a chapter's table, without its head."""
    lines = (ROOT / "docs" / name).read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in x.strip("|").split("|")] for x in lines if x.startswith("|")]
    return rows[2:]


def test_the_glossary_has_at_most_forty_words_in_order_and_each_has_a_file():
    words = [re.fullmatch(r"\[(.+)\]\((\.\./.+)\)", row[0]) for row in rows_of("glossary.md")]
    assert all(words) and len(words) <= 40
    names = [word[1].lower() for word in words]
    assert names == sorted(set(names))


def test_each_thing_to_find_ends_at_a_file():
    rows = rows_of("finding_things.md")
    assert len(rows) == 12
    glossary = {re.match(r"\[(.+?)\]", row[0])[1] for row in rows_of("glossary.md")}
    for _, first, second in rows:
        assert LINK.search(second)
        word = re.search(r"glossary: \*(.+)\*", first)
        assert word is None or word[1] in glossary


def test_files_that_chapters_name_exist():
    """What a chapter writes as the name of a file, such as `loops/plan.py`, is one."""
    everything = [p.relative_to(ROOT).as_posix() for p in ROOT.glob("src/**/*.py")]
    everything += [p.relative_to(ROOT).as_posix() for p in ROOT.glob("t*s/**/*.py")]
    everything += [p.relative_to(ROOT).as_posix() for p in ROOT.glob("examples/**/*.py")]
    for path in (ROOT / "docs").glob("*.md"):
        for name in re.findall(r"`((?:\w+/)+\w+\.py)`", path.read_text("utf-8")):
            found = any(file.endswith("/" + name) or file == name for file in everything)
            assert found, f"{path.name} names {name}"


def test_every_chapter_has_its_place_in_the_site_and_in_the_list():
    class Loader(yaml.SafeLoader):
        pass

    def leaves(nav):
        if isinstance(nav, str):
            return [nav]
        values = nav.values() if isinstance(nav, dict) else nav
        return [leaf for value in values for leaf in leaves(value)]

    site = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)
    pages = leaves(site["nav"])
    chapters = {path.name for path in (ROOT / "docs").glob("*.md")}
    outside = set(HOOKS["texts_outside"]())
    assert set(pages) == chapters | outside
    listed = set(LINK.findall((ROOT / "docs" / "README.md").read_text("utf-8")))
    assert chapters - {"README.md"} <= listed
    in_order = [p for p in pages if p in listed]
    order = [
        p for p in LINK.findall((ROOT / "docs" / "README.md").read_text("utf-8")) if p in pages
    ]
    assert in_order == order


def test_links_of_the_repository_become_links_of_the_site():
    rewritten = HOOKS["rewritten"]
    text = "[a](../src/rushlight/alias.py) [b](../CONTRIBUTING.md#habits) [c](memory.md) [d](https://x.y/z)"
    assert rewritten(text, "glossary.md") == (
        "[a](source/src/rushlight/alias.py.md) [b](CONTRIBUTING.md#habits) [c](memory.md) "
        "[d](https://x.y/z)"
    )
    assert rewritten("[a](docs/memory.md)", "CONTRIBUTING.md") == "[a](memory.md)"
    assert rewritten("[a](0000_template.md)", "rfcs/README.md") == "[a](0000_template.md)"
