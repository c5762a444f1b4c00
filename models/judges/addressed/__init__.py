"""Prompt injection in answers: passages addressed to the judge are detected and removed."""
