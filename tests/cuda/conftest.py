"""Tests of CUDA without a GPU: the interpreter and the stand-in are found by these tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
