"""The older name of `rushlight.ao.quantization`."""

import importlib
import sys

from rushlight.ao import quantization as _new

for _file in (
    "fake_quantize", "fuse_modules", "fuser_method_mappings", "observer", "qconfig",
    "quantization_mappings", "quantize", "stubs",
):  # fmt: skip
    sys.modules[f"{__name__}.{_file}"] = importlib.import_module(
        f"rushlight.ao.quantization.{_file}"
    )
globals().update({name: value for name, value in vars(_new).items() if not name.startswith("__")})
__getattr__ = _new.__getattr__
