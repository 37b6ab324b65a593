"""The cheapest set of edges between two nodes of a network: Dinic's algorithm."""

from __future__ import annotations

import collections
import math
from collections.abc import Hashable

__all__ = ["Network"]


class Network:
    """Directed edges with capacities, between nodes that are any hashable values."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._names: list[Hashable] = []
        # For each node the numbers of its edges; edge k ^ 1 leads back.
        self._edges: list[list[int]] = []
        self._to: list[int] = []
        self._room: list[float] = []

    def _number(self, node: Hashable) -> int:
        found = self._numbers.get(node)
        if found is None:
            found = self._numbers[node] = len(self._names)
            self._names.append(node)
            self._edges.append([])
        return found

    def add_edge(self, start: Hashable, end: Hashable, capacity: float) -> None:
        """Add an edge; ``math.inf`` is a capacity."""
        first, last = self._number(start), self._number(end)
        for where, to, room in ((first, last, capacity), (last, first, 0.0)):
            self._edges[where].append(len(self._to))
            self._to.append(to)
            self._room.append(room)

    def minimum_cut(self, source: Hashable, sink: Hashable) -> tuple[float, set[Hashable]]:
        """What the cheapest cut costs, and the nodes on the sink's side of it, which are as few as can be."""
        first, last = self._number(source), self._number(sink)
        total = 0.0
        while True:
            levels = self._levels(first, last)
            if levels is None:
                break
            places = [0] * len(self._names)
            while True:
                pushed = self._push(first, last, levels, places)
                if not pushed:
                    break
                total += pushed
                if total == math.inf:
                    raise ValueError(f"there is no finite cut between {source} and {sink}")
        return total, self._behind(last)

    def _levels(self, first: int, last: int) -> list[int] | None:
        """How far each node is from the source along edges with room; None if the sink is not reached."""
        levels = [-1] * len(self._names)
        levels[first] = 0
        queue = collections.deque([first])
        while queue:
            node = queue.popleft()
            for edge in self._edges[node]:
                to = self._to[edge]
                if self._room[edge] > 0 and levels[to] < 0:
                    levels[to] = levels[node] + 1
                    queue.append(to)
        return None if levels[last] < 0 else levels

    def _push(self, first: int, last: int, levels: list[int], places: list[int]) -> float:
        """Send what goes along one path, without recursion: graphs are deep."""
        path: list[int] = []
        node = first
        while node != last:
            edges = self._edges[node]
            while places[node] < len(edges):
                edge = edges[places[node]]
                to = self._to[edge]
                if self._room[edge] > 0 and levels[to] == levels[node] + 1:
                    path.append(edge)
                    node = to
                    break
                places[node] += 1
            else:
                if not path:
                    return 0.0
                # A dead end: one step back, and past this edge.
                edge = path.pop()
                node = self._to[edge ^ 1]
                places[node] += 1
        room = min(self._room[edge] for edge in path)
        for edge in path:
            self._room[edge] -= room
            self._room[edge ^ 1] += room
        return room

    def _behind(self, last: int) -> set[Hashable]:
        """The nodes from which the sink is still reached."""
        seen = {last}
        queue = collections.deque([last])
        while queue:
            node = queue.popleft()
            for edge in self._edges[node]:
                to = self._to[edge]
                if to not in seen and self._room[edge ^ 1] > 0:
                    seen.add(to)
                    queue.append(to)
        return {self._names[node] for node in seen}
