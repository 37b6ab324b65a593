"""A tensor of which each simulated rank has its own, and calls that are made for each of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed._groups.process_group import ProcessGroup
from rushlight.distributed._local_tensor import _active
from rushlight.distributed._local_tensor._integers import LocalIntNode, int_on_rank, merged
from rushlight.engine.core.symbolic import SymInt

__all__ = ["LocalTensor", "combined", "for_each_rank", "on_rank", "reconcile_args"]

_PREFIX = "_local_tensor_"


class LocalTensor(torch.Tensor):
    """The tensors that simulated ranks have: what is done with it is done with each, and collectives are between them.

    It is for looking at distributed programs in one process, not for speed.

    Args:
        local_tensors: each rank's tensor, by its global rank. Sizes may differ, element types may not
        requires_grad: whether operations on it are recorded; the ranks' own tensors record nothing
    """

    _local_tensors: dict[int, torch.Tensor]
    _ranks: frozenset[int]

    @staticmethod
    def __new__(
        cls: type, local_tensors: Mapping[int, torch.Tensor], requires_grad: bool = False
    ) -> LocalTensor:
        if not local_tensors:
            raise ValueError("LocalTensor cannot be empty!")
        _check(local_tensors)
        first = next(iter(local_tensors.values()))
        made: LocalTensor = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            _of_all([x.shape for x in local_tensors.values()], local_tensors),
            strides=_of_all([x.stride() for x in local_tensors.values()], local_tensors),
            dtype=first.dtype,
            device=first.device,
            layout=first.layout,
            requires_grad=requires_grad,
        )
        made._local_tensors = dict(local_tensors)
        made._ranks = frozenset(local_tensors)
        return made

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        from rushlight.distributed._local_tensor._mode import LocalTensorMode

        kwargs = kwargs or {}
        given = list(tensors_in((args, kwargs)))
        if any(map(_is_foreign, given)):
            return NotImplemented
        ranks = next(x._ranks for x in given if isinstance(x, LocalTensor))
        with LocalTensorMode(ranks):
            return func(*args, **kwargs)

    @classmethod
    def _collectives_of(cls, group: ProcessGroup) -> Any:
        """The backend that collectives on such tensors ask."""
        from rushlight.distributed._local_tensor._c10d import LocalBackend

        return LocalBackend(group)

    # -- as a value --
    def __repr__(self, **unused: Any) -> str:  # type: ignore[override]
        parts = ",\n".join(f"  {rank}: {part}" for rank, part in self._local_tensors.items())
        return f"LocalTensor(\n{parts}\n)"

    __str__ = __repr__

    def __format__(self, format_spec: str) -> str:
        return format(self.item(), format_spec) if format_spec and not self.dim() else repr(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> LocalTensor:
        parts = {rank: copy.deepcopy(x, memo) for rank, x in self._local_tensors.items()}
        return LocalTensor(parts, self.requires_grad)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(_PREFIX):
            raise AttributeError(f"'LocalTensor' object has no attribute '{name}'")
        rank = int(name.removeprefix(_PREFIX))
        if rank not in self._ranks:
            raise AttributeError(f"Local tensor has no knowledge of rank {rank}")
        return self._local_tensors[rank]

    def __tensor_flatten__(self) -> tuple[list[str], tuple[Any, ...]]:
        return [f"{_PREFIX}{rank}" for rank in sorted(self._ranks)], ()

    @staticmethod
    def __tensor_unflatten__(
        inner_tensors: dict[str, Any], flatten_spec: Any, outer_size: Any, outer_stride: Any
    ) -> LocalTensor:
        return LocalTensor({int(k.removeprefix(_PREFIX)): x for k, x in inner_tensors.items()})

    # -- what there is one of in a process --
    def data_ptr(self) -> int:
        """Raises: there is no memory that all ranks share."""
        raise RuntimeError(
            "a LocalTensor has no address: each rank's tensor has its own memory, LocalTensor._local_tensors has "
            "these"
        )

    def untyped_storage(self) -> Any:
        """The ranks' storages, to be looked at and resized together."""
        return _Storages({rank: x.untyped_storage() for rank, x in self._local_tensors.items()})

    def reconcile(self) -> torch.Tensor:
        """The tensor that all ranks have. It has no history.

        Raises:
            AssertionError: if they have different ones
        """
        first, *others = self._local_tensors.values()
        if not all(other.equal(first) for other in others):
            raise AssertionError(
                f"LocalTensor shards must be the same to reconcile, but found {self}"
            )
        return first.detach().clone().requires_grad_(self.requires_grad)

    def numpy(self, *, force: bool = False) -> Any:
        """The array that all ranks have."""
        return self.reconcile().numpy(force=force)

    def tolist(self) -> Any:
        """The numbers of the tensor; integers that differ between ranks are `SymInt`\\ s."""
        found = {rank: x.tolist() for rank, x in self._local_tensors.items()}
        first, *others = found.values()
        if all(other == first for other in others):
            return first
        if self.dtype.is_floating_point or self.dtype.is_complex:
            raise RuntimeError(
                f"Cannot convert local tensor to list: ranks have different numbers, {found}"
            )
        return combined(found)

    def is_contiguous(self, memory_format: Any = torch.contiguous_format) -> bool:
        """Whether each rank's tensor is."""
        return all(
            x.is_contiguous(memory_format=memory_format) for x in self._local_tensors.values()
        )


