"""Nuggets: making, matching with claims, states."""
