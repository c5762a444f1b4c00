"""Executor that sends parts of a run away, and does here what did not come back."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from medassay.models.settings import Settings
from medassay.tasks.parts.merging import merge_part, sum_of
from medassay.tasks.parts.part import Done, PartRefused, Place, done_of
from medassay.tasks.parts.writing import split_questions, write_part
from medassay.tasks.pipeline import Executor
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.stages.order import STAGES
from medassay.tasks.stages.stage import Report, Stage
from medassay.tasks.validate import Validation


class Engine(Protocol):
    """Evaluates parts somewhere; retries, scheduling and health are its own."""

    leaves_parts: bool
    """Whether parts stay where they lie when the run is stopped."""

    @property
    def n_parts(self) -> int:
        """Into how many parts a run is cut unless it is said."""

    def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
        """Yield each part when it is evaluated, or given up, with the reason."""


class PartsExecutor(Executor):
    """Sends the stages that neither spend money nor ask the network to an engine, in parts of whole questions.

    What was merged is known, and each stage is then carried out here as always: it finds nothing left to do, or what a
    part that was given up would have done.
    """

    def __init__(self, inner: Executor, engine: Engine, storage: Place, n_parts: int | None = None) -> None:
        self._inner, self._engine, self._storage = inner, engine, storage
        self._n_parts = n_parts or engine.n_parts
        self._done: list[Done] | None = None

    def show_validation(self, validation: Validation) -> None:
        """Show what was read and what was left out, as the executor inside does."""
        self._inner.show_validation(validation)

    def run_stage(self, stage: Stage, run: RunRef) -> Report | None:
        """Send the travelling stages away at the first of them, then carry out each here."""
        if not stage.travels(run.settings):
            return self._inner.run_stage(stage, run)
        if self._done is None:
            self._done = self._sent(run)
        report = self._inner.run_stage(stage, run)
        if stage.name in (did := sum_of(self._done)):
            run.warehouse.execute(
                "update run_stage set n_done = n_done + $n_done, seconds = seconds + $seconds, note = $note"
                " where run_id = $run_id and stage = $stage",
                {
                    **did[stage.name],
                    "note": f"{len(self._done)} parts",
                    "run_id": run.run_id,
                    "stage": stage.name,
                },
            )
        return report

    def _sent(self, run: RunRef) -> list[Done]:
        stages = travelling(run.settings)
        for stage in STAGES:
            if stage.name in stages:
                stage.pin(run)
        questions = split_questions(run, self._n_parts)
        parts = [write_part(run, some, stages, self._storage) for some in questions]
        watcher().begin("parts", len(parts), len(parts))
        done = []
        try:
            # A killed run leaves parts behind that were evaluated and not taken in.
            ready = [part for part in parts if done_of(part) is not None]
            for part in ready:
                done += self._merged(run, part, None)
            for part, why in self._engine.submit([part for part in parts if part not in ready]):
                done += self._merged(run, part, why)
        except BaseException:
            if not self._engine.leaves_parts:
                remove(parts)
            raise
        remove(parts)
        watcher().end("parts", "")
        return done

    def _merged(self, run: RunRef, part: Place, why: str | None) -> list[Done]:
        watcher().advance("parts", 1)
        try:
            if why is None:
                return [merge_part(run, part)]
        except PartRefused as refused:
            why = str(refused)
        watcher().say(f"a part did not come back ({why}): its questions are evaluated here")
        return []


def remove(parts: Sequence[Place]) -> None:
    """Delete parts: they hold the data's texts."""
    for part in parts:
        with suppress(OSError):
            part.remove()


def travelling(settings: Settings) -> tuple[str, ...]:
    """Return the stages that leave under these options."""
    return tuple(stage.name for stage in STAGES if stage.travels(settings))