class _Storages:
    """The storages of all ranks.

    Args:
        storages: each rank's
    """

    def __init__(self, storages: dict[int, Any]) -> None:
        self._storages = storages

    def nbytes(self) -> Any:
        """How many bytes each rank's has."""
        return merged({rank: x.nbytes() for rank, x in self._storages.items()})

    size = __len__ = nbytes

    def resize_(self, nbytes: Any) -> _Storages:
        """Change the number of bytes of each."""
        for rank, storage in self._storages.items():
            storage.resize_(int_on_rank(nbytes, rank))
        return self


def _check(local_tensors: Mapping[int, torch.Tensor]) -> None:
    """Raise unless the ranks' tensors can be those of one."""
    first = next(iter(local_tensors.values()))
    for rank, x in local_tensors.items():
        if x.requires_grad:
            raise AssertionError(
                f"the tensor of rank {rank} requires grad, whose history would be lost: give LocalTensor detached "
                "tensors and requires_grad=True"
            )
        for what, own, other in (
            ("dtype", x.dtype, first.dtype), ("layout", x.layout, first.layout),
            ("number of dimensions", x.dim(), first.dim()),
        ):  # fmt: skip
            if own != other:
                raise AssertionError(
                    f"Tensors representing LocalTensor shards must have the same {what}, but rank {rank} has {own} "
                    f"and another one {other}"
                )


def _of_all(rows: Sequence[Sequence[int]], ranks: Iterable[int]) -> tuple[Any, ...]:
    """Sizes or strides of which all ranks have their own."""
    return tuple(merged(dict(zip(ranks, column))) for column in zip(*rows))


# -- values on ranks --


def tensors_in(value: Any) -> Iterable[torch.Tensor]:
    """The tensors in nested lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


def _is_foreign(x: torch.Tensor) -> bool:
    """Whether a tensor is of a class that should be asked itself."""
    known = torch.Tensor, torch.nn.Parameter, torch.nn.Buffer
    return not isinstance(x, LocalTensor) and type(x) not in known


def on_rank(value: Any, rank: int) -> Any:
    """What a value is on a rank: in nested lists, tensors and integers are replaced by that rank's."""
    if isinstance(value, LocalTensor):
        return value._local_tensors[rank]
    if isinstance(value, SymInt):
        return int_on_rank(value, rank) if isinstance(value.trace, LocalIntNode) else value
    if isinstance(value, dict):
        return {key: on_rank(item, rank) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return _like(value, [on_rank(item, rank) for item in value])
    return value


def _like(value: Any, items: list[Any]) -> Any:
    """Items in a sequence of the kind of another one."""
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def combined(found: Mapping[int, Any]) -> Any:
    """One value for those that ranks have."""
    first = next(iter(found.values()))
    if isinstance(first, torch.Tensor):
        return LocalTensor(found)
    if isinstance(first, int) and not isinstance(first, bool):
        return merged(found)
    if isinstance(first, (list, tuple)):
        lengths = {rank: len(value) for rank, value in found.items()}
        if len(set(lengths.values())) > 1:
            raise AssertionError(f"ranks have lists of different lengths, by rank: {lengths}")
        return _like(first, [combined(dict(zip(found, column))) for column in zip(*found.values())])
    if any(value != first for value in found.values()):
        raise AssertionError(
            f"what is neither a tensor nor an integer must be equal on all ranks, but found {dict(found)}"
        )
    return first


def for_each_rank(
    function: Callable[..., Any],
    ranks: Iterable[int],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> dict[int, Any]:
    """What a function gives for each rank, which gets that rank's tensors and integers."""
    found = {}
    for rank in sorted(ranks):
        with _active.standing_for(rank):
            found[rank] = function(*on_rank(tuple(args), rank), **on_rank(dict(kwargs), rank))
    return found


def reconcile_args(args: Any, kwargs: dict[str, Any] | None = None) -> Any:
    """Arguments with the tensor that all ranks have in the place of each `LocalTensor`."""

    def plain(value: Any) -> Any:
        if isinstance(value, LocalTensor):
            return value.reconcile()
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return _like(value, [plain(item) for item in value])
        return value

    return plain((args, kwargs or {}))
