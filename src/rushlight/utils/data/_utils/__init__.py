"""The parts of the loader: making batches, and the processes that do it."""
