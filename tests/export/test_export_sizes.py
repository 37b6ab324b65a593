"""Which sizes vary: dimensions, what is found out about them, and the errors that say so."""

import pytest

import rushlight as torch
from rushlight.export import AdditionalInputs, Dim, ShapesCollection, dims, export
from rushlight.export.dynamic_shapes import refine_dynamic_shapes_from_suggested_fixes

UserError = torch._dynamo.exc.UserError


def program_of(function, *args, shapes=None, **options):
    class Net(torch.nn.Module):
        def forward(self, x, y=None):
            return function(x) if y is None else function(x, y)

    return export(Net(), args, dynamic_shapes=shapes, **options)


def shapes_of(program):
    return [
        str(list(n.meta["val"].shape))
        for n in program.graph.find_nodes(op="placeholder")
        if isinstance(n.meta["val"], torch.Tensor)
    ]


def refused(function, *args, shapes):
    with pytest.raises(UserError) as found:
        program_of(function, *args, shapes=shapes)
    return str(found.value)


def test_dimensions_print_themselves():
    a, b = dims("a", "b", max=7)
    assert repr(a) == "Dim('a', min=0, max=7)" and b.max == 7
    assert (2 * a + 1).__name__ == "2*a + 1" and (a - 1).__name__ == "a - 1"
    assert (2 * a + 1).max == 15
    assert repr(Dim.AUTO(min=3)) == "DimHint(AUTO, min=3)"
    with pytest.raises(NotImplementedError, match="negate"):
        1 - a
    with pytest.raises(NotImplementedError, match="positive integer"):
        a * -1
    with pytest.raises(AssertionError, match="inconsistent"):
        Dim("c", min=3, max=3)
    with pytest.raises(AssertionError, match="identifier"):
        Dim("1c")
    with pytest.raises(AssertionError, match="derived min value"):
        _ = (a - 1).min


def test_sizes_by_name_vary_within_their_limits():
    batch = Dim("batch", min=3, max=9)
    program = program_of(
        lambda x, y: x + y, torch.ones(4, 3), torch.ones(4, 1), shapes=({0: batch}, {0: batch})
    )
    ((symbol, limits),) = program.range_constraints.items()
    assert (limits.lower, limits.upper) == (3, 9)
    assert shapes_of(program) == [f"[{symbol}, 3]", f"[{symbol}, 1]"]
    module = program.module()
    assert module(torch.ones(9, 3), torch.ones(9, 1)).shape == (9, 3)
    for sizes, message in (
        ((2, 2), r"x.size\(\)\[0\] >= 3"), ((10, 10), r"x.size\(\)\[0\] <= 9"),
        ((5, 6), r"y.size\(\)\[0\] == x.size\(\)\[0\]"),
    ):  # fmt: skip
        with pytest.raises(AssertionError, match=f"Guard failed: {message}"):
            module(torch.ones(sizes[0], 3), torch.ones(sizes[1], 1))


def test_sizes_follow_from_others():
    n = Dim("n")
    program = program_of(
        lambda x, y: x + y[1:], torch.ones(4), torch.ones(5), shapes=({0: n}, {0: n + 1})
    )
    first, second = shapes_of(program)
    assert second == f"[{first[1:-1]} + 1]"
    module = program.module()
    assert module(torch.ones(8), torch.ones(9)).shape == (8,)
    with pytest.raises(AssertionError, match="Guard failed"):
        module(torch.ones(8), torch.ones(8))
    message = refused(lambda x: x, torch.ones(5), shapes=({0: 2 * n},))
    assert "of the form 2*n, where n is an integer" in message


def test_hints_let_the_trace_decide():
    program = program_of(
        lambda x, y: x + y, torch.ones(4), torch.ones(4), shapes=({0: Dim.AUTO}, {0: Dim.AUTO})
    )
    first, second = shapes_of(program)
    assert first == second
    program = program_of(
        lambda x, y: x + y, torch.ones(4), torch.ones(4), shapes=({0: Dim.AUTO}, {0: Dim.STATIC})
    )
    assert shapes_of(program) == ["[4]", "[4]"]
    message = refused(
        lambda x, y: x + y, torch.ones(4), torch.ones(4), shapes=((Dim.DYNAMIC,), None)
    )
    assert "You marked L['x'].size()[0] as dynamic but your code specialized it" in message


