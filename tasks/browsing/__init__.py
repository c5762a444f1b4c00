"""What the home of runs shows: runs of a home, two answers side by side, tags."""
