"""Sources: identifiers in, records with their text and standing out, and every doubt named."""
