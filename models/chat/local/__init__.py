"""Chat models served on this machine: GGUF by llama.cpp, folders by transformers, behind a loopback server."""
