"""One entry of a reference list: its label, authors, title, year and identifiers, in whatever style."""
