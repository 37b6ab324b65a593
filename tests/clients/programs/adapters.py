"""Adapters of peft on a small GPT-2: trained, saved, loaded and merged."""

import os

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
config = GPT2Config(
    vocab_size=50, n_positions=32, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.0,
    embd_pdrop=0.0, attn_pdrop=0.0,
)  # fmt: skip
base = GPT2LMHeadModel(config)
weights = {name: value.clone() for name, value in base.state_dict().items()}
lora = LoraConfig(
    r=4, lora_alpha=8, target_modules=["c_attn"], fan_in_fan_out=True, task_type="CAUSAL_LM"
)
model = get_peft_model(base, lora)
trained = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=1e-2)
tokens = torch.randint(0, 50, (4, 16))
losses = []
for _ in range(4):
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(f"{loss.item():.5f}")
print(f"steps={sum(p.numel() for p in trained)} {' '.join(losses)}")
model.save_pretrained(os.getcwd())
fresh = GPT2LMHeadModel(config)
fresh.load_state_dict(weights)
model = PeftModel.from_pretrained(fresh, os.getcwd())
print(f"loaded={model(input_ids=tokens, labels=tokens).loss.item():.5f}")
merged = model.merge_and_unload()
print(f"merged={merged(input_ids=tokens, labels=tokens).loss.item():.5f}")
