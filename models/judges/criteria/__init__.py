"""Criteria judge: whether each criterion is met, and which words of the answer show it."""
