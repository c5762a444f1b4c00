"""Sources: resolve identifiers to records with text and retraction status."""
