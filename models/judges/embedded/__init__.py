"""The embedded judge: a small local model, asked yes or no and read by probability."""
