import pytest

from rushlight.engine.dispatch.compatibility import breaks, compare
from rushlight.engine.dispatch.schema import Constant, SchemaError, parse, parse_type

SCHEMAS = """
add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]
max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor
clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)
_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor
linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False) -> Tensor
index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
qr(Tensor a, str mode='reduced', str b="\\"'\\\\") -> (Tensor Q, Tensor R)
aten::items.str(Dict(str, t) self) -> ((str, t)[])
prim::rpc_async(...) -> ...
aten::scale(Tensor x, float eps=1.0000000000000001e-05, float top=-inf) -> Tensor
f(Tensor(a|b!) x, Tensor(a -> b|c)[] y, (int, Tensor)? z) -> Tensor(a! -> a|b)
""".strip().splitlines()


@pytest.mark.parametrize("text", SCHEMAS)
def test_a_schema_prints_back(text):
    assert str(parse(text)) == text


def test_facts_of_a_schema():
    schema = parse(SCHEMAS[2])
    assert (schema.name, schema.overload, schema.base_name) == ("add", "out", "add.out")
    assert [a.name for a in schema.positional] == ["self", "other"]
    assert [a.name for a in schema.out_arguments] == ["out"]
    assert schema.kind == "out"
    assert parse(SCHEMAS[1]).is_inplace
    assert parse(SCHEMAS[3]).is_view and not parse(SCHEMAS[1]).is_view
    assert parse("__iand__(Tensor(a!) self, Scalar x) -> Tensor(a!)").kind == "inplace"


def test_defaults_have_python_values():
    assert parse("f(int[2] x=[0,1]) -> ()").arguments[0].default == (0, 1)
    default = parse("f(float x=1) -> ()").arguments[0].default
    assert default == 1.0 and isinstance(default, float)
    assert isinstance(parse("f(int x=Mean) -> ()").arguments[0].default, Constant)


def test_types():
    of_type = parse_type("Tensor(a!)[]?")
    assert of_type.is_optional and of_type.leaf == "Tensor" and of_type.plain == "Tensor[]?"
    assert parse_type("int[2]").size == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(Tensor x", r"expected ',', found 'the end'"),
        ("f(Tensor x) Tensor", r"expected '->'"),
        ("f(int x, int x) -> ()", r"'x' is used twice"),
        ("f(*, int x, *, int y) -> ()", r"written once"),
        ("f(int x=1.5) -> ()", r"not an integer"),
        ("f(int $) -> ()", r"unexpected character"),
    ],
)
def test_errors_show_the_place(text, message):
    with pytest.raises(SchemaError, match=message) as caught:
        parse(text)
    assert "<--- HERE" in str(caught.value)


def test_compatibility_names_what_breaks():
    old = parse("f(Tensor self, int dim=0, *, float eps=1.0) -> Tensor")
    assert (
        breaks(old, parse("f(Tensor self, int? dim=0, int k=1, *, float eps=1.0) -> Tensor")) == []
    )
    assert "is gone" in breaks(old, parse("f(Tensor self, int dim=0) -> Tensor"))[0]
    assert (
        "default" in breaks(old, parse("f(Tensor self, int dim=1, *, float eps=1.0) -> Tensor"))[0]
    )
    assert "returns" in breaks(old, parse("f(Tensor self, int dim=0, *, float eps=1.0) -> ()"))[0]
    assert compare({"f": str(old)}, {}) == ["f: the operator is gone"]
