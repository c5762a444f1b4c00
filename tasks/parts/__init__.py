"""Work that leaves the process: parts of whole questions, their evaluation anywhere, and the way back."""
