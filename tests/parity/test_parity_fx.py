"""Traced programs are printed as PyTorch prints them."""

import copy
import enum
import importlib
import operator

import pytest

torch = pytest.importorskip("torch")

import rushlight  # noqa: E402
import rushlight.fx.passes.split_module  # noqa: E402

F = "nn.functional"


class Color(enum.Enum):
    RED = 1


def functional(t):
    return t.nn.functional


FUNCTIONS = {
    "arithmetic": lambda t: lambda x, y: (x + y * 2 - 1) / y // 3 % 4**x,
    "reflected": lambda t: lambda x: 1 - (2 / (3 @ (4 ** (5 % x)))),
    "bits": lambda t: lambda x, y: ~(x & y | x ^ y) << 1 >> 2,
    "comparisons": lambda t: lambda x, y: [x < y, x <= y, x > y, x >= y, x == y, x != y],
    "signs": lambda t: lambda x: (-x, +x, abs(x)),
    "slices": lambda t: lambda x: x[1:, ..., None, ::2, 0],
    "subscript": lambda t: lambda x, y: x[y][y > 0],
    "attributes": lambda t: lambda x: (x.shape, x.dtype, x.T.device, x.a.b.c(x.d)),
    "methods": lambda t: lambda x: x.view(-1, 2).sum(dim=0, keepdim=True).to(t.float64),
    "call": lambda t: lambda x: x(1, a=x),
    "constants": lambda t: lambda x: (x, 1, 2.5, True, None, "s'", 1e300, float("inf"), 1j, ...),
    "torch constants": lambda t: lambda x: (t.float16, t.strided, t.channels_last, t.Size([2])),
    "devices": lambda t: lambda x: x.to(t.device("cuda", 1)),
    "dictionary": lambda t: lambda x: {"a": x, 1: (x,), "b": {"c": [x]}},
    "enum": lambda t: lambda x: (x, Color.RED),
    "starred": lambda t: lambda x, *args, y=2, **kw: x + args[0] + kw["k"] + y,
    "defaults": lambda t: lambda x, y=(1, [2]), z="s": x + z,
    "builtin names": lambda t: lambda input, max, type: input + max + type,
    "strings": lambda t: lambda x: "nothing",
    "nothing": lambda t: lambda x: None,
    "matmul": lambda t: lambda x, y: t.matmul(x, y),
    "keywords": lambda t: lambda x: t.add(input=x, other=x, alpha=2, out=x),
    "lists": lambda t: lambda x, y: t.cat([x, y], dim=1) + t.stack((x, y)),
    "packet": lambda t: lambda x: t.ops.aten.add(x, 1),
    "overload": lambda t: lambda x: t.ops.aten.add.Tensor(x, 1),
    "where": lambda t: lambda x: t.where(x > 0, x, t.zeros(2)),
    "split": lambda t: lambda x: t.split(x, 2),
    "chunk": lambda t: lambda x: t.chunk(x, 2, dim=1)[0],
    "einsum": lambda t: lambda x, y: t.einsum("ij,jk->ik", x, y),
    "norm": lambda t: lambda x: t.norm(x, dim=1),
    "tensordot": lambda t: lambda x: t.tensordot(x, x, dims=1),
    "meshgrid": lambda t: lambda x: t.meshgrid(x, x, indexing="ij"),
    "unique": lambda t: lambda x: t.unique(x, return_counts=True),
    "linalg": lambda t: lambda x: t.linalg.norm(x) + t.linalg.det(x) + t.linalg.solve(x, x),
    "fft": lambda t: lambda x: t.fft.fft(x, n=4) + t.fft.irfft(x),
    "special": lambda t: lambda x: t.special.expm1(x) + t.special.gammaln(x),
    "relu": lambda t: lambda x: functional(t).relu(t.relu(x.relu()), inplace=True),
    "activations": lambda t: (
        lambda x: [
            f(x)
            for f in map(
                functional(t).__getattribute__,
                [
                    "relu6",
                    "elu",
                    "selu",
                    "celu",
                    "leaky_relu",
                    "hardtanh",
                    "silu",
                    "mish",
                    "hardswish",
                    "hardsigmoid",
                    "gelu",
                    "softplus",
                    "softshrink",
                    "hardshrink",
                    "softsign",
                    "tanhshrink",
                    "logsigmoid",
                    "glu",
                ],
            )
        ]
    ),
    "softmax": lambda t: lambda x: functional(t).softmax(functional(t).log_softmax(x, 1), dim=-1),
    "dropout": lambda t: lambda x: functional(t).dropout(functional(t).dropout2d(x), 0.3, True),
    "linear": lambda t: lambda x, w, b: functional(t).linear(x, w, b),
    "convolution": lambda t: lambda x, w: functional(t).conv2d(x, w, stride=2, padding="same"),
    "transposed": lambda t: lambda x, w: functional(t).conv_transpose2d(x, w),
    "pooling": lambda t: (
        lambda x: [
            functional(t).max_pool2d(x, 2),
            functional(t).max_pool2d(x, 2, stride=1, return_indices=True),
            functional(t).avg_pool2d(x, 2),
            functional(t).adaptive_avg_pool2d(x, (1, 1)),
            functional(t).adaptive_max_pool2d(x, 1),
            functional(t).lp_pool2d(x, 2.0, 2),
        ]
    ),
    "norms": lambda t: (
        lambda x, w: [
            functional(t).batch_norm(x, w, w, training=True),
            functional(t).layer_norm(x, [2], w),
            functional(t).group_norm(x, 2),
            functional(t).instance_norm(x),
            functional(t).normalize(x, dim=0),
        ]
    ),
    "losses": lambda t: (
        lambda x, y: [
            functional(t).cross_entropy(x, y),
            functional(t).mse_loss(x, y, reduction="sum"),
            functional(t).l1_loss(x, y),
            functional(t).nll_loss(x, y),
            functional(t).binary_cross_entropy_with_logits(x, y),
            functional(t).kl_div(x, y),
            functional(t).cosine_embedding_loss(x, x, y),
            functional(t).triplet_margin_loss(x, x, y),
            functional(t).smooth_l1_loss(x, y),
            functional(t).ctc_loss(x, y, y, y),
        ]
    ),
    "embeddings": lambda t: (
        lambda x, w: (
            functional(t).embedding(x, w)
            + functional(t).embedding_bag(x, w)
            + functional(t).one_hot(x)
        )
    ),
    "resizing": lambda t: (
        lambda x: functional(t).pad(
            functional(t).interpolate(x, scale_factor=2, mode="bilinear"), (1, 1)
        )
    ),
    "grid": lambda t: lambda x: functional(t).grid_sample(x, functional(t).affine_grid(x, [1, 1])),
    "attention": lambda t: lambda x: functional(t).scaled_dot_product_attention(x, x, x, None, 0.1),
    "folding": lambda t: lambda x: functional(t).fold(functional(t).unfold(x, 2), 3, 2),
    "pixels": lambda t: lambda x: functional(t).pixel_shuffle(x, 2),
    "real first": lambda t: lambda x: t.ones(2) + x,
    "real constant": lambda t: lambda x: x + t.ones(2),
    "real subscript": lambda t: lambda x: t.arange(4)[x],
    "init": lambda t: lambda x: t.nn.init.normal_(x, std=2.0),
    "operator": lambda t: lambda x: operator.add(x, operator.getitem(x, 0)),
    "in place": lambda t: lambda x: x.add_(1).relu_(),
    "mode names": lambda t: lambda x: (x.sum().item(), t.float32),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_code(name):
    printed = []
    for library in (torch, rushlight):
        traced = library.fx.symbolic_trace(FUNCTIONS[name](library))
        traced.graph.lint()
        printed.append((traced.code, str(traced.graph)))
    assert printed[0] == printed[1]


def unpacking(t):
    def f(x):
        (a, b), c = x.max(0), x
        a, b = b, a
        first, *_ = [a, b]
        return first + c

    return f


def annotated(t):
    def f(x: t.Tensor, y: list[t.Tensor], z: int | None = None) -> tuple[t.Tensor, int]:
        return x + y[0], 3

    return f


@pytest.mark.parametrize("make", [unpacking, annotated])
def test_code_of_statements(make):
    printed = [lib.fx.symbolic_trace(make(lib)).code for lib in (torch, rushlight)]
    assert printed[0] == printed[1]


def nets(t):
    nn = t.nn

    class Residual(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.a = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.norm = nn.BatchNorm2d(width)
            self.act = nn.ReLU(inplace=True)
            self.scale = nn.Parameter(t.ones(1))
            self.register_buffer("shift", t.zeros(1))

        def forward(self, x):
            y = self.act(self.norm(self.a(x))) * self.scale + self.shift
            y += x
            return self.act(y)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 4, 3), Residual(4), nn.Sequential(Residual(4)))
            self.blocks = nn.ModuleList([Residual(4), nn.MaxPool2d(2)])
            self.heads = nn.ModuleDict({"kind": nn.Linear(4, 10), "box": nn.Linear(4, 4)})

        def forward(self, x, *, scale: float = 1.0):
            x = self.stem(x)
            for block in self.blocks:
                x = block(x)
            x = t.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)
            return {name: head(x) * scale for name, head in self.heads.items()}

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(8, 24)
            self.out = nn.Linear(8, 8)
            self.norm = nn.LayerNorm(8)

        def forward(self, x, mask=None):
            b, n, c = x.shape
            q, k, v = self.qkv(self.norm(x)).reshape(b, n, 3, 2, c // 2).permute(2, 0, 3, 1, 4)
            weights = (q @ k.transpose(-2, -1) * 0.5).softmax(dim=-1)
            return x + self.out((weights @ v).transpose(1, 2).reshape(b, n, c))

    return {"net": Net(), "attention": Attention(), "layer": nn.Linear(2, 3)}


@pytest.mark.parametrize("name", ["net", "attention", "layer"])
def test_code_of_modules(name):
    printed = []
    for library in (torch, rushlight):
        traced = library.fx.symbolic_trace(nets(library)[name])
        again = copy.deepcopy(traced)
        printed.append(
            (
                traced.code,
                str(traced.graph),
                str(traced),
                again.code,
                traced.print_readable(print_output=False),
                traced.graph.python_code("self", expanded_def=True).src,
                library.fx.Transformer(traced).transform().code,
            )
        )
    assert printed[0] == printed[1]


@pytest.mark.parametrize("inside", [False, True])
def test_code_without_leaves(inside):
    printed = []
    for library in (torch, rushlight):

        class Through(library.fx.Tracer):
            def is_leaf_module(self, module, path):
                return inside and type(module).__name__ == "Conv2d"

        tracer = Through()
        net = nets(library)["net"].stem[:1]
        printed.append(str(tracer.trace(net)))
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    "concrete",
    [
        lambda PH: {"b": 2},
        lambda PH: {"b": None},
        lambda PH: {"a": {"x": PH, "y": [PH, 3]}},
        lambda PH: {"a": [PH, PH], "b": (PH, "s")},
    ],
)
def test_code_with_concrete_arguments(concrete):
    def program(a, b):
        return (a, b)

    printed = [
        lib.fx.symbolic_trace(program, concrete_args=concrete(lib.fx.PH)).code
        for lib in (torch, rushlight)
    ]
    assert printed[0] == printed[1]


