"""Scorers for other evaluation tools: Inspect, DeepEval, promptfoo, MLflow; each is imported by its tool alone."""
