"""From an answer's text to its claims and what they cite: blocks, sentences, markers, references, claims."""
