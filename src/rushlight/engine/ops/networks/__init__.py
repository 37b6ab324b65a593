"""What networks use beside layers: sampling images at places, alignments, random windows."""
