"""Atomic facts: a language model splits what the rules leave whole, and its reply is held against the answer."""
