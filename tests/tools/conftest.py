"""The tools are programs beside the package: their folder is put on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "tools"))
