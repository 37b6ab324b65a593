"""Models of timm and their optimizers: two steps on random images."""

import timm
import timm.optim
import torch

for name, options in {"resnet18": {}, "vit_tiny_patch16_224": {"img_size": 64}}.items():
    torch.manual_seed(0)
    model = timm.create_model(name, pretrained=False, num_classes=10, **options)
    optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.01)
    images, labels = torch.randn(2, 3, 64, 64), torch.tensor([1, 3])
    model.eval()
    print(f"{name} before={model(images).double().abs().sum().item():.5f}")
    model.train()
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(f"{loss.item():.5f}")
    print(f"{name}={' '.join(losses)}")
