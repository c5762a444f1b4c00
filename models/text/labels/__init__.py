"""What a source is called where it is cited: a number, a sign, the names of its authors and a year."""
