"""Parts of training in several processes that compose, which are not there yet."""
