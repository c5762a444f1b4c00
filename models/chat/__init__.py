"""Asking language models over an OpenAI-compatible API: calls that end in a value or in a reason."""
