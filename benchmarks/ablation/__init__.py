"""Parts of `whence_ablation.py`: sets, scores, measures, tables, pictures."""
