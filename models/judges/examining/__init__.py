"""What a judge is worth: gold pairs, attacks, and what length does to its marks."""
