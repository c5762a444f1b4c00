"""Intervals, paired tests and agreement: small pure functions, one measure a file."""
