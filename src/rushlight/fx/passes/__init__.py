"""What is done with graphs."""
