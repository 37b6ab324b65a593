"""Gradients: what a tensor remembers of its making, the rules, and the engine that runs them."""
