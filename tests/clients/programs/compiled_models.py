"""Models of transformers, trained and asked, compiled and not: differences, and how often graphs end."""

import copy

import torch
import torch._dynamo
import transformers as t

SMALL = {"vocab_size": 128, "hidden_size": 32, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 4, "intermediate_size": 64}
QUIET = {"hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}
GPT2 = {"vocab_size": 128, "n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64,
        "resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0}  # fmt: skip
T5 = {"vocab_size": 128, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4,
      "dropout_rate": 0, "decoder_start_token_id": 0}  # fmt: skip
VIT = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "image_size": 32,
    "patch_size": 8,
    "num_labels": 5,
}

torch.manual_seed(0)
IDS = torch.randint(5, 100, (2, 12))
WORDS = {"input_ids": IDS, "labels": IDS}
IMAGES = {"pixel_values": torch.randn(2, 3, 32, 32), "labels": torch.randint(5, (2,))}
MODELS = {
    "gpt2": (t.GPT2LMHeadModel, t.GPT2Config(**GPT2), WORDS),
    "bert": (t.BertForMaskedLM, t.BertConfig(**SMALL, **HEADS, **QUIET), WORDS),
    "llama": (t.LlamaForCausalLM, t.LlamaConfig(**SMALL, **HEADS, num_key_value_heads=2), WORDS),
    "t5": (t.T5ForConditionalGeneration, t.T5Config(**T5), WORDS),
    "vit": (t.ViTForImageClassification, t.ViTConfig(**VIT, **HEADS, **QUIET), IMAGES),
}


def worst(plain, compiled, given):
    """The largest difference of losses in four steps, and then for shorter texts."""
    found = 0.0
    optimizers = [torch.optim.AdamW(m.parameters(), 1e-3) for m in (plain, compiled)]
    for _ in range(4):
        losses = []
        for model, optimizer in zip((plain, compiled), optimizers):
            loss = model(**given).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        found = max(found, abs(losses[0] - losses[1]))
    shorter = {k: v[:, :9].contiguous() if v.dim() == 2 else v for k, v in given.items()}
    with torch.no_grad():
        return max(found, (plain(**shorter).loss - compiled(**shorter).loss).abs().item())


for name, (kind, config, given) in MODELS.items():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model = kind(config)
    difference = worst(model, torch.compile(copy.deepcopy(model)), given)
    reasons = torch._dynamo.utils.counters["graph_break"]
    print(f"{name}={difference < 1e-5} {sorted({reason.partition(' (')[0] for reason in reasons})}")

model = t.GPT2LMHeadModel(t.GPT2Config(**GPT2, bos_token_id=1, eos_token_id=127)).eval()
asked = {"do_sample": False, "max_new_tokens": 12, "attention_mask": torch.ones_like(IDS)}
expected = model.generate(IDS, **asked)
for cache in ("dynamic", "static"):
    torch._dynamo.reset()
    compiled = copy.deepcopy(model)
    compiled.forward = torch.compile(compiled.forward)
    found = compiled.generate(IDS, cache_implementation=cache, **asked)
    print(f"{cache} cache={torch.equal(found, expected)} []")
