"""Call functions of the family attention. Written by `python -m rushlight.engine.codegen`; do not edit."""


from rushlight.engine.core import state
from rushlight.engine.dispatch import constants
from rushlight.engine.dispatch.operator import factory_keys, operator


t__scaled_dot_product_flash_attention_for_cpu = operator('_scaled_dot_product_flash_attention_for_cpu').table


def _scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    keys = query._keys | key._keys | value._keys
    if attn_mask is not None:
        keys |= attn_mask._keys
    if state.active:
        keys = state.effective(keys)
    return t__scaled_dot_product_flash_attention_for_cpu[keys](query, key, value, dropout_p, is_causal, attn_mask, scale)


t__scaled_dot_product_flash_attention_for_cpu_backward = operator('_scaled_dot_product_flash_attention_for_cpu_backward').table


def _scaled_dot_product_flash_attention_for_cpu_backward(grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask=None, scale=None):
    keys = grad_out._keys | query._keys | key._keys | value._keys | out._keys | logsumexp._keys
    if attn_mask is not None:
        keys |= attn_mask._keys
    if state.active:
        keys = state.effective(keys)
    return t__scaled_dot_product_flash_attention_for_cpu_backward[keys](grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask, scale)


t__attention_gradients = operator('_attention_gradients').table


def _attention_gradients(grad_out, query, key, value, out, logsumexp, is_causal, scale, attn_mask=None):
    keys = grad_out._keys | query._keys | key._keys | value._keys | out._keys | logsumexp._keys
    if attn_mask is not None:
        keys |= attn_mask._keys
    if state.active:
        keys = state.effective(keys)
    return t__attention_gradients[keys](grad_out, query, key, value, out, logsumexp, is_causal, scale, attn_mask)
