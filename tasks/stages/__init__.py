"""The stages, one module each under its name in the run table."""
