"""What stands behind `torch.export`: checks of graphs, files, marks of classes of tensors."""

from rushlight._export import config, verifier, wrappers

__all__ = ["config", "verifier", "wrappers"]
