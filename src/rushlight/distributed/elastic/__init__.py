"""Starting workers on any number of machines, and starting them again when some fail."""
