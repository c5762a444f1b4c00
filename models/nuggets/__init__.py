"""Nuggets: made from a reference, matched with claims, seen as covered, partial, contradicted or missing."""
