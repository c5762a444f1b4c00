"""Citations beside their stages: sources kept and refreshed, who reads passages, where they are read."""
