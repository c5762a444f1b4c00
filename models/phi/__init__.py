"""Detection of patient data (PHI) by rules and a small recogniser, before a remote model is called."""
