"""Inputs in chunks for devices, and results joined."""

from __future__ import annotations

from collections import namedtuple

import rushlight as torch
from rushlight.nn.parallel.scatter_gather import gather, scatter, scatter_kwargs

Pair = namedtuple("Pair", "a b")


def test_there_and_back() -> None:
    x = torch.arange(6.0).reshape(3, 2)
    given = {"x": x, "more": [x, Pair(x, "text")]}
    parts = scatter(given, ["cpu", "cpu"])
    assert [part["x"].shape[0] for part in parts] == [2, 1]
    assert parts[1]["more"][1].b == "text" and isinstance(parts[0]["more"][1], Pair)
    joined = gather([{"x": p["x"], "y": (p["x"], p["more"][0])} for p in parts], "cpu")
    assert torch.equal(joined["x"], x) and torch.equal(joined["y"][1], x)
    positional, named = scatter_kwargs((x,), {"flag": True}, ["cpu", "cpu"])
    assert len(positional) == 2 and named == ({"flag": True}, {"flag": True})
    assert gather([torch.tensor(1.0), torch.tensor(2.0)], "cpu").tolist() == [1, 2]
