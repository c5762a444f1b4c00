"""Examination of judges: gold pairs, attacks, length bias."""
