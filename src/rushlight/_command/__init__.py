"""The `rushlight` command: `run`, `explain`, `doctor`, `cache`."""
