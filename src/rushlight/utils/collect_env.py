"""What belongs in a report of a problem: versions and the machine."""

from __future__ import annotations

import os
import platform
import sys

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """Versions and the machine, one a line."""
    import llvmlite
    import numpy

    from rushlight.backends.cpu import get_cpu_capability
    from rushlight.version import __version__, own_version

    facts = {
        "PyTorch version": f"{__version__} (rushlight {own_version})",
        "Is debug build": False,
        "CUDA used to build PyTorch": None,
        "OS": platform.platform(),
        "Python version": sys.version.replace("\n", " "),
        "Is CUDA available": False,
        "CPU": f"{platform.machine()}, {os.cpu_count()} cores, {get_cpu_capability()}",
        "numpy": numpy.__version__,
        "llvmlite": llvmlite.__version__,
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def main() -> None:
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
