"""Random programs of several streams on the stand-in, which finds memory that was given out too early.

python -m tests.cuda.interleavings [COUNT]

runs so many programs, half of them of blocks of the allocator and half of tensors, whose calls are remembered; and
a few with `record_stream` left out, which has to be found.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from stand_in import StandIn

import rushlight as torch
from rushlight.engine.cuda import caching, context, driver, pinned, streams
from rushlight.engine.cuda.streams import Event, Stream

STEPS = 60


class Blocks:
    """Blocks of the allocator: each is filled with a number of its own, and looked at again."""

    def __init__(self, stand_in: StandIn, seed: int) -> None:
        self.stand_in, self.chance = stand_in, random.Random(seed)
        self.allocator = caching.of(0)
        self.streams = [Stream(0, 0), *(streams.from_pool(0, 0) for _ in range(3))]
        self.held: list[Any] = []
        self.number = 0
        self.wrong: list[Any] = []

    def step(self) -> None:
        what = self.chance.choice(("new", "new", "use", "free", "sync", "event", "empty", "none"))
        if what == "new":
            self.new()
        elif self.held and what == "use":
            self.use_elsewhere()
        elif self.held and what == "free":
            block, _ = self.held.pop(self.chance.randrange(len(self.held)))
            self.allocator.free(block)
        elif what == "sync":
            self.chance.choice(self.streams).synchronize()
        elif what == "event":
            follow(self.chance.choice(self.streams), self.chance.choice(self.streams))
        elif what == "empty" and self.chance.random() < 0.1:
            self.allocator.release_cached()

    def new(self) -> None:
        stream = self.chance.choice(self.streams)
        block = self.allocator.allocate(self.chance.choice((100, 600, 3000, 40000)), stream)
        self.number = (self.number + 1) % 250
        driver.fill(block.address, self.number, 64, stream.handle)
        self.look(block, self.number, stream)
        self.held.append((block, self.number))

    def use_elsewhere(self) -> None:
        """Another stream looks at a block, as `record_stream` allows, after its own stream's work."""
        block, number = self.chance.choice(self.held)
        stream = self.chance.choice(self.streams)
        follow(Stream(0, block.stream), stream)
        self.look(block, number, stream)
        self.allocator.record_use(block, stream)

    def look(self, block: Any, number: int, stream: Stream) -> None:
        """Queue a look at a block, which finds another's number if it was given out too early."""
        address, memory = block.address, self.stand_in.memory

        def run() -> None:
            found = set(memory.view(address, 64).tolist())
            if found != {number}:
                self.wrong.append((number, found))

        self.stand_in.queue(stream.handle, "look", run)

    def leave_records_out(self) -> None:
        self.allocator.record_use = lambda block, stream: None  # type: ignore[method-assign]

    def end(self) -> None:
        self.stand_in.run_all()


class Tensors:
    """Tensors with one number in all their elements; most calls have been made before, and are remembered."""

    def __init__(self, stand_in: StandIn, seed: int) -> None:
        self.stand_in, self.chance = stand_in, random.Random(seed)
        self.streams = [torch.cuda.default_stream(), *(torch.cuda.Stream() for _ in range(3))]
        self.held: list[Any] = []  # tensor, number, stream
        self.wrong: list[Any] = []
        self.records = True

    def step(self) -> None:
        what = self.chance.choice(("new", "copy", "use", "use", "free", "free", "look", "sync"))
        stream = self.chance.choice(self.streams)
        if what in ("new", "copy"):
            size, number = self.chance.choice((16, 128, 200)), self.chance.randrange(1000)
            with torch.cuda.stream(stream):
                made = torch.full((size,), float(number), device="cuda" if what == "new" else "cpu")
                if what == "copy":
                    made = made.pin_memory().to("cuda", non_blocking=True)
            self.held.append((made, number, stream))
        elif what == "sync":
            stream.synchronize()
        elif not self.held:
            return
        elif what == "use":
            self.use_elsewhere(stream)
        else:
            place = self.chance.randrange(len(self.held))
            self.look(*self.held[place])
            if what == "free":
                del self.held[place]

    def use_elsewhere(self, stream: Any) -> None:
        """Another stream computes with a tensor, which may end before that is done."""
        place = self.chance.randrange(len(self.held))
        tensor, number, own = self.held[place]
        stream.wait_stream(own)
        with torch.cuda.stream(stream):
            made = tensor.neg().neg()
        if self.records and stream != own:
            tensor.record_stream(stream)
        self.held.append((made, number, stream))
        if self.chance.random() < 0.5:
            del self.held[place]

    def look(self, tensor: Any, number: int, own: Any) -> None:
        if self.chance.random() < 0.3:
            with torch.cuda.stream(own):
                found = set(tensor.tolist())
            if found != {float(number)}:
                self.wrong.append((number, found))

    def leave_records_out(self) -> None:
        self.records = False

    def end(self) -> None:
        for entry in self.held:
            with torch.cuda.stream(entry[2]):
                found = set(entry[0].tolist())
            if found != {float(entry[1])}:
                self.wrong.append((entry[1], found))


KINDS = {"blocks": Blocks, "tensors": Tensors}


def follow(first: Stream, second: Stream) -> None:
    """Let what a stream gets next begin after what another one has now."""
    event = Event()
    event.record(first)
    event.wait(second)


def run(
    kind: str, stand_in: StandIn, seed: int, steps: int = STEPS, records: bool = True
) -> list[Any]:
    """Run a program; what was wrong, as numbers and what was found in their place."""
    program = KINDS[kind](stand_in, seed)
    if not records:
        program.leave_records_out()
    for _ in range(steps):
        program.step()
    program.end()
    return program.wrong


def _fresh(seed: int) -> StandIn:
    context.stop()
    for room in (caching, pinned, streams):
        room.forget()
    made = StandIn(nbytes=1 << 24, seed=seed)
    driver.use(made)
    return made


def main(count: int) -> int:
    gc.freeze()
    begun = time.monotonic()
    for records, share in ((True, count), (False, max(20, count // 50))):
        wrong = dict.fromkeys(KINDS, 0)
        for seed in range(share):
            kind = ("blocks", "tensors")[seed % 2]
            wrong[kind] += bool(run(kind, _fresh(seed), seed, records=records))
        how = "as they should be" if records else "without record_stream"
        took = time.monotonic() - begun
        print(f"{share} programs of {STEPS} steps {how}, wrong: {wrong} ({took:.0f} s)", flush=True)
        if bool(sum(wrong.values())) == records:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
