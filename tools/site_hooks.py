"""What mkdocs does besides: chapters link to files of the repository, and the site has these files.

Links in `docs/` are right in the repository (``../src/rushlight/alias.py``). In the site, texts of the
repository's top (`CONTRIBUTING.md`, `rfcs/`) are pages beside the chapters, and other files that are
linked become pages with their source.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
# Texts outside `docs/` that are pages of the site.
TEXTS = ("CONTRIBUTING.md", "CHANGELOG.md", "rfcs/*.md")


def on_files(files: Any, config: Any) -> Any:
    """Add the texts outside of `docs/`, and the files that any text links to."""
    from mkdocs.structure.files import File

    added = {page_of(path): path for path in texts_outside()}
    pages = [(ROOT / "docs" / f.src_uri, f.src_uri) for f in files.documentation_pages()]
    for path, _ in [*pages, *((ROOT / p, "") for p in added.values())]:
        for linked in linked_files(path):
            added.setdefault(page_of(linked), linked)
    for page, path in added.items():
        text = (ROOT / path).read_text("utf-8")
        content = text if path.endswith(".md") else source_page(path, text)
        file = File.generated(config, page, content=content)
        if not path.endswith(".md"):
            file.inclusion = type(file.inclusion).NOT_IN_NAV
        files.append(file)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links between files of the repository into links between pages."""
    at = page.file.src_uri
    return rewritten(markdown, at) if not at.startswith("source/") else markdown


def texts_outside() -> list[str]:
    """The texts outside of `docs/` that become pages, as paths from the root."""
    found = [path for pattern in TEXTS for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in found]


def page_of(path: str) -> str:
    """The page of the site that a file of the repository becomes."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return path if path.endswith(".md") else f"source/{path}.md"


def place_of(page: str) -> str:
    """The file of the repository that a page comes from."""
    return f"docs/{page}" if (ROOT / "docs" / page).exists() else page


def linked_files(path: Path) -> list[str]:
    """The files of the repository that a text links to, as paths from the root."""
    here = path.parent.relative_to(ROOT).as_posix()
    found = []
    for target, _ in LINK.findall(path.read_text("utf-8")):
        if "://" not in target:
            linked = posixpath.normpath(posixpath.join(here, target))
            if (ROOT / linked).is_file() and not linked.startswith("docs/"):
                found.append(linked)
    return found


def rewritten(markdown: str, page: str) -> str:
    """A page's text with links that hold in the site."""
    here = posixpath.dirname(place_of(page))

    def link(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        if "://" in target:
            return match[0]
        linked = posixpath.normpath(posixpath.join(here, target))
        if not (ROOT / linked).is_file():
            return match[0]
        return f"]({posixpath.relpath(page_of(linked), posixpath.dirname(page) or '.')}{anchor})"

    return LINK.sub(link, markdown)


def source_page(path: str, text: str) -> str:
    """A page that shows a file."""
    language = {".py": "python", ".yaml": "yaml", ".toml": "toml"}.get(Path(path).suffix, "")
    return f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n````{language}\n{text}\n````\n"
