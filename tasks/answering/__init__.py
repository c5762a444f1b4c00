"""Answers asked of the systems themselves."""
