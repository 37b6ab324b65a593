"""Models, transforms and box operators of torchvision on made-up images."""

import torch
import torchvision
from torchvision import transforms, tv_tensors
from torchvision.transforms import v2


def show(name, *tensors):
    print(f"{name}={' '.join(f'{t.double().sum().item():.4f}' for t in tensors)}")


for name in ("resnet18", "squeezenet1_0"):
    torch.manual_seed(1)
    model = torchvision.models.get_model(name, num_classes=5)
    images = torch.randn(2, 3, 64, 64)
    show(name, model.eval()(images).abs())

torch.manual_seed(0)
pixels = (torch.arange(3 * 48 * 40).reshape(3, 48, 40) * 7 % 256).to(torch.uint8)
older = transforms.Compose([
    transforms.RandomResizedCrop(32), transforms.RandomHorizontalFlip(),
    transforms.ColorJitter(0.2, 0.2, 0.2, 0.1), transforms.RandomRotation(20),
])  # fmt: skip
show("older", *(older(pixels / 255.0) for _ in range(3)))
newer = v2.Compose([
    v2.RandomResizedCrop((24, 24), antialias=True), v2.RandomHorizontalFlip(0.5),
    v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.2] * 3),
])  # fmt: skip
show("newer", *(newer(tv_tensors.Image(pixels)) for _ in range(3)))
boxes = tv_tensors.BoundingBoxes(
    torch.tensor([[3, 4, 20, 25], [1, 1, 9, 9]]), format="XYXY", canvas_size=(48, 40)
)
mask = tv_tensors.Mask(torch.randint(0, 2, (1, 48, 40)))
turned = v2.Compose([v2.RandomRotation(20), v2.RandomHorizontalFlip(1.0), v2.Resize((30, 30))])
made = turned(tv_tensors.Image(pixels), boxes, mask)
assert [type(t).__name__ for t in made] == ["Image", "BoundingBoxes", "Mask"]
show("turned", *made)
show("mixed", *v2.MixUp(num_classes=4)(torch.rand(4, 3, 8, 8), torch.tensor([0, 1, 2, 3])))
some = torch.rand(20, 4) * 20
some[:, 2:] += some[:, :2]
show("overlap", torchvision.ops.box_iou(some, some), torchvision.ops.box_area(some))
