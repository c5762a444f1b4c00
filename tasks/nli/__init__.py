"""Pairs of passage and claim: reading them, keeping verdicts, reading again what changed."""
