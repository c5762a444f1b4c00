"""Criteria: a chat judge says of each whether an answer meets it, and which words show it."""
