"""Client for OpenAI-compatible APIs: each request ends in a value or a reason."""
