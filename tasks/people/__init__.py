"""Human annotation and agreement."""
