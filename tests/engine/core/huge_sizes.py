"""Run calls with sizes that no machine holds, each three times; say how they ended.

Started by `test_huge_sizes.py`, in a process of its own: it reads calls from its input, one a line,
and writes a line of words for each.
"""

import resource
import sys

import numpy as np  # noqa: F401

import rushlight as torch
from rushlight import nn  # noqa: F401
from rushlight.nn import functional as F  # noqa: F401

MEMORY = 6 << 30
E, H, M, B = 2**20, 2**33, 2**40, 2**62
one = torch.ones(1)
two = torch.ones(2, 2)
image = torch.ones(1, 1, 4, 4)
index = torch.zeros(1, dtype=torch.int64)
big = one.expand(B)


def outcome(call):
    try:
        made = eval(call)
    except Exception as error:
        return type(error).__name__
    if isinstance(made, torch.Tensor) and made.layout is torch.strided and not made.is_meta:
        # Whatever came out can be used.
        made.reshape(-1)[:1].sum()
    return "made"


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        print(*(outcome(line) for _ in range(3)), flush=True)
    # The program goes on.
    assert (torch.ones(3) + 1).tolist() == [2.0, 2.0, 2.0]


if __name__ == "__main__":
    main()
