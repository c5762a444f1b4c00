"""Passages of an answer that speak to the judge instead of to the reader: known by rule, left out, told otherwise."""
