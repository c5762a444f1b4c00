"""Nuggets: made, edited, held against the claims of answers."""
