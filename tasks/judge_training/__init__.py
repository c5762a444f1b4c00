"""Training a medical judge: the work with the warehouse."""
