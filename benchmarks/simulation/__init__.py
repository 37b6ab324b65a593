"""What training with many processes would take, from a model of latency and bandwidth."""
