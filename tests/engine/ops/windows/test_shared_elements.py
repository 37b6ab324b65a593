"""Windows over images some of whose elements lie in the same place, as after `expand` or `unfold`."""

import pytest

import rushlight as torch

F = torch.nn.functional
BASE = torch.arange(4000.0).sin()
SIZES = [(3, 4, 9, 9), (5, 4, 9, 20), (1, 2, 9, 30), (4, 4, 12, 17)]


def strides(size):
    batch, channels, height, width = size
    plane = height * width
    image = channels * plane
    return {
        "one image": (0, plane, width, 1),
        "one channel": (image, 0, width, 1),
        "one row": (image, plane, 0, 1),
        "one column": (image, plane, width, 0),
        "sliding images": (3, plane, width, 1),
        "sliding rows": (image, plane, 1, 1),
        "images inside": (plane, batch * plane, width, 1),
        "one element": (0, 0, 0, 0),
    }


CALLS = {
    "convolution": lambda x: F.conv2d(x, torch.ones(4, x.size(1), 3, 3).cumsum(3)),
    "groups": lambda x: F.conv2d(x, torch.ones(4, x.size(1) // 2, 1, 3).cumsum(3), groups=2),
    "one by one": lambda x: F.conv2d(x, torch.ones(4, x.size(1), 1, 1).cumsum(0)),
    "transposed": lambda x: F.conv_transpose2d(x, torch.ones(x.size(1), 2, 3, 3).cumsum(3)),
    "largest": lambda x: F.max_pool2d(x, 3, stride=1),
    "means": lambda x: F.avg_pool2d(x, 3, stride=1),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("size", SIZES)
def test_shared_elements_do_not_matter(size, name):
    call = CALLS[name]
    for layout, stride in strides(size).items():
        x = BASE.as_strided(size, stride)
        expected = call(x.contiguous())
        for _ in range(3):
            # What is not written must not happen to be right.
            torch.full((expected.numel(),), float("nan"))
            torch.testing.assert_close(call(x), expected, msg=f"{name} of {layout}")


def gradients(image):
    x, w = image.detach().requires_grad_(), torch.ones(4, 3, 3, 3).cumsum(3).requires_grad_()
    F.conv2d(x, w).square().sum().backward()
    return x.grad, w.grad


def test_gradients_of_expanded_images():
    images = BASE[:243].view(3, 9, 9).expand(5, -1, -1, -1)
    torch.testing.assert_close(gradients(images), gradients(images.contiguous()))
