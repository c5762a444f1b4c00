"""Engines that evaluate parts: processes of this machine, a Prefect work pool, Ray."""

import os
from pathlib import Path

from medassay.models.nli.choosing import address_of
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.tasks.parts.executor import Engine, PartsExecutor
from medassay.tasks.parts.part import Place
from medassay.tasks.pipeline import Executor

CORES_A_PROCESS = 4
"""So many cores one process carries by its threads: the readers' products are that large."""


def with_engine(executor: Executor, settings: Settings, home: Path) -> Executor:
    """Return the executor that sends parts to the engine of these options; the same where this process does it all.

    Raises:
        UsageError: where texts would leave as they are although patients' data are to be replaced.
        EngineUnavailable: where nobody would do the work.
    """
    if address_of(settings.reader) is not None:
        if settings.on != "here":
            raise UsageError(
                f"--on {settings.on} is for models that read here: {settings.reader} reads elsewhere"
            )
        return executor
    engine = engine_of(settings)
    if engine is None:
        return executor
    storage = Place(settings.storage or str(home / "parts"))
    if settings.phi == "redact" and not storage.is_here:
        raise UsageError(
            f"parts hold texts as they are, and {storage.url} is not on this machine: choose --phi block or allow, or a"
            " folder that both sides see"
        )
    return PartsExecutor(executor, engine, storage, settings.parts)


def engine_of(settings: Settings) -> Engine | None:
    """Return the engine that `--on` names; None where this process does all the work itself.

    Raises:
        EngineUnavailable: where nobody would do the work; the message says what to start.
    """
    where, _, name = settings.on.partition(":")
    if where == "prefect":
        from medassay.flows.engines.prefect_pool import PrefectPool

        return PrefectPool(name)
    if where == "jobs":
        from medassay.flows.engines.jobs import Jobs

        return Jobs()
    if where == "ray":
        from medassay.flows.engines.ray_actors import RayActors

        return RayActors(settings.on if name else None)
    n = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes = n // CORES_A_PROCESS
    if processes < 2 and settings.parts is None:
        return None
    from medassay.flows.engines.here import Processes

    return Processes(max(2, processes))