def test_guards_that_limits_cannot_say_are_checked_by_the_module():
    program = program_of(lambda x: x.view(2, -1), torch.ones(4), shapes=((Dim.AUTO,),))
    assert program.module()(torch.ones(10)).shape == (2, 5)
    with pytest.raises(AssertionError, match="% 2"):
        program.module()(torch.ones(9))


@pytest.mark.parametrize(
    ("function", "second", "message", "fix"),
    [
        (lambda x, y: x + y, 6, "n = L['x'].size()[0] must always be equal", "m = n"),
        (lambda x, y: x + y[1:], 7, "must always be related to the values of n", "m = n + 1"),
        (lambda x, y: x.sum() + y if y.shape[0] > 3 else y, 6, "satisfy the generated guard 4 <=",
         "m = Dim('m', min=4)"),
        (lambda x, y: x.sum() + (y if y.shape[0] == 6 else 2 * y), 6, "specialized it to be a constant (6)",
         "m = 6"),
        (lambda x, y: x.sum() + y.view(3, -1), 6, "% 3", "m = 3*_m"),
    ],
    ids=["equal", "related", "range", "constant", "multiple"],
)  # fmt: skip
def test_errors_suggest_what_would_be_right(function, second, message, fix):
    n, m = Dim("n"), Dim("m")
    given = torch.ones(6), torch.ones(second)
    shapes = {"x": {0: n}, "y": {0: m}}
    text = refused(function, *given, shapes=shapes)
    assert text.startswith("Constraints violated (m)!")
    assert message in text and f"  {fix}" in text
    refined = refine_dynamic_shapes_from_suggested_fixes(text, shapes)
    program = program_of(function, *given, shapes=refined)
    torch.testing.assert_close(program.module()(*given), function(*given))


def test_specifications_that_do_not_fit_are_refused():
    n, x = Dim("n"), torch.ones(4)
    for shapes, message in (
        ({"z": {0: n}, "y": None}, "top-level keys must be the arg names"),
        (({0: n},), "has 2 elements, but `dynamic_shapes` has 1 elements"),
        (((n, n), None), "same length as the actual tensor shape"),
        (((5,), None), "Static shape constraint of 5 does not match input size of 4"),
        ((("n",), None), "expected None, an int, a Dim"),
        (({0: n}, {0: Dim("n", max=3)}), "different definitions"),
        (([{0: n}], None), "Unexpected dimension"),
    ):
        assert message in refused(lambda x, y: x, x, x, shapes=shapes), message


def test_integers_are_constants_unless_they_are_said_to_vary():
    program = program_of(lambda x, y: x + y, torch.ones(4), 3)
    assert program.graph_signature.user_inputs == ("x", 3)
    with pytest.raises(AssertionError, match="y == 3"):
        program.module()(torch.ones(4), 4)
    program = program_of(lambda x, y: x + y, torch.ones(4), 3, shapes=(None, Dim.DYNAMIC))
    assert program.graph_signature.user_inputs == ("x", "y")
    assert program.module()(torch.ones(4), 5).tolist() == [6] * 4


def test_arguments_by_name_in_another_order():
    class Net(torch.nn.Module):
        def forward(self, *, a, b):
            return a.sum() + b

    n = Dim("n")
    program = export(
        Net(), (), {"b": torch.ones(3), "a": torch.ones(4)}, dynamic_shapes={"a": None, "b": {0: n}}
    )
    assert program.module()(a=torch.ones(4), b=torch.ones(7)).shape == (7,)


