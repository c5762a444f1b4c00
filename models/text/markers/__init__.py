"""Citation markers: where they stand in a text, and what they name."""
