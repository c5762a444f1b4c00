"""Gate for CI: rules, bounds and a committed baseline that a run has to keep to, and the renderings of its record."""
