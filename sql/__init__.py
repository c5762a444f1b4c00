"""The warehouse and every statement it is asked."""
