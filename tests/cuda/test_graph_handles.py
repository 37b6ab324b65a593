"""What a CUDA graph shows of itself, and what it gives back to the driver."""

from __future__ import annotations

import gc

import pytest

import rushlight as torch


def recorded(graph, **options):
    x = torch.zeros(3, device="cuda")
    with torch.cuda.graph(graph, **options):
        x.add_(1)
    return x


def test_handles(cuda):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    x = recorded(graph)
    assert graph.raw_cuda_graph() in cuda.graphs
    with pytest.raises(RuntimeError, match="until instantiate"):
        graph.raw_cuda_graph_exec()
    graph.replay()
    first = graph.raw_cuda_graph_exec()
    graph.instantiate()
    assert first not in cuda.graphs and graph.raw_cuda_graph_exec() in cuda.graphs
    graph.replay()
    assert x.tolist() == [2.0] * 3
    plain = torch.cuda.CUDAGraph()
    recorded(plain)
    assert plain.raw_cuda_graph_exec() in cuda.graphs
    with pytest.raises(RuntimeError, match="keep_graph=true"):
        plain.raw_cuda_graph()


@pytest.mark.parametrize("keeps", [False, True])
def test_everything_goes_back(cuda, keeps):
    graph = torch.cuda.CUDAGraph(keep_graph=keeps)
    recorded(graph)
    assert len(cuda.graphs) == (1 if keeps else 2)
    del graph
    gc.collect()
    assert cuda.graphs == {}


def test_graphs_are_written_to_files(cuda, tmp_path):
    graph = torch.cuda.CUDAGraph()
    with pytest.warns(UserWarning, match="debug not enabled"):
        graph.debug_dump(tmp_path / "none")
    graph.enable_debug_mode()
    with pytest.raises(RuntimeError, match="debug_dump was called without"):
        graph.debug_dump(tmp_path / "none")
    recorded(graph)
    graph.debug_dump(tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text() == "digraph ['kernel']\n"


def test_modes_of_recording(cuda):
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match=r"Unknown capture error mode.*got some"):
        recorded(graph, capture_error_mode="some")
    x = recorded(graph, capture_error_mode="relaxed")
    graph.replay()
    assert x.tolist() == [1.0] * 3
