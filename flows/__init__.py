"""Entry points: flows, the command line, servers, generated reference pages."""
