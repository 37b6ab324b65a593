"""Files read into a GPU's memory without the host, by NVIDIA's cuFile, which is not used here."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight._names import absent_devices as _absent_devices

_FUNCTIONS = ["gds_deregister_buffer", "gds_register_buffer"]
__all__ = ["GdsFile"]
__all__ += _FUNCTIONS

_ABSENT = (
    "torch.cuda.gds.{name} is absent: cuFile is not used; torch.load and Tensor.cuda() read files"
)
globals().update(_absent_devices.raising(RuntimeError, _ABSENT, _FUNCTIONS))


class GdsFile:
    """A file for such reads.

    Args:
        filename: its name
        flags: how it is opened
    """

    def __init__(self, filename: str, flags: int) -> None:
        self._refuse()

    def _refuse(self, *args: Any) -> NoReturn:
        raise RuntimeError(_ABSENT.format(name="GdsFile"))
