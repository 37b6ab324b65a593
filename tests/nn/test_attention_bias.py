"""Causal masks that attention knows."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.nn.attention.bias import (
    CausalBias,
    CausalVariant,
    causal_lower_right,
    causal_upper_left,
)


def test_the_corners():
    upper, lower = causal_upper_left(2, 3), causal_lower_right(2, 3)
    assert upper._materialize().tolist() == [[True, False, False], [True, True, False]]
    assert lower._materialize().tolist() == [[True, True, False], [True, True, True]]
    assert type(lower._materialize()) is torch.Tensor
    assert (lower.variant, lower.seq_len_q, lower.seq_len_kv) == (CausalVariant.LOWER_RIGHT, 2, 3)
    assert type(lower | upper) is torch.Tensor


@pytest.mark.parametrize("make", [causal_upper_left, causal_lower_right])
@pytest.mark.parametrize(("queries", "keys"), [(3, 5), (4, 4)])
def test_attention_under_a_mask(make, queries, keys):
    query, key = torch.randn(1, 2, queries, 8), torch.randn(1, 2, keys, 8)
    mask = make(queries, keys)
    found = F.scaled_dot_product_attention(query, key, key, attn_mask=mask, scale=0.5)
    plain = F.scaled_dot_product_attention(query, key, key, mask._materialize(), scale=0.5)
    assert type(found) is torch.Tensor
    assert torch.allclose(found, plain, atol=1e-6)


def test_what_does_not_fit():
    query = torch.randn(1, 1, 3, 4)
    with pytest.raises(ValueError, match="should not be used with causal=True"):
        F.scaled_dot_product_attention(query, query, query, causal_upper_left(3, 3), is_causal=True)
    with pytest.raises(RuntimeError):
        F.scaled_dot_product_attention(query, query, query, causal_upper_left(2, 3))
    with pytest.raises(AssertionError, match="only supports 2D"):
        causal_lower_right(2, 3, 4)
    with pytest.raises(AssertionError, match="must be a CausalVariant, got int"):
        CausalBias(1, 2, 3)
    with pytest.warns(UserWarning, match="will produce NaNs"):
        causal_lower_right(4, 3)
