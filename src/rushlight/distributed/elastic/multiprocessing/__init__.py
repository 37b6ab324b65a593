"""Worker processes of one machine."""
