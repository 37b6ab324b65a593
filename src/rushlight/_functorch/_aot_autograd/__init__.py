"""Programs with their gradients as graphs: one file for each pass."""
