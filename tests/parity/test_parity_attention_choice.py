"""What attention does where programs allow only some kernels, beside PyTorch: results, errors and warnings."""

from __future__ import annotations

import warnings

import pytest

import rushlight

pytorch = pytest.importorskip("torch")

ALLOWED = [
    ["FLASH_ATTENTION"],
    ["EFFICIENT_ATTENTION"],
    ["CUDNN_ATTENTION"],
    ["MATH"],
    [],
    ["FLASH_ATTENTION", "MATH"],
]

# Sizes of queries, keys and values, the mask's, and other arguments.
SAME = [(1, 2, 3, 4)] * 3
CALLS = {
    "plain": (SAME, None, {}),
    "three dimensions": ([(2, 3, 4)] * 3, None, {}),
    "dropout": (SAME, None, {"dropout_p": 1.0}),
    "shared heads": ([(1, 4, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)], None, {"enable_gqa": True}),
    "heads that do not divide": ([(1, 4, 3, 4), (1, 3, 3, 4), (1, 3, 3, 4)], None, {"enable_gqa": True}),
    "values of fewer heads": ([(1, 4, 3, 4), (1, 2, 3, 4), (1, 1, 3, 4)], None, {"enable_gqa": True}),
    "widths": ([(1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 5)], None, {}),
    "heads": ([(1, 2, 3, 4), (1, 1, 3, 4), (1, 1, 3, 4)], None, {}),
    "batches": ([(2, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)], None, {}),
    "mask": (SAME, (3, 3), {}),
    "mask of three dimensions": (SAME, (1, 3, 3), {}),
    "mask of a row": (SAME, (1, 1, 1, 3), {}),
    "no queries": ([(1, 2, 0, 4), (1, 2, 3, 4), (1, 2, 3, 4)], None, {}),
    "no keys": ([(1, 2, 3, 4), (1, 2, 0, 4), (1, 2, 0, 4)], None, {}),
}  # fmt: skip


def outcome(torch, names, call, change=lambda torch, x: x):
    """The result, or the error and the warnings before it."""
    sizes, mask, settings = CALLS[call]
    given = [change(torch, torch.ones(size)) for size in sizes]
    if mask is not None:
        settings = {**settings, "attn_mask": torch.zeros(mask)}
    kinds = torch.nn.attention.SDPBackend
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with torch.nn.attention.sdpa_kernel([getattr(kinds, name) for name in names]):
                found = torch.nn.functional.scaled_dot_product_attention(*given, **settings)
        except RuntimeError as error:
            texts = [str(w.message).partition(" (Triggered")[0] for w in told]
            return " ".join(str(error).split()), texts
    return [*found.shape, *found.flatten().tolist()], []


@pytest.mark.parametrize("call", CALLS)
def test_outcomes_are_pytorch_s(call):
    for names in ALLOWED:
        found, told = outcome(rushlight, names, call)
        wanted, wanted_told = outcome(pytorch, names, call)
        assert told == wanted_told
        if isinstance(wanted, str):
            assert found.startswith(wanted)
        else:
            assert found == pytest.approx(wanted)


CHANGES = {
    "integers": lambda torch, x: x.to(torch.int32),
    "complex": lambda torch, x: x.to(torch.complex64),
    "columns": lambda torch, x: x.mT.contiguous().mT,
}


@pytest.mark.parametrize("change", CHANGES)
def test_reasons_of_types_and_strides(change):
    found, wanted = (
        outcome(torch, ["FLASH_ATTENTION"], "plain", CHANGES[change])
        for torch in (rushlight, pytorch)
    )
    assert found == wanted and found[1]


def test_a_mask_that_wants_its_gradient_has_no_reason():
    q = rushlight.ones(1, 2, 3, 4)
    mask = rushlight.zeros(3, 3, requires_grad=True)
    kinds = rushlight.nn.attention
    with (
        kinds.sdpa_kernel(kinds.SDPBackend.FLASH_ATTENTION),
        pytest.warns(UserWarning) as told,
        pytest.raises(RuntimeError, match="No available kernel"),
    ):
        rushlight.nn.functional.scaled_dot_product_attention(q, q, q, mask)
    assert [str(w.message) for w in told] == ["Flash attention kernel not used because:"]
