"""Wrong calls of every function and method say what PyTorch says."""

import pytest

torch = pytest.importorskip("torch")

from rushlight.engine.core import dtype as dtypes  # noqa: E402
from rushlight.engine.core.tensor import empty  # noqa: E402
from rushlight.engine.generated import (  # noqa: E402
    fft_functions,
    functions,
    linalg_functions,
    methods,
    nn_functions,
    special_functions,
)


class Weird:
    """A type that nothing takes."""


WEIRD = Weird()
CALLS = {
    "no arguments": lambda x: ((), {}),
    "one wrong": lambda x: ((WEIRD,), {}),
    "second wrong": lambda x: ((x, WEIRD), {}),
    "third wrong": lambda x: ((x, x, WEIRD), {}),
    "too many": lambda x: ((x,) * 12, {}),
    "wrong out": lambda x: ((x,), {"out": WEIRD}),
    "unknown keyword": lambda x: ((x,), {"nonsense": WEIRD}),
}
# Overloads for named dimensions or storages, which do not exist here, show in these messages.
KNOWN = {"range", "set_", "repeat_interleave", "nonzero", "nonzero_static"}
# So do those with the result's type, and old forms of the call that begin with beta.
KNOWN |= {"mm", "bmm", "addmm", "baddbmm", "addbmm", "addmv", "addr"}
KNOWN |= {f"{name}_" for name in ("addmm", "baddbmm", "addbmm", "addmv", "addr")}
PLACES = [
    (functions, torch._C._VariableFunctions),
    (nn_functions, torch._C._nn),
    (special_functions, torch._C._special),
    (linalg_functions, torch._C._linalg),
    (fft_functions, torch._C._fft),
]


def message(function, args, kwargs):
    try:
        function(*args, **kwargs)
    except TypeError as error:
        return str(error)
    except Exception:
        return None
    return None


def differences(name, mine, theirs, is_method):
    x = empty((2, 3), dtypes.float32)
    t = torch.empty(2, 3)
    for what, call in CALLS.items():
        args, kwargs = call(t)
        wanted = message(theirs, (t, *args) if is_method else args, kwargs)
        if wanted is None or f"{name}()" not in wanted:
            continue
        args, kwargs = call(x)
        if message(mine, (x, *args) if is_method else args, kwargs) != wanted:
            yield name, what


@pytest.mark.filterwarnings("ignore")
def test_wrong_calls_say_the_same():
    found = []
    for module, namespace in PLACES:
        for name in module.FUNCTIONS:
            theirs = getattr(namespace, name, None)
            if type(theirs).__name__ == "builtin_function_or_method" and name not in KNOWN:
                found += differences(name, getattr(module, name), theirs, False)
    for name, resolver in methods.RESOLVERS.items():
        theirs = getattr(torch.Tensor, name, None)
        if type(theirs).__name__ == "method_descriptor" and name not in KNOWN:
            found += differences(name, resolver.function, theirs, True)
    # A defaulted list of one integer prints in two ways; a method that is a property in one.
    assert len(found) <= 20, found
