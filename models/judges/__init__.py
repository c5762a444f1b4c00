"""Judges: the clinical rubric asked of a model, read strictly, and how far a judge can be trusted."""
