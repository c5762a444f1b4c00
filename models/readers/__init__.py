"""Readers for NLI: language model with adapter, cascade with the encoder, log probabilities of a server."""
