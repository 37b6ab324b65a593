"""Third-party packages run in a process of their own, where `import torch` gives rushlight."""

import importlib.util
import subprocess
import sys

import pytest


@pytest.fixture
def needs():
    """Skip a test where packages are missing."""

    def needs(*packages):
        for package in packages:
            if importlib.util.find_spec(package) is None:
                pytest.skip(f"{package} is not installed")

    return needs


@pytest.fixture
def run_in():
    """Run what `rushlight run` is given, in a folder; what it printed."""

    def run_in(folder, *args):
        done = subprocess.run(
            [sys.executable, "-m", "rushlight", "run", *map(str, args)],
            capture_output=True,
            text=True,
            timeout=500,
            cwd=folder,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run_in


@pytest.fixture
def run(tmp_path, needs, run_in):
    """Run a program under the alias; what it printed. Skipped where its packages are missing."""

    def run(program, *packages):
        needs(*packages)
        script = tmp_path / "program.py"
        script.write_text(program)
        return run_in(tmp_path, script)

    return run
