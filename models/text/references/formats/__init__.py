"""Entries as programs write them: BibTeX, RIS, JSON."""
