"""Labels for issues and changes, and a word to those who know the part.

`python tools/triage.py --event EVENT.json --rules .github/triage.yml` reads what GitHub says about an
issue or a pull request, finds the rules whose words or paths match, adds their labels and mentions
whom they tell, once. No label is taken away, and words that had their say before an edit or a push do not
give a label again that somebody took away. `--dry-run` only says what would be done.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import sys
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

# What a comment of this script begins with, so that it is found again.
MARK = "<!-- triage -->"
PER_PAGE = 100


@dataclass(frozen=True)
class Rule:
    """A label, what calls for it, and who is told."""

    label: str
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    tell: tuple[str, ...] = ()

    def matches(self, text: str, files: Iterable[str]) -> bool:
        """Whether a text has one of the words, or one of the files lies on a path."""
        has_word = any(re.search(w, text, re.IGNORECASE | re.MULTILINE) for w in self.words)
        return has_word or any(fnmatch.fnmatch(f, p) for f in files for p in self.paths)


@dataclass(frozen=True)
class Rules:
    """All rules, and the labels that everything new gets, by kind."""

    rules: tuple[Rule, ...]
    new: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Thing:
    """An issue or a change, as the event shows it."""

    number: int
    kind: str
    author: str
    text: str
    before: str
    labels: frozenset[str]
    is_new: bool


@dataclass(frozen=True)
class Decision:
    """What is to be done."""

    labels: tuple[str, ...]
    tell: tuple[str, ...]


def read_rules(text: str) -> Rules:
    """The rules of a file; what it should not have is an error."""
    read = yaml.safe_load(text) or {}
    unknown = set(read) - {"new", "rules"}
    if unknown:
        raise ValueError(f"unknown parts of the rules: {', '.join(sorted(unknown))}")
    rules = []
    for entry in read.get("rules", []):
        unknown = set(entry) - set(Rule.__dataclass_fields__)
        if unknown or "label" not in entry:
            raise ValueError(
                f"a rule needs a label, and has no {', '.join(sorted(unknown))}: {entry}"
            )
        for word in entry.get("words", []):
            try:
                re.compile(word)
            except re.error as error:
                raise ValueError(f"the rule of {entry['label']!r}: {word!r}: {error}") from None
        rules.append(Rule(**{k: v if isinstance(v, str) else tuple(v) for k, v in entry.items()}))
    return Rules(tuple(rules), {k: tuple(v) for k, v in read.get("new", {}).items()})


def thing_of(event: Mapping[str, Any]) -> Thing:
    """What an event is about."""
    kind = "change" if "pull_request" in event else "issue"
    about = event["pull_request" if kind == "change" else "issue"]
    title, body = about["title"], about.get("body") or ""
    changes = event.get("changes") or {}
    earlier = "\n".join(
        changes[part]["from"] or "" if part in changes else now
        for part, now in (("title", title), ("body", body))
    )
    return Thing(
        number=about["number"],
        kind=kind,
        author=about["user"]["login"],
        text=f"{title}\n{body}",
        before="" if event["action"] == "opened" else earlier,
        labels=frozenset(label["name"] for label in about["labels"]),
        is_new=event["action"] == "opened",
    )


def decide(rules: Rules, thing: Thing, files: Sequence[str] = (), told: str = "") -> Decision:
    """What is to be done about a thing.

    Args:
        rules: the rules
        thing: the issue or the change
        files: what the change touches
        told: what earlier comments of this script said
    """
    labels: dict[str, None] = {}
    tell: dict[str, None] = {}
    if thing.is_new:
        labels |= dict.fromkeys(rules.new.get(thing.kind, ()))
    for rule in rules.rules:
        if not rule.matches(thing.text, files):
            continue
        # Words that were there before have had their say; somebody may have taken the label away.
        if thing.before and rule.matches(thing.before, ()) and rule.label not in thing.labels:
            continue
        labels |= dict.fromkeys((rule.label, *rule.also))
        tell |= dict.fromkeys(rule.tell)
    return Decision(
        tuple(label for label in labels if label not in thing.labels),
        tuple(
            name
            for name in tell
            if name != thing.author and not re.search(rf"@{re.escape(name)}\b", told)
        ),
    )


class Hub:
    """The few requests to GitHub that are needed."""

    def __init__(
        self, repository: str, token: str, address: str = "https://api.github.com"
    ) -> None:
        self.root = f"{address}/repos/{repository}"
        self.token = token

    def files(self, number: int) -> list[str]:
        """The files that a change touches."""
        return [found["filename"] for found in self._all(f"/pulls/{number}/files")]

    def comments(self, number: int) -> list[str]:
        """The comments of this script."""
        bodies = [found["body"] for found in self._all(f"/issues/{number}/comments")]
        return [body for body in bodies if body.startswith(MARK)]

    def label(self, number: int, labels: Sequence[str]) -> None:
        """Add labels."""
        self._ask("POST", f"/issues/{number}/labels", {"labels": list(labels)})

    def comment(self, number: int, text: str) -> None:
        """Add a comment."""
        self._ask("POST", f"/issues/{number}/comments", {"body": text})

    def _all(self, path: str) -> list[Any]:
        found: list[Any] = []
        page = 1
        while True:
            some = self._ask("GET", f"{path}?per_page={PER_PAGE}&page={page}")
            found += some
            if len(some) < PER_PAGE:
                return found
            page += 1

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            self.root + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Accept": "application/vnd.github+json",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")


def carry_out(hub: Hub, thing: Thing, decision: Decision) -> None:
    """Do what was decided."""
    if decision.labels:
        hub.label(thing.number, decision.labels)
    if decision.tell:
        names = " ".join(f"@{name}" for name in decision.tell)
        hub.comment(thing.number, f"{MARK}\ncc {names}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--event", type=Path, required=True)
    parser.add_argument("--rules", type=Path, required=True)
    parser.add_argument(
        "--address", default=os.environ.get("GITHUB_API_URL", "https://api.github.com")
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    options = parser.parse_args(arguments)
    rules = read_rules(options.rules.read_text("utf-8"))
    event = json.loads(options.event.read_text("utf-8"))
    thing = thing_of(event)
    hub = Hub(event["repository"]["full_name"], os.environ.get("GITHUB_TOKEN", ""), options.address)
    files = hub.files(thing.number) if thing.kind == "change" else []
    decision = decide(rules, thing, files, "\n".join(hub.comments(thing.number)))
    print(
        f"{thing.kind} {thing.number}: labels {list(decision.labels)}, tell {list(decision.tell)}"
    )
    if not options.dry_run:
        carry_out(hub, thing, decision)
    return 0


if __name__ == "__main__":
    sys.exit(main())
