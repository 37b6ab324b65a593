"""Third-party packages run in a process of their own, where `import torch` gives rushlight."""

import importlib.util
import subprocess
import sys

import pytest


@pytest.fixture
def run(tmp_path):
    """Run a program under the alias; what it printed. Skipped where its packages are missing."""

    def run(program, *packages):
        for package in packages:
            if importlib.util.find_spec(package) is None:
                pytest.skip(f"{package} is not installed")
        script = tmp_path / "program.py"
        script.write_text(program)
        done = subprocess.run(
            [sys.executable, "-m", "rushlight", "run", str(script)],
            capture_output=True,
            text=True,
            timeout=500,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run
