"""Configurations: which observer a module's results get, and which its weight."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import rushlight
from rushlight.ao.quantization import fake_quantize as fake
from rushlight.ao.quantization import observer as observers
from rushlight.nn import Identity

__all__ = [
    "QConfig", "QConfigAny", "QConfigDynamic", "activation_is_memoryless",
    "add_module_to_qconfig_obs_ctr", "default_activation_only_qconfig", "default_debug_qconfig",
    "default_dynamic_qat_qconfig", "default_dynamic_qconfig", "default_embedding_qat_qconfig",
    "default_embedding_qat_qconfig_4bit", "default_per_channel_qconfig",
    "default_per_channel_symmetric_qnnpack_qat_qconfig",
    "default_per_channel_symmetric_qnnpack_qconfig", "default_qat_qconfig", "default_qat_qconfig_v2",
    "default_qconfig", "default_quint8_weight_qconfig", "default_reuse_input_qconfig",
    "default_symmetric_qnnpack_qat_qconfig", "default_symmetric_qnnpack_qconfig",
    "default_weight_only_qconfig", "float16_dynamic_qconfig", "float16_static_qconfig",
    "float_qparams_weight_only_qconfig", "float_qparams_weight_only_qconfig_4bit",
    "get_default_qat_qconfig", "get_default_qat_qconfig_dict", "get_default_qconfig",
    "get_default_qconfig_dict", "per_channel_dynamic_qconfig", "qconfig_equals",
]  # fmt: skip


def _is_made(**parts: Any) -> bool:
    return any(isinstance(part, rushlight.nn.Module) for part in parts.values())


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """What observes a module's results and its weight.

    Args:
        activation: makes an observer for results, when it is called
        weight: makes one for the weight
    """

    __slots__ = ()

    def __new__(cls, activation: Any, weight: Any) -> QConfig:
        if _is_made(activation=activation, weight=weight):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. Use "
                "MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


class QConfigDynamic(namedtuple("QConfigDynamic", ["activation", "weight"])):
    """The older configuration of layers whose inputs get a scale of their own each time.

    Args:
        activation: makes an observer for inputs
        weight: makes one for the weight
    """

    __slots__ = ()

    def __new__(cls, activation: Any = Identity, weight: Any = Identity) -> QConfigDynamic:
        import warnings

        warnings.warn(
            "QConfigDynamic is going to be deprecated in PyTorch 1.12, please use QConfig instead",
            stacklevel=2,
        )
        if isinstance(weight, rushlight.nn.Module):
            raise ValueError(
                "QConfigDynamic received observer instance, please pass observer class instead. Use "
                "MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


QConfigAny = QConfig | None

_half = observers.PlaceholderObserver.with_args(dtype=rushlight.float16)
_narrow: dict[str, Any] = {"dtype": rushlight.qint8, "reduce_range": False, "eps": 2**-12}
_narrow_fake = fake.FusedMovingAvgObsFakeQuantize.with_args(
    observer=observers.MovingAverageMinMaxObserver, quant_min=-128, quant_max=127,
    dtype=rushlight.qint8, reduce_range=False, eps=2**-12,
)  # fmt: skip

default_qconfig = QConfig(observers.default_observer, observers.default_weight_observer)
default_debug_qconfig = QConfig(
    weight=observers.default_weight_observer, activation=observers.default_debug_observer
)
default_per_channel_qconfig = QConfig(
    observers.default_observer, observers.default_per_channel_weight_observer
)
default_dynamic_qconfig = QConfig(
    observers.default_dynamic_quant_observer, observers.default_weight_observer
)
float16_dynamic_qconfig = QConfig(
    observers.PlaceholderObserver.with_args(dtype=rushlight.float16, is_dynamic=True), _half
)
float16_static_qconfig = QConfig(_half, _half)
per_channel_dynamic_qconfig = QConfig(
    observers.default_dynamic_quant_observer, observers.default_per_channel_weight_observer
)
float_qparams_weight_only_qconfig = QConfig(
    observers.default_placeholder_observer, observers.default_float_qparams_observer
)
float_qparams_weight_only_qconfig_4bit = QConfig(
    observers.default_placeholder_observer, observers.default_float_qparams_observer_4bit
)
default_qat_qconfig = QConfig(fake.default_fake_quant, fake.default_weight_fake_quant)
default_dynamic_qat_qconfig = QConfig(
    fake.default_dynamic_fake_quant, fake.default_weight_fake_quant
)
default_weight_only_qconfig = QConfig(Identity, fake.default_weight_fake_quant)
default_activation_only_qconfig = QConfig(fake.default_fake_quant, Identity)
default_qat_qconfig_v2 = QConfig(
    fake.default_fused_act_fake_quant, fake.default_fused_wt_fake_quant
)
default_reuse_input_qconfig = QConfig(
    observers.default_reuse_input_observer, observers.NoopObserver
)
default_symmetric_qnnpack_qconfig = QConfig(
    observers.HistogramObserver.with_args(**_narrow),
    observers.weight_observer_range_neg_127_to_127,
)
default_per_channel_symmetric_qnnpack_qconfig = QConfig(
    observers.HistogramObserver.with_args(**_narrow),
    observers.per_channel_weight_observer_range_neg_127_to_127,
)
default_symmetric_qnnpack_qat_qconfig = QConfig(
    _narrow_fake, fake.fused_wt_fake_quant_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qat_qconfig = QConfig(
    _narrow_fake, fake.fused_per_channel_wt_fake_quant_range_neg_127_to_127
)
default_embedding_qat_qconfig = QConfig(
    observers.NoopObserver.with_args(dtype=rushlight.float32), fake.default_embedding_fake_quant
)
default_embedding_qat_qconfig_4bit = QConfig(
    observers.NoopObserver.with_args(dtype=rushlight.float32),
    fake.default_embedding_fake_quant_4bit,
)
default_quint8_weight_qconfig = QConfig(observers.HistogramObserver, observers.MinMaxObserver)

_BACKENDS = ("fbgemm", "x86", "qnnpack", "onednn")


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """The configuration that suits a library.

    Args:
        backend: ``"x86"``, ``"fbgemm"``, ``"qnnpack"`` or ``"onednn"``
        version: 0
    """
    _check(backend, version, (0,))
    histogram, channels = observers.HistogramObserver, observers.default_per_channel_weight_observer
    if backend in ("fbgemm", "x86"):
        return QConfig(histogram.with_args(reduce_range=True), channels)
    if backend == "qnnpack":
        return QConfig(histogram.with_args(reduce_range=False), observers.default_weight_observer)
    return QConfig(histogram.with_args(reduce_range=False), channels)


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """The configuration for training that suits a library.

    Args:
        backend: ``"x86"``, ``"fbgemm"``, ``"qnnpack"`` or ``"onednn"``
        version: 0 for separate observers, 1 for fused ones
    """
    _check(backend, version, (0, 1))
    kind: Any = fake.FakeQuantize if version == 0 else fake.FusedMovingAvgObsFakeQuantize
    activation = kind.with_args(
        observer=observers.MovingAverageMinMaxObserver, quant_min=0, quant_max=255,
        reduce_range=backend in ("fbgemm", "x86"),
    )  # fmt: skip
    if version == 0:
        channels, one = fake.default_per_channel_weight_fake_quant, fake.default_weight_fake_quant
    else:
        channels = fake.default_fused_per_channel_wt_fake_quant
        one = fake.default_fused_wt_fake_quant
    return QConfig(activation, one if backend == "qnnpack" else channels)


def _check(backend: str, version: int, versions: tuple[int, ...]) -> None:
    if backend not in _BACKENDS:
        raise AssertionError(
            f"backend: {backend} not supported. backend must be one of {list(_BACKENDS)}"
        )
    if version not in versions:
        raise AssertionError(
            f"Version number: {version} in get_default_qconfig is not supported. Version number must "
            f"be {versions[-1]}"
        )


def get_default_qconfig_dict(backend: str = "x86", version: int = 0) -> dict[str, Any]:
    """`get_default_qconfig_mapping` as a dictionary."""
    return rushlight.ao.quantization.get_default_qconfig_mapping(backend, version).to_dict()  # type: ignore[no-any-return]


def get_default_qat_qconfig_dict(backend: str = "x86", version: int = 1) -> dict[str, Any]:
    """`get_default_qat_qconfig_mapping` as a dictionary."""
    return rushlight.ao.quantization.get_default_qat_qconfig_mapping(backend, version).to_dict()  # type: ignore[no-any-return]


def activation_is_memoryless(qconfig: QConfig) -> bool:
    """Whether the observer of results keeps nothing from one tensor to the next."""

    def is_memoryless(observer: Any) -> bool:
        return getattr(observer, "averaging_constant", None) == 1

    made = qconfig.activation()
    if isinstance(made, fake.FakeQuantizeBase) and hasattr(made, "activation_post_process"):
        return is_memoryless(made.activation_post_process)
    return is_memoryless(made)


def add_module_to_qconfig_obs_ctr(qconfig: QConfigAny, module: Any) -> Any:
    """A configuration whose observers are made on a module's device."""
    if module is None or qconfig is None or not isinstance(qconfig, QConfig):
        return qconfig

    def on_device(part: Any) -> Any:
        if not hasattr(part, "with_callable_args"):
            return part
        found = next((p.device for p in (*module.parameters(), *module.buffers())), None)
        if found is None or found.type == "cpu":
            return part
        return part.with_callable_args(factory_kwargs=lambda: {"device": found})

    return QConfig(on_device(qconfig.activation), on_device(qconfig.weight))


def qconfig_equals(q1: QConfigAny, q2: QConfigAny) -> bool:
    """Whether two configurations say the same."""
    if q1 is None or q2 is None:
        return q1 is q2
    return bool(q1.activation == q2.activation and q1.weight == q2.weight)


def _assert_valid_qconfig(qconfig: QConfigAny, mod: Any) -> None:
    """Raise for scales by channel for weights whose channels are not dimension 0."""
    if qconfig is None or not isinstance(
        mod,
        (rushlight.nn.ConvTranspose1d, rushlight.nn.ConvTranspose2d, rushlight.nn.ConvTranspose3d),
    ):
        return
    if qconfig.weight is None:
        return
    made = qconfig.weight()
    if isinstance(
        made, (observers.PerChannelMinMaxObserver, observers.MovingAveragePerChannelMinMaxObserver)
    ):
        raise AssertionError(
            "Per channel weight observer is not supported yet for ConvTranspose{n}d."
        )
