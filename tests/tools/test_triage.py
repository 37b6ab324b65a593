"""Labels for issues and changes, against a made-up GitHub."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import triage

ROOT = Path(__file__).parent.parent.parent
RULES = triage.read_rules(
    """
new: {issue: [untriaged]}
rules:
  - {label: "room: autograd", words: ['\\bgradients?\\b'], paths: ["src/autograd/*"], tell: [ann]}
  - {label: "kind: crash", words: [segfault], also: ["priority: high"], tell: [ann, bob]}
  - {label: docs, paths: ["*.md"]}
"""
)


def event(text="Something", action="opened", labels=(), author="zoe", kind="issue", **more):
    about = {
        "number": 7, "title": text, "body": None, "user": {"login": author},
        "labels": [{"name": label} for label in labels],
    }  # fmt: skip
    name = "pull_request" if kind == "change" else "issue"
    return {name: about, "action": action, "repository": {"full_name": "some/where"}, **more}


def decide(given, files=(), told=""):
    return triage.decide(RULES, triage.thing_of(given), files, told)


def test_words_give_labels_and_tell_people():
    found = decide(event("Wrong Gradient of sin; then a segfault"))
    assert found.labels == ("untriaged", "room: autograd", "kind: crash", "priority: high")
    assert found.tell == ("ann", "bob")
    assert decide(event("gradientless")).labels == ("untriaged",)


def test_paths_give_labels_to_changes():
    found = decide(event("Change", kind="change"), ["src/autograd/node.py", "docs/a/b.md"])
    assert found.labels == ("room: autograd", "docs")


def test_nobody_is_told_twice_or_of_what_they_did_themselves():
    assert decide(event("gradient", author="ann")).tell == ()
    assert decide(event("gradient"), told="cc @ann").tell == ()
    assert decide(event("gradient"), told="cc @anna").tell == ("ann",)


def test_labels_that_are_there_are_not_given_again():
    assert decide(event("gradient", labels=["room: autograd", "untriaged"])).labels == ()


def test_labels_that_somebody_took_away_stay_away():
    same = event("gradient, in other words", "edited", changes={"title": {"from": "gradient"}})
    assert decide(same) == triage.Decision((), ())
    new = event("gradient", "edited", changes={"title": {"from": "something"}})
    assert decide(new).labels == ("room: autograd",)
    body = event("gradient", "edited", changes={"body": {"from": "more"}})
    assert decide(body).labels == ()
    pushed = event("gradient", "synchronize", kind="change")
    assert decide(pushed, ["a.md"]).labels == ("docs",)


@pytest.mark.parametrize(
    "text, message",
    [
        ("rules: [{words: [a]}]", "needs a label"),
        ("rules: [{label: a, word: [a]}]", "word"),
        ("rules: [{label: a, words: ['(']}]", "the rule of 'a'"),
        ("old: {}", "unknown parts of the rules: old"),
    ],
)
def test_wrong_rules_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        triage.read_rules(text)


def test_the_rules_of_the_project_can_be_read_and_their_paths_exist():
    rules = triage.read_rules((ROOT / ".github" / "triage.yml").read_text("utf-8"))
    files = [
        path.relative_to(ROOT).as_posix()
        for folder in ("src", "docs", "rfcs", "tools")
        for path in (ROOT / folder).rglob("*.*")
    ]
    files += [path.name for path in ROOT.iterdir()]
    for rule in rules.rules:
        for pattern in rule.paths:
            assert triage.Rule(rule.label, paths=(pattern,)).matches("", files), pattern
    labels = [rule.label for rule in rules.rules]
    assert len(labels) == len(set(labels))
    found = triage.decide(rules, triage.thing_of(event("Segmentation fault in backward")))
    assert set(found.labels) >= {"untriaged", "kind: crash", "priority: high", "room: autograd"}


class MadeUp(BaseHTTPRequestHandler):
    """GitHub, as far as it is asked."""

    asked: list = []

    def do_GET(self):
        page = int(self.path.rpartition("page=")[2])
        if "/pulls/7/files" in self.path:
            names = [f"file{k}.txt" for k in range(120)] + ["src/autograd/node.py"]
            some = [{"filename": n} for n in names][100 * (page - 1) : 100 * page]
        else:
            some = [{"body": "@bob said somebody else"}, {"body": f"{triage.MARK}\ncc @old"}]
        self.answer(some)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        self.asked.append((self.path, body, self.headers["Authorization"]))
        self.answer([])

    def answer(self, value):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def hub():
    MadeUp.asked = []
    server = HTTPServer(("127.0.0.1", 0), MadeUp)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_labels_and_comments_are_sent(hub, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    (tmp_path / "rules.yml").write_text(
        "rules: [{label: auto, paths: ['src/autograd/*'], tell: [ann, old]}]"
    )
    (tmp_path / "event.json").write_text(json.dumps(event("Change", kind="change")))
    given = ["--event", str(tmp_path / "event.json"), "--rules", str(tmp_path / "rules.yml")]
    given += ["--address", hub]
    assert triage.main([*given, "--dry-run"]) == 0
    assert MadeUp.asked == [] and "labels ['auto'], tell ['ann']" in capsys.readouterr().out
    assert triage.main(given) == 0
    root = "/repos/some/where/issues/7"
    assert MadeUp.asked == [
        (f"{root}/labels", {"labels": ["auto"]}, "Bearer secret"),
        (f"{root}/comments", {"body": f"{triage.MARK}\ncc @ann"}, "Bearer secret"),
    ]
