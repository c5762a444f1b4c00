"""Where reference lists stand in the text of an answer, and which lines make an entry."""
