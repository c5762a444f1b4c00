"""Training a medical judge: its data, its quality classifier, its curriculum."""
