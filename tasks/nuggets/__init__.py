"""Nuggets around their stages: generation by a model, editing, matching input."""
