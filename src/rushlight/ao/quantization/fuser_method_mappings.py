"""What sequences of layers become when they are fused."""

from __future__ import annotations

from typing import Any

from rushlight import nn
from rushlight.ao.nn import intrinsic as nni
from rushlight.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

__all__ = [
    "fuse_conv_bn", "fuse_conv_bn_relu", "fuse_convtranspose_bn", "fuse_linear_bn",
    "get_fuser_method",
]  # fmt: skip

_DIMS = {nn.Conv1d: 1, nn.Conv2d: 2, nn.Conv3d: 3}
_NORMS = {1: nn.BatchNorm1d, 2: nn.BatchNorm2d, 3: nn.BatchNorm3d}


def _check(is_qat: bool, conv: Any, bn: Any, what: str) -> None:
    if conv.training != bn.training:
        raise AssertionError(f"{what} and BN both must be in the same mode (train or eval).")
    if not is_qat:
        return
    wanted = _NORMS.get(_DIMS.get(type(conv), 1))
    channels = getattr(conv, "out_channels", None)
    if channels is not None and bn.num_features != channels:
        raise AssertionError("Output channel of Conv2d must match num_features of BatchNorm2d")
    if wanted is not None and type(bn) is not wanted:
        raise AssertionError(f"expected {wanted.__name__} after {what}, got {type(bn).__name__}")
    if not bn.affine:
        raise AssertionError("Only support fusing BatchNorm2d with affine set to True")
    if not bn.track_running_stats:
        raise AssertionError(
            "Only support fusing BatchNorm2d with tracking_running_stats set to True"
        )


def fuse_conv_bn(is_qat: bool, conv: Any, bn: Any) -> Any:
    """A convolution and the normalisation after it: for training one layer, else the folded one."""
    _check(is_qat, conv, bn, "Conv")
    if not is_qat:
        return fuse_conv_bn_eval(conv, bn)
    return getattr(nni, f"ConvBn{_DIMS[type(conv)]}d")(conv, bn)


def fuse_conv_bn_relu(is_qat: bool, conv: Any, bn: Any, relu: Any) -> Any:
    """The same with a ReLU after it."""
    _check(is_qat, conv, bn, "Conv")
    dims = _DIMS.get(type(conv))
    if dims is None:
        raise NotImplementedError(
            f"Cannot fuse {'train' if is_qat else 'eval'} modules: {(conv, bn, relu)}"
        )
    if is_qat:
        return getattr(nni, f"ConvBnReLU{dims}d")(conv, bn, relu)
    return getattr(nni, f"ConvReLU{dims}d")(fuse_conv_bn_eval(conv, bn), relu)


def fuse_linear_bn(is_qat: bool, linear: Any, bn: Any) -> Any:
    """A linear layer and the normalisation after it."""
    _check(is_qat, linear, bn, "Linear")
    fused: Any = nni.LinearBn1d
    return fused(linear, bn) if is_qat else fuse_linear_bn_eval(linear, bn)


def fuse_convtranspose_bn(is_qat: bool, convt: Any, bn: Any) -> Any:
    """A transposed convolution and the normalisation after it."""
    _check(False, convt, bn, "ConvTranspose")
    if is_qat:
        raise Exception("Fusing ConvTranspose+BatchNorm not yet supported in QAT.")
    return fuse_conv_bn_eval(convt, bn, transpose=True)


def _sequence(kind: Any) -> Any:
    return lambda is_qat, *modules: kind(*modules)


_METHODS: dict[Any, Any] = {
    (nn.Linear, nn.ReLU): _sequence(nni.LinearReLU),
    (nn.Linear, nn.LeakyReLU): _sequence(nni.LinearLeakyReLU),
    (nn.Linear, nn.Tanh): _sequence(nni.LinearTanh),
    (nn.Linear, nn.BatchNorm1d): fuse_linear_bn,
    (nn.BatchNorm2d, nn.ReLU): _sequence(nni.BNReLU2d),
    (nn.BatchNorm3d, nn.ReLU): _sequence(nni.BNReLU3d),
    (nn.ConvTranspose1d, nn.BatchNorm1d): fuse_convtranspose_bn,
    (nn.ConvTranspose2d, nn.BatchNorm2d): fuse_convtranspose_bn,
    (nn.ConvTranspose3d, nn.BatchNorm3d): fuse_convtranspose_bn,
}
for _conv, _dims in _DIMS.items():
    _METHODS[_conv, nn.ReLU] = _sequence(getattr(nni, f"ConvReLU{_dims}d"))
    _METHODS[_conv, _NORMS[_dims]] = fuse_conv_bn
    _METHODS[_conv, _NORMS[_dims], nn.ReLU] = fuse_conv_bn_relu


def get_fuser_method(op_list: Any, additional_fuser_method_mapping: Any = None) -> Any:
    """The function that fuses layers of these types."""
    known = {**_METHODS, **(additional_fuser_method_mapping or {})}
    found = known.get(tuple(op_list))
    if found is None:
        raise AssertionError(f"did not find fuser method for: {tuple(op_list)} ")
    return found
