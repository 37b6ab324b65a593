"""Switches of NVIDIA's libraries under all their names."""

from __future__ import annotations

import pytest

import rushlight as torch


@pytest.fixture(autouse=True)
def as_before():
    yield
    backends = torch.backends
    backends.cuda.matmul.fp32_precision = backends.fp32_precision = "none"
    backends.cudnn.allow_tf32 = True
    backends.cudnn.conv.fp32_precision = "tf32"
    backends.cuda.preferred_linalg_library("default")
    backends.cuda.preferred_blas_library("cublaslt")


def test_precisions_by_name():
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    assert (matmul.fp32_precision, matmul.allow_tf32) == ("none", False)
    matmul.fp32_precision = "tf32"
    assert matmul.allow_tf32
    matmul.allow_tf32 = False
    matmul.fp32_precision = "ieee"
    assert (matmul.fp32_precision, matmul.allow_tf32) == ("ieee", False)
    assert (cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision, cudnn.fp32_precision) == (
        "tf32",
        "tf32",
        "none",
    )
    cudnn.conv.fp32_precision = "ieee"
    assert not cudnn.allow_tf32
    torch.backends.fp32_precision = "tf32"
    assert matmul.allow_tf32 and cudnn.allow_tf32 and torch.backends.fp32_precision == "tf32"
    for target in (matmul, cudnn.conv, torch.backends):
        with pytest.raises(RuntimeError, match="Unknown precision: half"):
            target.fp32_precision = "half"
    with pytest.raises(RuntimeError, match="backend 'cuda' does not support precision 'bf16'"):
        matmul.fp32_precision = "bf16"


def test_preferred_libraries():
    cuda = torch.backends.cuda
    assert cuda.preferred_linalg_library("cusolver") is cuda.preferred_linalg_library()
    assert cuda.preferred_blas_library("cublas").name == "Cublas"
    assert cuda.preferred_blas_library(cuda._BlasBackend.Ck).name == "Ck"
    with pytest.raises(RuntimeError, match="Choose from: default, cusolver, magma"):
        cuda.preferred_linalg_library("lapack")
    with pytest.raises(RuntimeError, match="Unknown input value type"):
        cuda.preferred_blas_library(3)
    cuda.allow_fp16_bf16_reduction_math_sdp(True)
    assert cuda.fp16_bf16_reduction_math_sdp_allowed()
    cuda.allow_fp16_bf16_reduction_math_sdp(False)


def test_memory_that_products_may_work_in(with_stand_in, monkeypatch):
    from stand_in_cublaslt import Products

    from rushlight.engine.cuda import cublaslt, libraries

    made = Products(with_stand_in(), work=512)
    libraries.use("cublasLt", made)
    monkeypatch.setattr(cublaslt, "allowed_work", None)
    usual = torch.backends.cuda.cublaslt_workspace_size()
    assert usual == torch.backends.cuda.blas_workspace_size(backend="cublas") > 1 << 20
    assert torch.backends.cuda.cublas_workspace_size(4096) == 4096
    a = torch.ones(4, 4, device="cuda")
    assert (a @ a).tolist() == [[4.0] * 4] * 4
    assert cublaslt.most_work(0) == 4096
