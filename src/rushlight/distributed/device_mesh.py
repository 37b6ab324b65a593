"""Processes in a grid: a group for each row, each column, and so on."""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed._groups.process_group import ProcessGroup
from rushlight.distributed._groups.world import world
from rushlight.distributed._local_tensor._active import enabled_local_tensor_mode, simulated_rank
from rushlight.distributed._local_tensor._integers import merged
from rushlight.distributed._local_tensor._mode import maybe_disable_local_tensor_mode

__all__ = ["DeviceMesh", "init_device_mesh"]

_entered = threading.local()


class _MeshResources:
    """The meshes of ``with`` blocks."""

    @property
    def mesh_stack(self) -> list[DeviceMesh]:
        """Those that are entered, the innermost last."""
        found: list[DeviceMesh] = _entered.__dict__.setdefault("stack", [])
        return found

    def get_current_mesh(self) -> DeviceMesh:
        """The innermost one."""
        if not self.mesh_stack:
            raise RuntimeError("No device mesh is currently active!")
        return self.mesh_stack[-1]


_mesh_resources = _MeshResources()


class DeviceMesh:
    """Ranks in an array, with a group along each dimension.

    Args:
        device_type: the kind of device that each process uses
        mesh: the global ranks
        mesh_dim_names: what the dimensions are called
        _init_backend: whether to make groups
    """

    def __init__(
        self,
        device_type: str,
        mesh: Any,
        *,
        mesh_dim_names: Sequence[str] | None = None,
        _init_backend: bool = True,
        _groups: list[ProcessGroup] | None = None,
        _root: DeviceMesh | None = None,
        _all: torch.Tensor | None = None,
    ) -> None:
        if isinstance(mesh, torch.Tensor) and mesh.device.type != "cpu":
            raise ValueError(f"`mesh` must be a CPU tensor, got {mesh.device}")
        self.device_type = device_type
        if isinstance(mesh, torch.Tensor):
            mesh = mesh.tolist()
        with maybe_disable_local_tensor_mode():
            self._mesh: Any = torch.as_tensor(mesh, dtype=torch.int32)
        # The meshes that other processes have in its place: of a row, all rows.
        self._all = self._mesh.unsqueeze(0) if _all is None else _all
        self._mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names is not None else None
        if self._mesh_dim_names is not None and len(self._mesh_dim_names) != self._mesh.dim():
            raise RuntimeError(
                f"mesh_shape and mesh_dim_names should have same length: {self._mesh.dim()} and "
                f"{len(self._mesh_dim_names)}"
            )
        self._root = _root
        self._flattened: dict[str, DeviceMesh] = {}
        self._groups = _groups or []
        if _init_backend and _groups is None:
            if not dist.is_initialized():
                dist.init_process_group()
            self._check()
            self._groups = self._make_groups()
        self._rank = dist.get_rank() if dist.is_initialized() else 0
        here: Any = torch.eq(self._mesh, self._rank).nonzero()
        if len(here) > 1:
            raise AssertionError(f"rank {self._rank} is in the mesh more than once")
        self._coordinate = tuple(here[0].tolist()) if len(here) else None

    def _check(self) -> None:
        size = dist.get_world_size()
        if self._mesh.numel() > size:
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {size}, but found "
                f"{self._mesh.numel()} ranks!"
            )
        if len(self._mesh.unique()) != self._mesh.numel():
            raise RuntimeError(
                f"DeviceMesh cannot have duplicate values, but found {self.mesh.tolist()}"
            )

    def _make_groups(self) -> list[ProcessGroup]:
        """The group of this process along each dimension. All processes make all of them, in one order."""
        size = dist.get_world_size()
        if self._mesh.dim() == 1 and self._mesh.tolist() == list(range(size)):
            return [dist._get_default_group()]
        made = []
        for dim in range(self._mesh.dim()):
            name = self._mesh_dim_names[dim] if self._mesh_dim_names else f"dim_{dim}"
            rows = self._mesh.movedim(dim, -1).reshape(-1, self._mesh.shape[dim]).tolist()
            own, _ = dist.new_subgroups_by_enumeration(rows, group_desc=f"mesh_{name}")
            made.append(own)
        return made

    # -- facts --
    @property
    def mesh(self) -> torch.Tensor:
        """The global ranks."""
        return self._mesh  # type: ignore[no-any-return]

    @property
    def mesh_dim_names(self) -> tuple[str, ...] | None:
        """What the dimensions are called."""
        return self._mesh_dim_names

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return int(self._mesh.dim())

    @property
    def shape(self) -> tuple[int, ...]:
        """How long each dimension is."""
        return tuple(self._mesh.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """How many processes there are, in all or along a dimension."""
        return int(self._mesh.numel() if mesh_dim is None else self._mesh.shape[mesh_dim])

    def get_rank(self) -> int:
        """The global rank of this process."""
        rank, mode = simulated_rank(), enabled_local_tensor_mode()
        if rank is not None:
            return rank
        if mode is not None:
            return merged({rank: rank for rank in sorted(mode.ranks)})  # type: ignore[no-any-return]
        return dist.get_rank()

    def get_coordinate(self) -> list[int] | None:
        """Where this process is in the mesh; None if it is not."""
        rank, mode = simulated_rank(), enabled_local_tensor_mode()
        if rank is not None:
            return list(self._place_of(rank))
        if mode is not None:
            places = {rank: self._place_of(rank) for rank in sorted(mode.ranks)}
            return [merged(dict(zip(places, column))) for column in zip(*places.values())]
        return list(self._coordinate) if self._coordinate is not None else None

    @functools.cached_property
    def _places(self) -> dict[int, tuple[int, ...]]:
        """Where ranks are, each in its own mesh of those that lie beside each other."""
        coordinates = list(itertools.product(*map(range, self.shape)))
        rows = self._all.reshape(len(self._all), -1).tolist()
        return {rank: place for row in rows for rank, place in zip(row, coordinates)}

    def _place_of(self, rank: int) -> tuple[int, ...]:
        """Where a simulated rank is."""
        if rank not in self._places:
            raise NotImplementedError(
                f"rank {rank} is not in {self}; simulated ranks must all have a place in a mesh"
            )
        return self._places[rank]

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """This process's place along a dimension, which may be left out if there is one."""
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` needs to be "
                "specified when device_mesh.ndim > 1."
            )
        coordinate = self.get_coordinate()
        if coordinate is None:
            raise RuntimeError(f"rank {self._rank} is not in {self}")
        return coordinate[self._number(mesh_dim or 0)]

    def _number(self, dim: int | str) -> int:
        """The number of a dimension."""
        if not isinstance(dim, str):
            return dim % self.ndim
        if self._mesh_dim_names is None or dim not in self._mesh_dim_names:
            raise KeyError(
                f"Mesh dimension '{dim}' does not exist. Available are {self._mesh_dim_names}"
            )
        return self._mesh_dim_names.index(dim)

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """The group of this process along a dimension, which may be left out if there is one."""
        if not self._groups:
            raise RuntimeError("DeviceMesh process groups not initialized!")
        if self.ndim == 1 and mesh_dim is None:
            return self._groups[0]
        if mesh_dim is None:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` needs to be "
                "specified when device_mesh.ndim > 1. If you want to get the list of all the "
                "ProcessGroups in the DeviceMesh, please use `get_all_groups()` instead."
            )
        if isinstance(mesh_dim, str) and mesh_dim in self._flattened:
            return self._flattened[mesh_dim].get_group()
        return self._groups[self._number(mesh_dim)]

    def get_all_groups(self) -> list[ProcessGroup]:
        """The group of this process along each dimension."""
        return list(self._groups)

    # -- parts --
    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        """The part of this mesh along some dimensions that this process is in."""
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if self._mesh_dim_names is None:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        if names == self._mesh_dim_names:
            return self
        if len(names) == 1 and names[0] in self._flattened:
            return self._flattened[names[0]]
        dims = [self._number(name) for name in names]
        if dims != sorted(dims):
            raise KeyError(
                f"{names}: the dimensions of a slice keep their order in {self._mesh_dim_names}"
            )
        if self._coordinate is None:
            raise RuntimeError(f"rank {self._rank} is not in {self}")
        place = tuple(slice(None) if d in dims else self._coordinate[d] for d in range(self.ndim))
        return DeviceMesh(
            self.device_type,
            self._mesh[place],
            mesh_dim_names=names,
            _groups=[self._groups[d] for d in dims],
            _root=self._get_root_mesh(),
            _all=self._rows(dims),
        )

    def _rows(self, dims: Sequence[int]) -> torch.Tensor:
        """All parts of this mesh, and of those beside it, along some dimensions."""
        kept = [d + 1 for d in dims]
        others = [d for d in range(self.ndim + 1) if d not in kept]
        return self._all.permute(*others, *kept).reshape(-1, *(self.shape[d] for d in dims))

    def _get_all_submeshes(self, mesh_dim_name: str) -> list[DeviceMesh]:
        """The parts of this mesh along a dimension, for this process and the others."""
        dim = self._number(mesh_dim_name)
        rows = self._rows([dim])
        return [
            DeviceMesh(
                self.device_type,
                row,
                mesh_dim_names=(mesh_dim_name,),
                _init_backend=False,
                _groups=[self._groups[dim]] if self._rank in row.tolist() else [],
                _root=self._get_root_mesh(),
                _all=rows,
            )
            for row in self._mesh.movedim(dim, -1).reshape(-1, self.shape[dim])
        ]

    def _get_root_mesh(self) -> DeviceMesh:
        return self._root or self

    def _flatten(
        self, mesh_dim_name: str | None = None, backend_override: Any = None
    ) -> DeviceMesh:
        """This mesh as one dimension, which its root knows by the name."""
        root = self._get_root_mesh()
        name = mesh_dim_name or "_".join(self._mesh_dim_names or ())
        if not name:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        if name in (root._mesh_dim_names or ()):
            raise ValueError(f"{name} already exists among the dimensions of {root}")
        if name not in root._flattened:
            root._flattened[name] = self._flat(root, name)
        return root._flattened[name]

    def _flat(self, root: DeviceMesh, name: str) -> DeviceMesh:
        if self.ndim == 1:
            return DeviceMesh(
                self.device_type,
                self._mesh,
                mesh_dim_names=(name,),
                _groups=self._groups,
                _root=root,
                _all=self._all,
            )
        kept = [root._number(n) for n in self._mesh_dim_names or ()]
        rows = root._rows(kept).reshape(-1, self.size())
        own, _ = dist.new_subgroups_by_enumeration(rows.tolist(), group_desc=f"mesh_{name}")
        return DeviceMesh(
            self.device_type,
            self._mesh.reshape(-1),
            mesh_dim_names=(name,),
            _groups=[own],
            _root=root,
            _all=rows,
        )

    @staticmethod
    def from_group(
        group: ProcessGroup | list[ProcessGroup],
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: tuple[str, ...] | None = None,
    ) -> DeviceMesh:
        """A mesh over groups that are there already.

        Args:
            group: the group, or one for each dimension
            device_type: the kind of device
            mesh: the global ranks; the group's if it is one
            mesh_dim_names: what the dimensions are called
        """
        if isinstance(group, ProcessGroup):
            ranks = list(world.member(group).ranks)
            if mesh is not None and torch.as_tensor(mesh).flatten().tolist() != ranks:
                raise ValueError(f"Invalid mesh {mesh} for ProcessGroup with ranks {ranks}")
            return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names, _groups=[group])
        groups = list(group)
        if not groups:
            raise ValueError("Expect at least one ProcessGroup to be specified")
        if mesh is None:
            raise ValueError("Must pass mesh if passing multiple ProcessGroups")
        if torch.as_tensor(mesh).dim() != len(groups):
            raise ValueError("Expects mesh with ndim equal to number of ProcessGroups")
        return DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names, _groups=groups)

    # -- as a value --
    @functools.cached_property
    def _identity(self) -> tuple[Any, ...]:
        return (
            tuple(self._mesh.flatten().tolist()),
            self.shape,
            self.device_type,
            self._mesh_dim_names,
        )

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, DeviceMesh) and self._identity == other._identity
        )

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        if self._mesh_dim_names is None:
            shape = str(self.shape)
        else:
            pairs = zip(self._mesh_dim_names, self.shape)
            shape = "(" + ", ".join(f"{name}={length}" for name, length in pairs) + ")"
        return f"DeviceMesh({shape}, device: '{self.device_type}', stride: {self._mesh.stride()})"

    def __enter__(self) -> DeviceMesh:
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _mesh_resources.mesh_stack.pop()

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceMesh:
        """The mesh: it does not change, and its processes have met."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Without groups, which belong to a process."""
        return {**self.__dict__, "_groups": [], "_flattened": {}, "_root": None}


def init_device_mesh(
    device_type: str,
    mesh_shape: Sequence[int],
    *,
    mesh_dim_names: Sequence[str] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """Arrange all processes in a grid, in the order of ranks.

    Args:
        device_type: the kind of device that each process uses
        mesh_shape: how long each dimension is
        mesh_dim_names: what they are called
        backend_override: not supported
    """
    if backend_override is not None:
        raise NotImplementedError("init_device_mesh: backend_override is not supported yet")
    shape = tuple(mesh_shape)
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in {mesh_dim_names}"
            )
        if len(shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                f"{len(mesh_dim_names)} and len(mesh_shape): {len(shape)}."
            )
    if device_type and not device_type.isalpha():
        raise RuntimeError(f"Device type with index is not supported but got {device_type}. ")
    ranks = torch.arange(torch.Size(shape).numel(), dtype=torch.int32).view(shape)
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names)
