"""How the embedded entailment model is trained: real sets, pairs made by rule, one loop."""
