"""The meshes of `distributed.device_mesh`, under another name."""

from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]
