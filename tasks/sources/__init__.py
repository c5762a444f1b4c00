"""Sources of cited texts: storing, refreshing, transfer between homes, files of PubMed."""
