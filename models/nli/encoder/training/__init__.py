"""Training of the embedded entailment model: labelled sets, rule-made pairs, one loop."""
