"""Comparison of systems and runs: tests, drift, attribution."""
