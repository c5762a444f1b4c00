"""Terminal output: tables, progress, messages."""
