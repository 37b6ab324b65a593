"""Switches of threads and of the whole process, and what names devices and dispatch keys."""
