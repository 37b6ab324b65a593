"""The hosted workflows: what they run exists, on every Python and processor that is promised."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text("utf-8"))


def steps_of(path: Path) -> list[dict]:
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_workflow_names_exists(path):
    for step in steps_of(path):
        assert ("run" in step) != ("uses" in step)
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]), "an action needs a version"
        names = r"(?<![\w/-])((?:\.ci|tools|benchmarks|\.github)/[\w./-]+)"
        for name in re.findall(names, step.get("run", "")):
            assert (ROOT / name).exists(), name
        for extras in re.findall(r"-e '\.\[(\w+)\]'", step.get("run", "")):
            project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
            assert extras in project["optional-dependencies"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_workflows_have_few_rights_and_an_end(path):
    workflow = read(path)
    # What may be written at all is said job by job, or is what the workflow is for.
    assert workflow["permissions"]["contents"] == "read"
    for job in workflow["jobs"].values():
        assert "timeout-minutes" in job or job.get("needs")
    # Texts of strangers never become part of a script.
    for step in steps_of(path):
        assert "github.event.issue" not in step.get("run", "")
        assert "github.event.pull_request" not in step.get("run", "")


def test_the_tests_run_on_all_that_is_promised():
    job = read(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["ci"]
    matrix = job["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert {entry["processor"] for entry in matrix["include"]} == set(matrix["processor"])
    assert set(matrix["processor"]) == {"x86-64", "AArch64"}
    assert any(step.get("run") == ".ci/run" for step in job["steps"])


def test_the_nightly_run_measures_every_suite():
    text = (ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8")
    named = re.search(r"for suite in ([\w ]+);", text)[1].split()
    source = (ROOT / "benchmarks" / "run.py").read_text("utf-8")
    known = re.findall(r'"(\w+)"', re.search(r"suites = \[(.*?)\]", source, re.DOTALL)[1])
    # The machines of the service have no GPU.
    assert sorted([*named, "gpu"]) == sorted(known)
