"""Processes of a group of workers."""
