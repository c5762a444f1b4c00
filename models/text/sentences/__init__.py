"""Sentences, as spans of the answer and as models read them."""
