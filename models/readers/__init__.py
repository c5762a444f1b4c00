"""Readers: does a passage say a statement, say otherwise, or neither? By a language model, or by two models in turn."""
