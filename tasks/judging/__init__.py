"""Judges: asked, examined, calibrated, and how far they hold."""
