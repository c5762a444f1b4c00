"""Ray: core actors that keep their models loaded; a killed one is started again, and its part is asked again."""

import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from medassay.flows.engines.here import reason_of
from medassay.flows.engines.prefect_pool import RUN_HERE, EngineUnavailable
from medassay.tasks.parts.part import Place

RESTARTS = 3
CPUS_A_PART = 2


class RayActors:
    """Evaluates parts in actors of the cluster at an address, or of one on this machine's loopback.

    Raises:
        EngineUnavailable: where Ray is not installed, or the cluster does not answer.
    """

    def __init__(self, address: str | None) -> None:
        if address is None:
            # Ray's own word for "this machine alone": it listens on loopback, and lets in who has the token.
            imported: Any = sys.modules.get("ray")  # it reads how to let people in once, at its import
            if imported and not imported.is_initialized() and os.environ.get("RAY_AUTH_MODE") != "token":
                raise EngineUnavailable(
                    "Ray was imported before its token was set: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"
                    f" before `import ray`, start a cluster of your own with ray.init(), {RUN_HERE}"
                )
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
            os.environ.setdefault("RAY_AUTH_MODE", "token")
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        try:
            import ray
        except ImportError:
            raise EngineUnavailable(
                f"Ray is not installed: pip install 'medassay[ray]', {RUN_HERE}"
            ) from None
        self._ray: Any = ray
        try:
            if not ray.is_initialized():
                more: dict[str, Any] = {"address": address} if address else {}
                ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR", **more)
            resources = ray.cluster_resources()
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise EngineUnavailable(
                f"Ray at {address or 'this machine'} does not answer ({reason_of(error)}): start it, {RUN_HERE}"
            ) from error
        gpus = int(resources.get("GPU", 0))
        self._n = gpus or max(1, int(resources.get("CPU", 1)) // CPUS_A_PART)
        self._options = {"num_gpus": 1} if gpus else {"num_cpus": min(CPUS_A_PART, os.cpu_count() or 1)}

    leaves_parts = False

    @property
    def n_parts(self) -> int:
        """Two parts an actor, so that one that is done early has another."""
        return 2 * self._n

    def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
        """Yield each part when an actor has evaluated it, or given it up, with the reason."""
        ray = self._ray
        actor = ray.remote(max_restarts=RESTARTS, max_task_retries=RESTARTS, **self._options)(_Evaluator)
        idle = [actor.remote() for _ in range(min(self._n, len(parts)))]
        waiting = list(parts)
        running: dict[Any, tuple[Any, Place]] = {}
        while waiting or running:
            while waiting and idle:
                one, part = idle.pop(), waiting.pop(0)
                running[one.evaluate.remote(part.url)] = (one, part)
            (finished,), _ = ray.wait(list(running), num_returns=1)
            one, part = running.pop(finished)
            idle.append(one)
            try:
                ray.get(finished)
            except Exception as error:  # whatever a part ends with, its questions are evaluated by the caller
                yield part, reason_of(error).split("Traceback")[0][:300]
            else:
                yield part, None
            while idle and not waiting:
                ray.kill(idle.pop())  # its cores may be what an actor of a lost node waits for


class _Evaluator:
    """Evaluates parts one after the other."""

    def evaluate(self, url: str) -> None:
        """Evaluate a part."""
        from medassay.tasks.parts.evaluating import evaluate_part

        evaluate_part(url)
