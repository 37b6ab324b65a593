"""Parts of training in several processes that compose."""
