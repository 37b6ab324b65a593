"""The back end's settings, modes and functions, as programs use them."""

import os

import pytest

import rushlight as torch
from rushlight import _inductor
from rushlight._inductor import config, utils
from rushlight._inductor.compile_fx import compile_fx, compile_fx_inner


def program(x):
    return x.sin() * 2 + 1


def test_modes_are_settings():
    assert _inductor.list_mode_options("max-autotune-no-cudagraphs") == {
        "max_autotune": True, "coordinate_descent_tuning": True,
    }  # fmt: skip
    assert set(_inductor.list_mode_options()) >= {"default", "reduce-overhead", "max-autotune"}
    for mode in _inductor.list_mode_options():
        assert torch.compile(program, mode=mode)(torch.zeros(3)).tolist() == [1, 1, 1]
    with pytest.raises(
        RuntimeError, match="Unrecognized mode=fast, should be one of: default, lite"
    ):
        torch.compile(program, mode="fast")


def test_options_are_checked():
    assert {"epilogue_fusion", "triton.cudagraphs", "max_autotune"} <= set(_inductor.list_options())
    made = torch.compile(program, options={"epilogue-fusion": True, "triton.cudagraphs": False})
    assert made(torch.zeros(2)).tolist() == [1, 1]
    with pytest.raises(
        RuntimeError, match="Unexpected optimization option nothing, known options are"
    ):
        torch.compile(program, options={"nothing": 1})
    with pytest.raises(
        RuntimeError, match="Unexpected type of attr max_autotune, got str should be bool"
    ):
        torch.compile(program, options={"max_autotune": "yes"})
    with pytest.raises(RuntimeError, match="Either mode or options"):
        torch.compile(program, mode="default", options={})


def test_settings_may_be_others_for_a_while():
    before = config.get_config_copy()
    with config.patch({"triton.cudagraphs": True, "max_autotune": True}):
        assert config.triton.cudagraphs and config.max_autotune
        with config.patch(max_autotune=False):
            assert not config.max_autotune
    assert config.get_config_copy() == before
    assert config.get_type("max_autotune") is bool


def test_passes_of_programs_see_the_graph():
    seen = []
    compiled = torch.compile(program, options={"post_grad_custom_post_pass": seen.append})
    x = torch.zeros(3, requires_grad=True)
    compiled(x).sum().backward()
    assert len(seen) == 2 and config.post_grad_custom_post_pass is None
    assert x.grad.tolist() == [2, 2, 2]


def test_graphs_are_compiled_by_hand():
    graph = torch.fx.symbolic_trace(program)
    x = torch.arange(3.0)
    for made in (
        _inductor.compile(graph, [x]), _inductor.standalone_compile(graph, [x]), compile_fx(graph, [x]),
    ):  # fmt: skip
        found = made(x)
        found = found[0] if isinstance(found, (tuple, list)) else found
        assert torch.equal(found, program(x))
    operators = torch.fx.experimental.proxy_tensor.make_fx(program)(x)
    assert torch.equal(compile_fx_inner(operators, [x])([x]), program(x))
    with pytest.raises(NotImplementedError, match="ahead of time"):
        _inductor.aot_compile(graph, [x])


def test_code_and_caches():
    found, codes = utils.run_and_get_code(torch.compile(program), torch.zeros(2))
    assert found.tolist() == [1, 1] and len(codes) == 1 and "fused_sin_mul_add" in codes[0]
    before = os.environ.get("RUSHLIGHT_CACHE_DIR")
    entries = {}
    with utils.fresh_cache(entries):
        assert os.listdir(os.environ["RUSHLIGHT_CACHE_DIR"]) == []
        torch.compile(lambda x: x.cos() * 3.25 - x.exp())(torch.ones(3, dtype=torch.float64))
    assert entries and os.environ.get("RUSHLIGHT_CACHE_DIR") == before
