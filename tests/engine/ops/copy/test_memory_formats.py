"""Tensors that lie in several memory formats at once: their strides say which one is meant."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("size", [(3, 1, 4, 5), (3, 2, 1, 1), (2, 1, 1, 3)])
def test_to_gives_the_strides_of_the_format(size):
    plain = torch.ones(size)
    moved = plain.to(memory_format=torch.channels_last)
    assert plain.contiguous(memory_format=torch.channels_last) is plain
    assert moved.stride() == plain.clone(memory_format=torch.channels_last).stride()
    assert moved.to(memory_format=torch.channels_last) is moved
    assert moved.to(memory_format=torch.contiguous_format).stride() == plain.stride()
    assert plain.to(memory_format=torch.contiguous_format) is plain


def test_softmax_is_contiguous():
    image = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_()
    probabilities = image.softmax(1)
    assert probabilities.is_contiguous()
    assert torch.allclose(probabilities, image.contiguous().softmax(1))
    probabilities.square().sum().backward()
    assert image.log_softmax(1).is_contiguous()


F = torch.nn.functional
PER_CHANNEL = torch.linspace(0.5, 1, 8)
# What keeps the channels innermost, and of what size it makes its results.
KEEPS_CHANNELS_LAST = {
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, (2, 3)),
    "adaptive_avg_pool2d of one": lambda x: F.adaptive_avg_pool2d(x, 1),
    "adaptive_avg_pool2d of uneven": lambda x: F.adaptive_avg_pool2d(x, (3, 5)),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, (2, 3)),
    "max_unpool2d": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
    "lp_pool2d": lambda x: F.lp_pool2d(x, 2, 2),
    "group_norm": lambda x: F.group_norm(x, 4, PER_CHANNEL, PER_CHANNEL),
    "batch_norm": lambda x: F.batch_norm(x, PER_CHANNEL, PER_CHANNEL),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1)),
    "pad by mirrored": lambda x: F.pad(x, (1, 2, 0, 1), mode="reflect"),
    "pad by repeated": lambda x: F.pad(x, (1, 2, 0, 1), mode="replicate"),
    "roll": lambda x: x.roll(1, 1),
    "cat": lambda x: torch.cat([x, x], 1),
    "conv2d": lambda x: F.conv2d(x, torch.ones(4, 8, 3, 3)),
    "interpolate nearest": lambda x: F.interpolate(x, (5, 7)),
    "interpolate exact": lambda x: F.interpolate(x, (5, 7), mode="nearest-exact"),
    "interpolate area": lambda x: F.interpolate(x, (3, 2), mode="area"),
    "interpolate linear": lambda x: F.interpolate(x, (5, 7), mode="bilinear"),
    "interpolate cubic": lambda x: F.interpolate(x, (5, 7), mode="bicubic"),
    "interpolate smoothly": lambda x: F.interpolate(x, (3, 2), mode="bilinear", antialias=True),
    "x[[1, 0]]": lambda x: x[[1, 0]],
}


@pytest.mark.parametrize("name", KEEPS_CHANNELS_LAST)
@pytest.mark.parametrize("is_cut", [False, True])
def test_channels_stay_last(name, is_cut):
    change = KEEPS_CHANNELS_LAST[name]
    plain = torch.rand(2, 8, 6, 8) if is_cut else torch.rand(2, 8, 4, 6)
    image = plain.contiguous(memory_format=torch.channels_last)
    if is_cut:
        plain, image = (t[:, :, 1:-1, 1:-1] for t in (plain, image))
    plain = plain.contiguous()
    expected = change(plain)
    for _ in range(2):
        made = change(image)
        wanted = torch.empty(made.shape).contiguous(memory_format=torch.channels_last).stride()
        if 1 not in made.shape:
            assert made.stride() == wanted
        assert made.is_contiguous(memory_format=torch.channels_last)
        assert torch.allclose(made, expected, atol=1e-6)
        assert expected.is_contiguous()


def test_gradients_of_what_keeps_channels_last():
    for change in KEEPS_CHANNELS_LAST.values():
        plain = torch.rand(2, 8, 4, 6).requires_grad_()
        image = plain.detach().contiguous(memory_format=torch.channels_last).requires_grad_()
        weight = torch.rand(change(plain).shape)
        (change(plain) * weight).sum().backward()
        (change(image) * weight).sum().backward()
        assert torch.allclose(plain.grad, image.grad, atol=1e-5)


def test_stacks_lie_like_what_is_joined_and_cut():
    image = torch.rand(2, 8, 4, 6).contiguous(memory_format=torch.channels_last)
    assert torch.stack([image, image]).stride() == (384, 192, 1, 48, 8)
    assert torch.stack([image, image], 1).stride() == (384, 8, 1, 96, 16)
    assert torch.stack([image, image], 4).is_contiguous()
    assert torch.equal(torch.stack([image, image], 1)[:, 1], image)


def test_what_is_indexed_lies_like_what_it_is_taken_from():
    image = torch.rand(2, 8, 4, 6).contiguous(memory_format=torch.channels_last)
    turned = torch.rand(4, 2, 8, 6).permute(1, 2, 0, 3)
    plain, two = turned.contiguous(), torch.tensor([0, 1])
    for _ in range(4):
        assert image[..., two].stride() == (64, 2, 16, 1)
        assert turned[two].stride() == (192, 6, 48, 1)
        assert turned[:, two, :, two].stride() == (8, 1, 2)
        assert torch.equal(turned[two], plain[two])
        assert torch.equal(turned[:, two, :, two], plain[:, two, :, two])
    for n in range(2, 6):
        rows = torch.arange(60.0).view(5, 2, 6).transpose(1, 2)[:n]
        some = torch.tensor([1, 0, 1])
        assert torch.equal(rows[some], rows.contiguous()[some]) and rows[some].stride()[1] == 1


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear"])
def test_images_of_whole_numbers_have_no_other_size(mode):
    with pytest.raises(NotImplementedError, match="2d_channels_last\" not implemented for 'Short'"):
        F.interpolate(torch.ones(1, 3, 4, 4, dtype=torch.int16), (6, 6), mode=mode)


def test_batch_norm_of_channels_that_happen_to_be_innermost():
    image = torch.arange(6.0).reshape(1, 3, 2, 1).permute(0, 2, 1, 3)
    norm = torch.nn.BatchNorm2d(2).eval()
    made = norm(image)
    assert made.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(made, norm(image.contiguous())) and norm(image.contiguous()).is_contiguous()


def test_a_single_image_lies_as_its_strides_say():
    images = torch.arange(2 * 3 * 6 * 6).reshape(2, 6, 6, 3).permute(0, 3, 1, 2)
    thinned = images[1, :, ::2, ::2][None]
    assert thinned.stride() == (3, 1, 36, 6)
    # The first dimension has size 1, and its stride a place between the others.
    for made in (thinned.clone(), thinned + thinned, thinned.to(torch.float32), thinned < 3):
        assert made.stride() == (3, 1, 9, 3)
    # What is converted first is dense then.
    assert thinned.exp().stride() == (27, 1, 9, 3)
    larger = F.interpolate(thinned.float(), size=(6, 6), mode="bilinear")
    assert larger.is_contiguous()
    assert F.max_pool2d(thinned.float(), 2).is_contiguous()


@pytest.mark.parametrize(
    "layer",
    [
        torch.nn.Conv2d(3, 4, 2),
        torch.nn.ConvTranspose2d(3, 4, 2),
        torch.nn.MaxPool2d(2),
        torch.nn.AvgPool2d(2),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_gradients_of_images_lie_as_these_do(layer):
    image = torch.arange(2.0 * 3 * 6 * 6).reshape(2, 3, 6, 6)
    image = image.to(memory_format=torch.channels_last).requires_grad_()
    made = layer(image)
    seed = torch.ones(made.shape).to(memory_format=torch.channels_last)
    found = torch.autograd.grad(made, [image, *layer.parameters()], seed)
    for tensor in (made, *found[:2]):
        assert tensor.is_contiguous(memory_format=torch.channels_last)
        assert not tensor.is_contiguous()
    plain = image.detach().contiguous().requires_grad_()
    expected = torch.autograd.grad(layer(plain), [plain, *layer.parameters()], seed)
    assert all(torch.allclose(a, b) for a, b in zip(found, expected))


def test_functional_forms_of_resizing_repeated():
    x = torch.arange(6.0).view(2, 3)
    for _ in range(4):
        assert torch.ops.aten.resize(x, [3, 2]).tolist() == [[0, 1], [2, 3], [4, 5]]
        assert torch.ops.aten.resize_as(x, torch.ones(1, 2)).tolist() == [[0, 1]]
