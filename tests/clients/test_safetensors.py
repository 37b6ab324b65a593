"""safetensors: files of tensors, written and read."""

PROGRAM = """
import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model

tensors = {
    str(kind): torch.ones(2, 3).to(kind)
    for kind in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64,
                 torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
                 torch.float8_e4m3fn, torch.float8_e5m2)
}
tensors["empty"] = torch.empty(0, 3)
tensors["scalar"] = torch.tensor(2.5)
save_file(tensors, "all.safetensors", metadata={"format": "pt"})
back = load_file("all.safetensors")
assert set(back) == set(tensors)
for name, tensor in tensors.items():
    assert back[name].dtype is tensor.dtype and back[name].shape == tensor.shape
    assert torch.equal(back[name].float(), tensor.float())
assert load(save({"a": torch.arange(4)}))["a"].tolist() == [0, 1, 2, 3]
with safe_open("all.safetensors", framework="pt") as file:
    assert file.metadata() == {"format": "pt"} and "scalar" in file.keys()
    part = file.get_slice("torch.float32")
    assert part.get_shape() == [2, 3] and torch.equal(part[:, 1:], torch.ones(2, 2))

model, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
save_model(model, "model.safetensors")
missing, unexpected = load_model(other, "model.safetensors")
assert not missing and not unexpected and torch.equal(model.weight, other.weight)
try:
    save_file({"a": model.weight, "b": model.weight}, "shared.safetensors")
except RuntimeError as error:
    assert "share memory" in str(error)
else:
    raise AssertionError("tensors that share memory were written")
print("done")
"""


def test_safetensors(run):
    assert run(PROGRAM, "safetensors") == "done\n"
