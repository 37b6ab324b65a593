"""The end of a process: tensors may be released after the modules that made them."""

import os
import subprocess
import sys

PROGRAM = """
import sys
import rushlight as torch

kept = [torch.ones(100, requires_grad=True) * 2 for _ in range(20)]

class Last:
    # Released with the last of all modules.
    def __init__(self, items):
        self.items = items

def hold(function):
    function.me = function
    function.last = Last([t[1:].exp() for t in kept])
    return function

@hold
def cycle(x=kept):
    return x

sys.modules["zz_last"] = cycle
"""


def test_tensors_that_outlive_their_modules_do_no_harm():
    checked = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165"}
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **checked},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
