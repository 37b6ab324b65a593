"""Attention with scores and masks that are functions."""

import math

import pytest

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.nn.attention import flex_attention as flex


@pytest.fixture
def heads():
    torch.manual_seed(0)
    return [torch.randn(2, 4, n, 8, dtype=torch.float64) for n in (6, 7, 7)]


def causal(b, h, q, k):
    return q >= k


def test_without_functions_it_is_usual_attention(heads):
    found = flex.flex_attention(*heads)
    assert torch.allclose(found, F.scaled_dot_product_attention(*heads))


def test_scores_may_depend_on_positions(heads):
    slopes = torch.tensor([1.0, 0.5, 0.25, 0.125], dtype=torch.float64)

    def distance(score, b, h, q, k):
        return score - slopes[h] * (q - k).abs()

    places = torch.arange(6).unsqueeze(1) - torch.arange(7)
    bias = -slopes.reshape(4, 1, 1) * places.abs()
    found = flex.flex_attention(*heads, score_mod=distance)
    assert torch.allclose(found, F.scaled_dot_product_attention(*heads, attn_mask=bias))


def test_a_mask_of_documents(heads):
    owners = torch.tensor([0, 0, 1, 1, 1, 2])

    def same_owner(b, h, q, k):
        return owners[q] == owners[k.clamp(max=5)]

    mask = flex.create_block_mask(flex.and_masks(same_owner, causal), None, None, 6, 7)
    full = flex.create_mask(flex.and_masks(same_owner, causal), None, None, 6, 7)
    found = flex.flex_attention(*heads, block_mask=mask)
    assert torch.allclose(found, F.scaled_dot_product_attention(*heads, attn_mask=full))


def test_rows_that_see_nothing_are_zero(heads):
    mask = flex.create_block_mask(lambda b, h, q, k: (q > 0) & (k >= 0), None, None, 6, 7)
    found, lse = flex.flex_attention(*heads, block_mask=mask, return_lse=True)
    assert found[:, :, 0].eq(0).all()
    assert lse[:, :, 0].eq(-math.inf).all()


def test_gradients_go_through_functions(heads):
    bias = torch.zeros(7, dtype=torch.float64, requires_grad=True)
    found = flex.flex_attention(*heads, score_mod=lambda s, b, h, q, k: s + bias[k])
    found.square().sum().backward()
    assert bias.grad.abs().sum() > 0
    assert bias.grad.sum().item() == pytest.approx(0, abs=1e-9)


def test_heads_may_share_keys(heads):
    q, k, v = heads[0], heads[1][:, :2], heads[2][:, :2]
    found = flex.flex_attention(q, k, v, enable_gqa=True)
    expected = flex.flex_attention(q, *(x.repeat_interleave(2, dim=1) for x in (k, v)))
    assert torch.allclose(found, expected)
    with pytest.raises(ValueError, match="enable_gqa=True"):
        flex.flex_attention(q, k, v)


def test_blocks_that_count():
    mask = flex.create_block_mask(causal, None, None, 256, 384)
    assert mask.to_dense().tolist() == [[[[1, 0, 0], [1, 1, 0]]]]
    assert mask.full_kv_num_blocks.tolist() == [[[0, 1]]]
    assert mask.shape == (1, 1, 256, 384)
    assert mask.sparsity() == pytest.approx(50.0)


def test_what_else_can_be_had(heads):
    wanted = flex.AuxRequest(lse=True, max_scores=True)
    _, aux = flex.flex_attention(*heads, return_aux=wanted)
    scores = heads[0] @ heads[1].mT / math.sqrt(8)
    assert torch.allclose(aux.lse, scores.logsumexp(-1))
    assert torch.allclose(aux.max_scores, scores.amax(-1))


def test_masks_of_other_lengths_are_refused(heads):
    mask = flex.create_block_mask(causal, None, None, 4, 4)
    with pytest.raises(ValueError, match="block_mask was created for"):
        flex.flex_attention(*heads, block_mask=mask)
    with pytest.raises(RuntimeError, match="should be callable"):
        flex.or_masks(3)
