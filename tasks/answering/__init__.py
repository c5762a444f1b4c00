"""Asking systems under test for answers."""
