"""Training the reader: an adapter for a Qwen2 that answers A (says so), B (says otherwise) or C (neither)."""
