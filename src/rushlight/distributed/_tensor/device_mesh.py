"""The older name of `distributed.tensor.device_mesh`."""

from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]
