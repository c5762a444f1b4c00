"""Nuggets beside their stages: made by a model, edited by people, laid beside the claims of answers."""
