"""Ways to train in several processes that stand on collectives."""
