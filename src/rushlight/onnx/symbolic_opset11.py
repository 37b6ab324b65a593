"""How operators are written in ONNX, which is not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_functions

globals().update(absent_functions(__name__, ["select", "squeeze", "unsqueeze"], "export to ONNX"))
