"""What the project knows about medicine's texts, in plain Python: no Prefect, no DuckDB."""
