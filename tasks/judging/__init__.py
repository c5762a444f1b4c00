"""Judges around their stages: panel, examination, calibration, stability."""
