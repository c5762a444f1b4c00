"""One stage of the evaluation a file: read what is pending, call a model, write rows."""
