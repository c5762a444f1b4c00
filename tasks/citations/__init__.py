"""Citations: sources fetched and kept, passages read, verdicts of claims."""
