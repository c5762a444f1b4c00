"""Generated pages of docs/: views, metrics, commands, settings, graph of stages."""
