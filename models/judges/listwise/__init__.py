"""Listwise judge: compare the answers to one question."""
