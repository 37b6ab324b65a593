"""Groups of processes: what they are asked (`ProcessGroup`), and who does it (backends)."""
