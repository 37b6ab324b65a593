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
BYTES = {0: 8, 1: 4, 2: 1, 3: 8, 4: 4, 6: 8, 8: 4, 14: 4, 15: 8}
NEEDED = {
    17: {906: 3, 901: 1, 900: 3, 902: 3, 903: 3, 908: 2, 907: 2}, 15: {801: 15}, 4: {201: 15, 200: 8},
    5: {400: 0, 401: 15}, 16: {1000: 3, 1001: 6, 1003: 6}, 0: {0: 14, 1: 1}, 13: dict.fromkeys(range(750, 754), 15),
    44: {3000: 15, 3005: 15, 3006: 15, 3007: 14},
    41: dict.fromkeys(range(2800, 2806), 15), 43: dict.fromkeys([*range(2851, 2857), *range(2859, 2863)], 15),
}  # fmt: skip
# What it may be told besides: all of a group or nothing of it.
GROUPS = {
    15: [{800: 0}], 41: [{2811: 15, 2812: 3, 2813: 3}, {2815: 15, 2816: 15, 2818: 4}],
    43: [{2867: 15, 2868: 3, 2869: 3}, {2872: 15, 2873: 15, 2874: 4}],
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
        # The seeds and places that dropout has been given.
        self.states: list[tuple[int, int]] = []
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
        kind = facts["kind"]
        known = {k: v for group in (NEEDED[kind], *GROUPS.get(kind, ())) for k, v in group.items()}
        if facts["done"] or known.get(name) != type:
            return BAD
        content = ctypes.string_at(place_of(values), count * BYTES[type])
        size = BYTES[type]
        facts[name] = [
            int.from_bytes(content[k : k + size], "little") for k in range(0, len(content), size)
        ]
        return 0

    def _cudnnBackendFinalize(self, made: int) -> int:
        facts = self.described[made]
        needed = dict(NEEDED[facts["kind"]])
        for group in GROUPS.get(facts["kind"], ()):
            if set(group) & set(facts):
                needed.update(group)
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
            if name in operation:
                found[role] = self.tensor(operation[name][0])
        for step in self.changes(operation):
            found["mask" if step["kind"] == 13 else "hidden"] = step["other"]
        return found

    def tensor(self, made: int) -> dict[str, Any]:
        facts = self.described[made]
        return {
            "number": facts[906][0], "kind": facts[901][0], "sizes": facts[902], "strides": facts[903],
            "by_value": bool(facts[908][0]), "alignment": facts[900][0], "virtual": bool(facts[907][0]),
        }  # fmt: skip

    def changes(self, operation: dict[Any, Any]) -> list[dict[str, Any]]:
        """What is done to scores: sums with masks, and later keys hidden, in the order of the tensors between them."""
        graph, first, last = (2811, 2812, 2813) if operation["kind"] == 41 else (2867, 2868, 2869)
        if graph not in operation:
            return []
        found, number = [], operation[first][0]
        for made in self.described[operation[graph][0]][801]:
            facts = self.described[made]
            x, b, y = (751, 752, 753) if facts["kind"] == 13 else (3000, 3005, 3006)
            before, other, after = (self.tensor(facts[k][0]) for k in (x, b, y))
            assert before["number"] == number and before["virtual"] and after["virtual"]
            assert before["sizes"] == after["sizes"] and before["kind"] == after["kind"] == 0
            if facts["kind"] == 13:
                assert self.described[facts[750][0]][0] == [0]
            else:
                assert facts[3007] == [303] and other["by_value"]
            found.append({"kind": facts["kind"], "other": other})
            number = after["number"]
        assert number == operation[last][0]
        return found

    @staticmethod
    def fits(tensors: dict[str, dict[str, Any]], kind: int) -> bool:
        q, k, v, out = (tensors[n]["sizes"] for n in ("query", "key", "value", "out"))
        numbers = [t["number"] for t in tensors.values()]
        scale, sums = tensors["scale"], tensors["sums"]
        whole = [*q[:3], k[2]]
        mask = tensors.get("mask", {"sizes": whole})["sizes"]
        return (
            len(set(numbers)) == len(numbers)
            and q[:2] == out[:2] and q[:1] == k[:1] == v[:1] and k[1] == v[1] and q[1] % k[1] == 0
            and q[3] == k[3] and k[2] == v[2] and out == [*q[:3], v[3]]
            and sums["sizes"] == [*q[:3], 1] and sums["kind"] == 0
            and scale["by_value"] and scale["sizes"] == [1, 1, 1, 1] and scale["kind"] == 0
            and all(n in (1, of) for n, of in zip(mask, whole)) and mask[3] == k[2]
            and all(tensors[n]["kind"] == 10 for n in ("seed", "offset") if n in tensors)
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
        if "hidden" in tensors:
            assert ctypes.c_float.from_address(places[tensors["hidden"]["number"]]).value == -np.inf
        chance = self.described[operation].get(2818 if kind == 41 else 2874)
        dropout = 0.0 if chance is None else np.uint32(chance[0]).view(np.float32).item()
        self.executed.append(kind)

        def run() -> None:
            if self.work:
                self.driver.memory.view(work, self.work)
            compute = self.forward if kind == 41 else self.backward
            compute(tensors, places, factor, dropout)

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

    def scores(
        self, q: np.ndarray, k: np.ndarray, tensors: Any, places: Any, scale: float
    ) -> np.ndarray:
        found = q @ k.swapaxes(-1, -2) * scale
        if "mask" in tensors:
            found = found + self.read(tensors, places, "mask")
        return np.where(np.tri(*found.shape[-2:]), found, -np.inf) if "hidden" in tensors else found

    def kept(self, tensors: Any, places: Any, weights: np.ndarray, chance: float) -> Any:
        """What weights are multiplied by; the order of numbers is the stand-in's own."""
        if not chance:
            return 1.0
        seed, offset = (
            int(self.strided(places[tensors[n]["number"]], tensors[n]).item())
            for n in ("seed", "offset")
        )
        self.states.append((seed, offset))
        drawn = np.random.default_rng([seed & (1 << 63) - 1, offset]).random(weights.shape)
        return (drawn >= chance) / (1 - chance)

    def shared(self, x: np.ndarray, like: np.ndarray) -> np.ndarray:
        return np.repeat(x, like.shape[1] // x.shape[1], 1)

    def forward(self, tensors: Any, places: Any, scale: float, dropout: float) -> None:
        q, k, v = (self.read(tensors, places, n) for n in ("query", "key", "value"))
        k, v = self.shared(k, q), self.shared(v, q)
        scores = self.scores(q, k, tensors, places, scale)
        with np.errstate(divide="ignore", invalid="ignore"):
            sums = np.log(np.exp(scores).sum(-1, keepdims=True))
            weights = np.where(sums == -np.inf, 0.0, np.exp(scores - sums))
        self.write(
            tensors, places, "out", weights * self.kept(tensors, places, weights, dropout) @ v
        )
        self.write(tensors, places, "sums", sums)

    def backward(self, tensors: Any, places: Any, scale: float, dropout: float) -> None:
        names = "query", "key", "value", "out", "sums", "gradient"
        q, few, v, out, sums, grad = (self.read(tensors, places, n) for n in names)
        k, v = self.shared(few, q), self.shared(v, q)
        scores = self.scores(q, k, tensors, places, scale)
        with np.errstate(invalid="ignore"):
            weights = np.where(sums == -np.inf, 0.0, np.exp(scores - sums))
        kept = self.kept(tensors, places, weights, dropout)
        above = grad @ v.swapaxes(-1, -2) * kept - (grad * out).sum(-1, keepdims=True)
        changed = weights * above * scale

        def joined(x: np.ndarray) -> np.ndarray:
            return x.reshape(x.shape[0], few.shape[1], -1, *x.shape[2:]).sum(2)

        self.write(tensors, places, "query gradient", changed @ k)
        self.write(tensors, places, "key gradient", joined(changed.swapaxes(-1, -2) @ q))
        self.write(
            tensors, places, "value gradient", joined((weights * kept).swapaxes(-1, -2) @ grad)
        )
