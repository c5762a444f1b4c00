"""The encoder for NLI: one network over pairs of texts, its windows, tokens, batches and worker processes."""
