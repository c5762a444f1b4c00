"""Judges: rubric, criteria, listwise, embedded; their examination; the PHI guard."""
