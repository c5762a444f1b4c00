"""Systems under test: their specs, prompts and replies."""
