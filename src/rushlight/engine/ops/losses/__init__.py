"""Losses: of every element, of classes, of margins, of aligned sequences."""
