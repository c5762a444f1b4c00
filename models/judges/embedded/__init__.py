"""Embedded judge: a small local model read by the probability of yes and no."""