def test_specifications_by_tensor_and_by_example():
    class Net(torch.nn.Module):
        def forward(self, x, others):
            return x + others["a"]

    x, y = torch.ones(4), torch.ones(4)
    shapes = ShapesCollection()
    n = Dim("n")
    shapes[x], shapes[y] = {0: n}, (n,)
    assert shapes.dynamic_shapes(Net(), (x, {"a": y})) == {"x": {0: n}, "others": {"a": (n,)}}
    assert export(Net(), (x, {"a": y}), dynamic_shapes=shapes).module()(
        torch.ones(6), {"a": torch.ones(6)}
    ).shape == (6,)
    examples = AdditionalInputs()
    examples.add((torch.ones(7), {"a": torch.ones(7)}))
    program = export(Net(), (x, {"a": y}), dynamic_shapes=examples)
    assert program.module()(torch.ones(5), {"a": torch.ones(5)}).shape == (5,)
    examples.add((torch.ones(5), {"a": torch.ones(6)}))
    with pytest.raises(RuntimeError, match="to be equal to 5, but got 6"):
        export(Net(), (x, {"a": y}), dynamic_shapes=examples)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.einsum("bchw,bcwk->bhk", x, x.mT),
        lambda x: torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda x: torch.nn.functional.interpolate(x, size=(3, 5)),
    ],
    ids=["einsum", "scaled", "sized"],
)
def test_operators_leave_sizes_open(function):
    shapes = {k: Dim(f"n{k}") for k in range(4)}
    program = program_of(function, torch.randn(2, 3, 4, 5), shapes={"x": shapes})
    for module in (program.module(), program.run_decompositions({}).module()):
        x = torch.randn(3, 2, 7, 6)
        torch.testing.assert_close(module(x), function(x))


@pytest.mark.parametrize(("stop", "limits"), [(3, (3, None)), (5, (2, 4))])
def test_a_slice_leaves_the_sizes_at_which_it_does_the_same(stop, limits):
    class Sliced(torch.nn.Module):
        def forward(self, x):
            return x[:stop]

    program = export(Sliced(), (torch.ones(4),), dynamic_shapes=({0: Dim.AUTO},))
    (found,) = program.range_constraints.values()
    assert found.lower == limits[0] and limits[1] in (None, found.upper)


def test_sizes_that_vary_are_written_down_and_read():
    from rushlight._export.serde.dynamic_shapes import _dump_dynamic_shapes, _load_dynamic_shapes

    x = Dim("x", min=4, max=16)
    shapes = {"a": [(x, 4), (2 * x + 1, None)], "b": {0: Dim.AUTO}, "c": None, "d": None}
    args = ([torch.ones(4, 4), torch.ones(9, 4)], torch.ones(3, 2), torch.ones(2), "text")
    told = _dump_dynamic_shapes(shapes, args, to_dict=True)
    assert told == {
        "dynamic_shapes": (
            [["x", 4], ["2*x + 1", 4]], ["_DimHint.AUTO", 2], ["_DimHint.STATIC"], None,
        ),
        "dims": {"x": {"min": 4, "max": 16, "derived": ["2*x + 1"]}},
    }  # fmt: skip
    (first, second), third, fourth, last = _load_dynamic_shapes(told, from_dict=True)
    assert repr(first[0]) == repr(x) and second[0].root is first[0] and second[0].max == 33
    assert third == [Dim.AUTO, 2] and fourth == [Dim.STATIC] and last is None
    told["dims"]["x"]["derived"] = ["x**2"]
    with pytest.raises(torch._dynamo.exc.UserError, match="linear"):
        _load_dynamic_shapes(told, from_dict=True)


def test_a_size_that_is_one_in_the_example_varies_if_that_is_wanted():
    class Repeated(torch.nn.Module):
        def forward(self, x, count):
            return (
                torch.repeat_interleave(torch.arange(x.shape[0]), count) if x.shape[0] != 1 else x
            )

    args, n = (torch.ones(1, 3), torch.tensor([2])), Dim("n")
    with pytest.raises(torch._dynamo.exc.UserError, match="specialized it to be a constant"):
        export(Repeated(), args, dynamic_shapes=({0: n}, {0: n}))
    with torch.fx.experimental._config.patch(backed_size_oblivious=True):
        program = export(Repeated(), args, dynamic_shapes=({0: n}, {0: n}))
    found = program.module()(torch.ones(3, 3), torch.tensor([1, 0, 2]))
    assert found.tolist() == [0, 2, 2]


def test_a_name_that_only_others_follow_from_is_not_to_be_mended():
    class Sum(torch.nn.Module):
        def forward(self, x, z):
            return x + z[2:]

    root, other = Dim("root", min=6, max=8), Dim("other", min=6, max=8)
    with pytest.raises(torch._dynamo.exc.UserError) as found:
        export(Sum(), (torch.ones(5), torch.ones(7)), dynamic_shapes=({0: root - 2}, {0: other}))
    told = str(found.value)
    assert told.startswith("Constraints violated (other)!")
    assert "always be related to the values of root - 2 = L['x'].size()[0] by other = root." in told
    assert told.strip().endswith("Suggested fixes:\n  other = root")
