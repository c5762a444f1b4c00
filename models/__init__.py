"""Domain logic in plain Python, without Prefect and DuckDB."""
