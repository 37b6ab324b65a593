"""A stand-in for cuDNN's graphs: descriptors are checked when they are finished, and an attention is computed with numpy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from stand_in import ByAddress, StandIn
from stand_in_cublaslt import narrowed, widened
from stand_in_cudnn import KINDS, Convolutions

_WORD = ctypes.c_uint64
# How many arguments machine code calls these with.
_CALLED = {
    "cudnnBackendCreateDescriptor": 2, "cudnnBackendSetAttribute": 5, "cudnnBackendFinalize": 1,
    "cudnnBackendExecute": 3, "cudnnBackendDestroyDescriptor": 1,
}  # fmt: skip
# The bytes of a value of each type, and what a descriptor of each kind must have been told.
BYTES = {0: 8, 1: 4, 2: 1, 3: 8, 6: 8, 8: 4, 15: 8}
NEEDED = {
    17: {906: 3, 901: 1, 900: 3, 902: 3, 903: 3, 908: 2, 907: 2}, 15: {800: 0, 801: 15}, 4: {201: 15, 200: 8},
    5: {400: 0, 401: 15}, 16: {1000: 3, 1001: 6, 1003: 6},
    41: dict.fromkeys(range(2800, 2806), 15), 43: dict.fromkeys([*range(2851, 2857), *range(2859, 2863)], 15),
}  # fmt: skip
BAD, UNSUPPORTED = 2000, 3000


def place_of(given: Any) -> int:
    return given if isinstance(given, int) else ctypes.addressof(given)


class Graphs(Convolutions):
    """cuDNN.

    Args:
        driver: whose memory and streams it uses
        work: how many bytes each plan works in
        version: its number
        supports: says whether there are engines for an operation, by its tensors
    """

    def __init__(
        self, driver: StandIn, work: int = 256, version: int = 92800, supports: Any = None
    ) -> None:
        super().__init__(driver, work)
        self.version, self.supports = version, supports or (lambda kind, tensors: True)
        self.executed: list[int] = []
        for name, count in _CALLED.items():
            kind = ctypes.CFUNCTYPE(ctypes.c_int, *[_WORD] * count)
            setattr(self, name, ByAddress(kind, self.__getattr__(name)))

    def _cudnnGetVersion(self) -> int:
        return self.version

    def _cudnnBackendCreateDescriptor(self, kind: int, place: Any) -> None:
        self.last += 16
        self.described[self.last] = {"kind": kind, "done": False}
        _WORD.from_address(place_of(place)).value = self.last

    def _cudnnBackendDestroyDescriptor(self, made: int) -> None:
        del self.described[made]

    def _cudnnBackendSetAttribute(
        self, made: int, name: int, type: int, count: int, values: Any
    ) -> int:
        facts = self.described[made]
        if facts["done"] or NEEDED[facts["kind"]].get(name) != type:
            return BAD
        content = ctypes.string_at(place_of(values), count * BYTES[type])
        size = BYTES[type]
        facts[name] = [
            int.from_bytes(content[k : k + size], "little") for k in range(0, len(content), size)
        ]
        return 0

    def _cudnnBackendFinalize(self, made: int) -> int:
        facts = self.described[made]
        needed = NEEDED[facts["kind"]]
        if facts["done"] or set(facts) - {"kind", "done"} != set(needed):
            return BAD
        for name, type in needed.items():
            # Descriptors within others are finished before.
            if type == 15 and not all(self.described[d]["done"] for d in facts[name]):
                return BAD
        if facts["kind"] in (41, 43) and not self.fits(self.tensors(facts), facts["kind"]):
            return BAD
        if facts["kind"] == 5:
            # The first configuration is one that this device cannot run.
            config = self.described[facts[401][0]]
            if config["rank"] == 0:
                return UNSUPPORTED
            facts["graph"] = config["graph"]
        if facts["kind"] == 16 and len(facts[1000]) != len(facts[1001]):
            return BAD
        facts["done"] = True
        return 0

    def tensors(self, operation: dict[Any, Any]) -> dict[str, dict[str, Any]]:
        """The tensors of an operation, by their roles."""
        from rushlight.engine.cuda.cudnn_graph import ROLES

        found = {}
        for role, name in ROLES[operation["kind"]].items():
            facts = self.described[operation[name][0]]
            found[role] = {
                "number": facts[906][0], "kind": facts[901][0], "sizes": facts[902], "strides": facts[903],
                "by_value": bool(facts[908][0]), "alignment": facts[900][0],
            }  # fmt: skip
        return found

    @staticmethod
    def fits(tensors: dict[str, dict[str, Any]], kind: int) -> bool:
        q, k, v, out = (tensors[n]["sizes"] for n in ("query", "key", "value", "out"))
        numbers = [t["number"] for t in tensors.values()]
        scale, sums = tensors["scale"], tensors["sums"]
        return (
            len(set(numbers)) == len(numbers)
            and q[:2] == k[:2] == v[:2] == out[:2]
            and q[3] == k[3] and k[2] == v[2] and out == [*q[:3], v[3]]
            and sums["sizes"] == [*q[:3], 1] and sums["kind"] == 0
            and scale["by_value"] and scale["sizes"] == [1, 1, 1, 1] and scale["kind"] == 0
            and (kind == 41 or [tensors[f"{n} gradient"]["sizes"] for n in ("query", "key", "value")] == [q, k, v])
        )  # fmt: skip

    def _cudnnBackendGetAttribute(
        self, made: int, name: int, type: int, most: int, count: Any, values: Any
    ) -> int:
        facts = self.described[made]
        if (facts["kind"], name, type) == (5, 402, 3):
            values[0], count.value = self.work, 1
            return 0
        assert (facts["kind"], name, type) == (4, 202, 15) and facts["done"]
        (graph,) = facts[201]
        (operation,) = self.described[graph][801]
        tensors = self.tensors(self.described[operation])
        count.value = 3 if self.supports(self.described[operation]["kind"], tensors) else 1
        for rank in range(count.value):
            config = self.described[values[rank]]
            assert config["kind"] == 3
            config.update(rank=rank, graph=graph, done=True)
        return 0

    def _cudnnBackendExecute(self, handle: int, plan: int, pack: int) -> int:
        facts, given = self.described[plan], self.described[pack]
        if not (facts["done"] and given["done"]):
            return BAD
        (operation,) = self.described[facts["graph"]][801]
        kind, tensors = self.described[operation]["kind"], self.tensors(self.described[operation])
        places = dict(zip(given[1000], given[1001]))
        work = given[1003][0]
        factor = ctypes.c_float.from_address(places[tensors["scale"]["number"]]).value
        if any(places[t["number"]] % t["alignment"] for t in tensors.values()):
            return BAD
        self.executed.append(kind)

        def run() -> None:
            if self.work:
                self.driver.memory.view(work, self.work)
            compute = self.forward if kind == 41 else self.backward
            compute(tensors, places, factor)

        self.driver.queue(self.stream, "kernel", run)
        return 0

    def read(self, tensors: Any, places: Any, role: str) -> np.ndarray:
        facts = tensors[role]
        found = self.strided(places[facts["number"]], facts)
        return widened(found, KINDS[facts["kind"]][1]).astype(np.float64)

    def write(self, tensors: Any, places: Any, role: str, values: np.ndarray) -> None:
        facts = tensors[role]
        target = self.strided(places[facts["number"]], facts)
        target[:] = narrowed(values, KINDS[facts["kind"]][1])

    def forward(self, tensors: Any, places: Any, scale: float) -> None:
        q, k, v = (self.read(tensors, places, n) for n in ("query", "key", "value"))
        scores = q @ k.swapaxes(-1, -2) * scale
        sums = np.log(np.exp(scores).sum(-1, keepdims=True))
        self.write(tensors, places, "out", np.exp(scores - sums) @ v)
        self.write(tensors, places, "sums", sums)

    def backward(self, tensors: Any, places: Any, scale: float) -> None:
        names = "query", "key", "value", "out", "sums", "gradient"
        q, k, v, out, sums, grad = (self.read(tensors, places, n) for n in names)
        weights = np.exp(q @ k.swapaxes(-1, -2) * scale - sums)
        above = grad @ v.swapaxes(-1, -2) - (grad * out).sum(-1, keepdims=True)
        scores = weights * above * scale
        self.write(tensors, places, "query gradient", scores @ k)
        self.write(tensors, places, "key gradient", scores.swapaxes(-1, -2) @ q)
        self.write(tensors, places, "value gradient", weights.swapaxes(-1, -2) @ grad)
