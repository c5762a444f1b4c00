"""Runs and systems beside each other: which is better, what changed, and why."""
