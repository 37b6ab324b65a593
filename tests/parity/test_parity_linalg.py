"""What linear algebra says about wrong input, against PyTorch."""

import pytest

torch = pytest.importorskip("torch")

import rushlight  # noqa: E402

# PyTorch warns about the older names.
pytestmark = pytest.mark.filterwarnings("ignore")

UNARY = [
    "inv", "inv_ex", "cholesky", "cholesky_ex", "det", "slogdet", "eig", "eigvals", "eigh",
    "eigvalsh", "svd", "svdvals", "qr", "lu", "lu_factor", "lu_factor_ex", "ldl_factor_ex",
    "pinv", "matrix_rank", "cond", "matrix_exp", "tensorinv", "vander",
]  # fmt: skip
OLDER = ["inverse", "cholesky", "logdet", "geqrf", "cholesky_inverse", "svd", "qr", "det"]
BINARY = ["solve", "solve_ex", "lstsq", "cross", "householder_product"]


def matrices(library):
    zero = library.zeros(2, 2)
    return {
        "singular": zero,
        "singular in a batch": library.stack([library.eye(2), zero]),
        "integers": library.ones(2, 2, dtype=library.int64),
        "half": library.ones(2, 2, dtype=library.float16),
        "a vector": library.ones(3),
        "not square": library.ones(2, 3),
    }


def sides(library):
    return {
        "fits": library.ones(2, 2),
        "rows": library.ones(3, 2),
        "another type": library.ones(2, 2, dtype=library.float64),
        "a batch": library.ones(4, 2, 2),
        "a number": library.tensor(1.0),
    }


def message(function, *args):
    try:
        function(*args)
    except Exception as error:
        return str(error).partition("Exception raised")[0].strip()
    return None


@pytest.mark.parametrize("what", list(matrices(rushlight)))
def test_of_one_matrix(what):
    mine, theirs = matrices(rushlight)[what], matrices(torch)[what]
    for name in UNARY:
        if (name, what) == ("matrix_exp", "half"):
            continue
        wanted = message(getattr(torch.linalg, name), theirs)
        assert message(getattr(rushlight.linalg, name), mine) == wanted, name
    for name in OLDER:
        assert message(getattr(rushlight, name), mine) == message(getattr(torch, name), theirs), (
            name
        )


@pytest.mark.parametrize("side", list(sides(rushlight)))
@pytest.mark.parametrize("what", list(matrices(rushlight)))
def test_of_two(what, side):
    mine = matrices(rushlight)[what], sides(rushlight)[side]
    theirs = matrices(torch)[what], sides(torch)[side]
    for name in BINARY:
        wanted = message(getattr(torch.linalg, name), *theirs)
        assert message(getattr(rushlight.linalg, name), *mine) == wanted, name
