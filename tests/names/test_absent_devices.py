"""Devices and libraries that are not there say the truth, and raise what PyTorch raises."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("name", ["cuda", "mps", "xpu", "mtia"])
def test_none_is_available(name):
    module = getattr(torch, name)
    assert module.is_available() is False and module.device_count() == 0


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda: torch.ones(1).cuda(), AssertionError, "Torch not compiled with CUDA enabled"),
        (lambda: torch.ones(1, device="cuda"), AssertionError, "CUDA enabled"),
        (lambda: torch.ones(1).to("xpu"), AssertionError, "XPU enabled"),
        (lambda: torch.ones(1).to("mps"), RuntimeError, "not linked with support for mps"),
        (lambda: torch.cuda.current_device(), AssertionError, "CUDA enabled"),
        (lambda: torch.cuda.synchronize(), AssertionError, "CUDA enabled"),
        (lambda: torch.cuda.Stream(), RuntimeError, "requires CUDA support"),
        (lambda: torch.cuda.device(0).__enter__(), RuntimeError, "without CUDA support"),
        (lambda: torch.mps.synchronize(), RuntimeError, "without MPS backend"),
        (lambda: torch.xpu.current_device(), AssertionError, "XPU enabled"),
        (lambda: torch.accelerator.synchronize(), RuntimeError, "when none is available"),
    ],
)
def test_using_one_raises(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_what_is_put_off_is_allowed():
    torch.cuda.manual_seed_all(0)
    torch.cuda.empty_cache()
    assert torch.cuda.memory_allocated() == 0 and torch.cuda.get_rng_state_all() == []
    assert torch.accelerator.current_accelerator() is None
    assert torch._C._get_accelerator() == torch.device("cpu")
    assert not torch.distributed.is_nccl_available() and not torch.distributed.is_initialized()
    with pytest.raises(AttributeError, match=r"has no attribute .no_such_name"):
        torch.distributed.no_such_name  # noqa: B018


def test_backends_can_be_asked_and_switched():
    backends = torch.backends
    assert not backends.cudnn.is_available() and backends.cudnn.version() is None
    with backends.cudnn.flags(enabled=False, benchmark=True):
        assert backends.cudnn.benchmark and not backends.cudnn.enabled
    assert backends.cudnn.enabled and not backends.cudnn.benchmark
    backends.cuda.matmul.allow_tf32 = True
    assert backends.cuda.matmul.allow_tf32
    backends.cuda.matmul.allow_tf32 = False
    assert not backends.mps.is_built() and not backends.mkldnn.is_available()
    assert backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "SVE256", "DEFAULT")
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        assert not backends.cuda.flash_sdp_enabled()
    assert backends.cuda.flash_sdp_enabled()


def test_versions():
    from rushlight.torch_version import __version__ as version

    assert version == "2.13.0+rushlight" and version == torch.version.__version__
    assert version >= "2.0" and version > (1, 13) and version < "3"
    assert not version < "2.13.0" and isinstance(version, str)
    assert torch.version.cuda is None


def test_a_program_is_compiled():
    double = torch.compile(lambda x: x * 2, mode="max-autotune")
    assert double(torch.ones(1)).item() == 2

    @torch.compile(fullgraph=True)
    def triple(x):
        return x * 3

    assert triple(torch.ones(1)).item() == 3
    with pytest.raises(RuntimeError, match="Either mode or options"):
        torch.compile(triple, mode="default", options={})
    assert not torch.compiler.is_compiling()


def test_scripts_stay_python():
    from rushlight import compiler

    compiler._said.clear()
    with pytest.warns(UserWarning, match=r"torch.jit.script"):
        layer = torch.jit.script(torch.nn.Linear(2, 3))
    assert type(layer) is torch.nn.Linear
    with pytest.warns(UserWarning, match=r"torch.jit.trace"):
        traced = torch.jit.trace(layer, torch.ones(1, 2))
    assert traced is layer and not torch.jit.is_scripting()

    @torch.jit.ignore
    def left(x):
        return x

    assert left(3) == 3 and torch.jit.annotate(list[int], [1]) == [1]
    with pytest.raises(NotImplementedError, match=r"torch.jit.save"):
        torch.jit.save(layer, "nowhere")
    with pytest.raises(NotImplementedError, match="ONNX"):
        torch.onnx.export(layer)


def test_models_of_a_folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(
        "dependencies = ['numpy']\n"
        "def small(width=2):\n    'A small model.'\n    import rushlight\n"
        "    return rushlight.nn.Linear(width, 1)\n"
    )
    folder = str(tmp_path)
    assert torch.hub.list(folder, source="local") == ["small"]
    assert torch.hub.help(folder, "small", source="local") == "A small model."
    assert torch.hub.load(folder, "small", source="local", width=5).in_features == 5
    with pytest.raises(RuntimeError, match="Cannot find callable large"):
        torch.hub.load(folder, "large", source="local")
    with pytest.raises(NotImplementedError, match="clone the repository"):
        torch.hub.load("someone/something", "model")


def test_conditions():
    torch._check(True)
    with pytest.raises(RuntimeError, match="as it says"):
        torch._check(False, lambda: "as it says")
    with pytest.raises(ValueError):
        torch._check_value(False)


def test_devices_by_name():
    assert torch.get_device_module("cpu") is torch.cpu
    assert torch.get_device_module(torch.device("cuda")) is torch.cuda
    assert torch.get_device_module() is torch.cpu
    with pytest.raises(RuntimeError, match="does not have a corresponding module"):
        torch.get_device_module("hpu")
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    with pytest.raises(TypeError, match=r"torch\.cuda\.LongTensor not available"):
        torch.cuda.LongTensor([1])


@pytest.mark.filterwarnings("ignore")
def test_examples_for_tracing_may_be_lists():
    seen = []
    torch.jit.trace(lambda *given: seen.append(len(given)), [torch.ones(1), torch.ones(2)])
    layer = torch.nn.Linear(2, 3)
    assert torch.jit.trace_module(layer, {"forward": [torch.ones(1, 2)]}) is layer
    assert seen == [2]
