"""Training a judge, step by step; each step is a folder that is made once."""
