"""`medassay serve`: the guarded Prefect server, its deployments, and the server of reports."""