def test_names_are_given_alike():
    # Not "_": interpreters that show results make it a built-in name, sooner or later.
    words = "a a a_1 a_1 sum if 1x x.y x..y torch inf a_01 self a_1_2 foo_3 foo foo foo_3 print"
    given = []
    for library in (torch, rushlight):
        graph = library.fx.Graph()
        given.append(
            [
                graph.create_node("call_function", operator.add, (), name=w).name
                for w in words.split()
            ]
        )
    assert given[0] == given[1]


def test_parts_are_printed_alike():
    parts = {"stem_0": 0, "stem_1_a": 0, "stem_1_norm": 1, "stem_1_act": 1}
    printed = []
    for library in (torch, rushlight):
        importlib.import_module(f"{library.__name__}.fx.passes.split_module")
        net = nets(library)["net"]
        split = library.fx.passes.split_module.split_module(
            library.fx.symbolic_trace(net), net, lambda node: parts.get(node.name, 2)
        )
        parts_of = [child.code for child in split.children() if hasattr(child, "code")]
        printed.append([split.code, *parts_of])
    assert printed[0] == printed[1]


REWRITES = [
    (lambda t: lambda x, y: t.relu(x + y).sum() + t.relu(y + x), lambda t: lambda a, b: t.relu(a + b), lambda t: lambda a, b: t.sigmoid(a * b)),
    (lambda t: lambda x: t.add(t.add(x, 1), 1), lambda t: lambda a: t.add(a, 1), lambda t: lambda a: t.mul(a, 2)),
    (lambda t: lambda x: x.relu().relu().relu(), lambda t: lambda a: a.relu().relu(), lambda t: lambda a: a.neg()),
    (lambda t: lambda x: (x + 1) * (x * 2), lambda t: lambda a: (a + 1, a * 2), lambda t: lambda a: (a - 1, a - 2)),
    (lambda t: lambda x: t.cat([x, x]), lambda t: lambda a, b: t.cat([a, b]), lambda t: lambda a, b: t.stack([b, a])),
    (lambda t: lambda x: x + 1, lambda t: lambda a: a + 1, lambda t: lambda a: a),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REWRITES)))
