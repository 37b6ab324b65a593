"""New distributed tensors: constants and random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh, _mesh_resources
from rushlight.distributed.tensor import _random
from rushlight.distributed.tensor._api import DTensor, normal_placements
from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from rushlight.distributed.tensor._utils import compute_local_shape
from rushlight.distributed.tensor.placement_types import Partial, Placement

__all__ = ["empty", "full", "ones", "rand", "randn", "zeros"]


def _made(
    make: Callable[..., Any],
    size: tuple[Any, ...],
    dtype: Any,
    layout: Any,
    requires_grad: bool,
    device_mesh: DeviceMesh | None,
    placements: Sequence[Placement] | None,
    draws: bool = False,
) -> DTensor:
    if layout is not torch.strided:
        raise AssertionError(f"layout {layout} not supported! A DTensor is strided")
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    given = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    shape = torch.Size(given)
    placed = normal_placements(mesh, placements, len(shape))
    stride = torch.empty(shape, device="meta").stride()
    meta = TensorMeta(shape, stride, dtype or torch.get_default_dtype())
    spec = DTensorSpec(mesh, placed, meta)
    if draws:
        if any(isinstance(p, Partial) for p in placed):
            raise RuntimeError(f"random numbers cannot be made with the placements {placed}")
        _random.bring_in_step(mesh)
        whole = make(shape, dtype=meta.dtype, device=mesh.device_type)
        replicated = spec.with_placements(normal_placements(mesh, None, len(shape)))
        local = DTensor(whole, replicated, requires_grad=False).redistribute(placements=placed)
        local = local._local_tensor
    else:
        part = compute_local_shape(shape, mesh, placed)
        local = make(part, dtype=dtype, device=mesh.device_type)
        spec = spec.shallow_copy_with_tensor_meta(meta._replace(dtype=local.dtype))
    return DTensor(local, spec, requires_grad=requires_grad)


def _factory(name: str, make: Callable[..., Any], draws: bool, what: str) -> Callable[..., DTensor]:
    def factory(
        *size: Any,
        dtype: Any = None,
        layout: Any = torch.strided,
        requires_grad: bool = False,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        return _made(make, size, dtype, layout, requires_grad, device_mesh, placements, draws)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = f"""A distributed tensor of {what}.

    Args:
        size: the size of the whole
        dtype: the type of its elements
        layout: only `strided`
        requires_grad: whether a gradient is wanted
        device_mesh: the devices; those of the innermost ``with mesh``
        placements: how it lies along each dimension of the mesh; all of it on each device if not given
    """
    return factory


zeros = _factory("zeros", torch.zeros, False, "zeros")
ones = _factory("ones", torch.ones, False, "ones")
empty = _factory("empty", torch.empty, False, "elements that are not set")
rand = _factory("rand", torch.rand, True, "random numbers between 0 and 1")
randn = _factory("randn", torch.randn, True, "random numbers of the normal distribution")


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = torch.strided,
    requires_grad: bool = False,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """A distributed tensor of one number.

    Args:
        size: the size of the whole
        fill_value: the number
        dtype: the type of its elements
        layout: only `strided`
        requires_grad: whether a gradient is wanted
        device_mesh: the devices; those of the innermost ``with mesh``
        placements: how it lies along each dimension of the mesh; all of it on each device if not given
    """

    def make(shape: Any, **options: Any) -> Any:
        return torch.full(shape, fill_value, **options)

    return _made(make, (size,), dtype, layout, requires_grad, device_mesh, placements)
