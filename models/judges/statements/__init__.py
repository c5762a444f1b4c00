"""An answer as the single statements that a small judge reads, without what frames or pads them."""