def test_rewriting(case):
    done = []
    for library in (torch, rushlight):
        program, pattern, replacement = (make(library) for make in REWRITES[case])
        traced = library.fx.symbolic_trace(program)
        found = library.fx.replace_pattern(traced, pattern, replacement)
        done.append((traced.code, str(found)))
    assert done[0] == done[1]


def _resolved(path):
    found = rushlight
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("place", ["", "nn.functional", "linalg", "fft", "special", "Tensor"])
def test_functions_of_operators_have_the_same_names(place):
    homes = [torch, rushlight]
    for part in filter(None, place.split(".")):
        homes = [getattr(home, part) for home in homes]
    checked = 0
    for name in dir(homes[0]):
        function = getattr(homes[0], name)
        ours = getattr(homes[1], name, None)
        if name.startswith("_") or not isinstance(function, type(torch.add)) or ours is None:
            continue
        wanted = torch.fx.node._get_qualified_name(function)
        is_operator = hasattr(torch.ops.aten, wanted.rpartition(".")[2])
        if is_operator and name not in OTHER_NAMES:
            assert rushlight.fx.node._get_qualified_name(ours) == wanted
            assert callable(_resolved(wanted))
            checked += 1
    assert checked > 10 or place == "Tensor"


# Names of the namespace for functions that have another name, too.
OTHER_NAMES = {"dsmm", "hsmm", "saddmm", "segment_reduce", "spmm"}


