"""Small language models of transformers: losses, gradients and logits over two steps, one a line."""

import logging
import warnings

import torch

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

from transformers import (  # noqa: E402
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

SIZES = {"vocab_size": 50, "max_position_embeddings": 32}
WIDE = {"hidden_size": 16, "num_hidden_layers": 2, "intermediate_size": 32}
GPT2 = GPT2Config(
    vocab_size=50, n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=1
)
BERT = BertConfig(**SIZES, **WIDE, num_attention_heads=2)
LLAMA = LlamaConfig(**SIZES, **WIDE, num_attention_heads=4, num_key_value_heads=2)


def train(name, kind, config):
    torch.manual_seed(0)
    model = kind(config)
    torch.manual_seed(1)
    model.train()
    tokens = torch.randint(0, 50, (2, 8))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(2):
        out = model(input_ids=tokens, labels=tokens)
        optimizer.zero_grad()
        out.loss.backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        size = sum(g.double().abs().sum().item() for g in gradients)
        logits = out.logits.double().abs().sum().item()
        print(f"{name} {step}={out.loss.item():.6g} {size:.6g} {logits:.6g}")
        optimizer.step()


train("gpt2", GPT2LMHeadModel, GPT2)
train("bert", BertForMaskedLM, BERT)
train("llama", LlamaForCausalLM, LLAMA)

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2).eval()
prompt = torch.tensor([[3, 4, 5]])
text = model.generate(
    prompt,
    attention_mask=torch.ones_like(prompt),
    max_new_tokens=6,
    do_sample=False,
    pad_token_id=0,
)
print("generated=" + " ".join(map(str, text[0].tolist())))
