"""Pages of docs/ that are written from the code: views, metrics, commands, settings, the graph of stages."""
