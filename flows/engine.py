"""Prefect, made ready before it is imported: nothing leaves the machine, and a slow start is not a failure."""

import os

SETTINGS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    # A fresh home takes 16 s on two cores, the default limit is 20 s.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    # A person at the terminal gets one line for an error, never the engine's traceback.
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    # SQLite records 21 task runs a second one by one, 60–93 in batches.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TRIGGERS_READ_BATCH_SIZE": "100",
}


def prepare_prefect() -> None:
    """Set what a person has not set; call it before anything imports Prefect."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
