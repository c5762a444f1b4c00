"""Reference lists: where they stand, what their entries say, and which entry a label means."""