def readable(library):
    """What is printed for reading, with places, types, colors and notes."""

    def program(x, y=2):
        z = library.add(x, 1).relu() * 2.5
        return z - x, [3, (y,)], {"a": 1, "b": z}, library.device("cpu"), x[1:, 0], None

    traced = library.fx.symbolic_trace(program)
    calls = [node for node in traced.graph.nodes if node.op.startswith("call")]
    for node in calls[:2]:
        node.stack_trace = 'File "a.py", line 1, in f\n    z = torch.add(x, 1)'
    calls[1].meta.update(note=1, other="s")
    yield traced.print_readable(print_output=False)
    yield traced.print_readable(print_output=False, additional_meta=["note", "other"])
    for node in traced.graph.nodes:
        node.meta["val"] = library.ones(2, 3).t()
    for options in (
        {},
        {"colored": True},
        {"include_stride": True, "include_device": True},
        {"include_stride": True, "include_device": True, "colored": True},
        {"expanded_def": True},
    ):
        yield traced.print_readable(print_output=False, **options)
    code = traced.graph.python_code("self")
    yield code._lineno_map, code._prologue_start
    yield [node.format_node(include_tensor_metadata=True) for node in traced.graph.nodes]


def test_what_is_printed_for_reading():
    assert list(readable(torch)) == list(readable(rushlight))
