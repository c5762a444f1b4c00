"""Sources, refreshing, and readers of pairs, around the citation stages."""
