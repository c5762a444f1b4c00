"""The stage protocol: fingerprint, pending items, batches, outcomes.

The warehouse decides what is still to do; Prefect shows it, and retries what the world refused.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from medassay.models.keys import content_key
from medassay.models.nli.choosing import address_of
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef

Report = dict[str, Any]


class Unfinished(Exception):
    """Some items failed for a reason of the world; a retry asks for them and only them."""


@dataclass
class Step:
    """One stage at work in one run."""

    run: RunRef
    stage: str
    fingerprint: str
    warehouse: Warehouse
    settings: Settings
    failures: dict[str, str] = field(default_factory=dict)
    note: str | None = None
    stopped: bool = False
    """Whether what failed is left on purpose, so that another attempt would change nothing."""
    n_set_aside: int = 0
    found: tuple[str, list[Row]] | None = None
    """What was still to do when the stage began, and under which fingerprint; it is handed out once."""

    def pending(self) -> list[Row]:
        """Return what is still to do, in the stage's own order."""
        (under, rows), self.found = self.found or ("", []), None
        return rows if under == self.fingerprint else self.warehouse.rows(f"from {self.stage}_pending")

    def batches(self, size: int, largest: int | None = None) -> Iterator[list[Row]]:
        """Yield what is still to do, `size` rows at a time; up to `largest`, a fortieth of all.

        A batch that looks its rows up in whole tables takes as long as the tables are: with batches of one size the
        time would grow with the square of the run.
        """
        rows = self.pending()
        size = min(max(size, len(rows) // 40), largest or size)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]

    def advance(self, count: int) -> None:
        """Tell whoever watches that `count` more items are done."""
        watcher().advance(self.stage, count)

    def pin_actual_model(self, spec: dict[str, Any]) -> None:
        """Give the stage another fingerprint, because not the model that was asked for answers but another."""
        self.fingerprint = content_key({"stage": self.stage, **spec})
        self.warehouse.insert(
            "fingerprint", [{"fingerprint": self.fingerprint, "stage": self.stage, "spec": json.dumps(spec)}]
        )
        self.warehouse.execute(
            "update run_stage set fingerprint = ? where run_id = ? and stage = ?",
            [self.fingerprint, self.run.run_id, self.stage],
        )

    def set_aside(self, item_key: str, state: str, reason: str, attempts: int = 1) -> None:
        """Record that an item has no score in this run, and why."""
        self.n_set_aside += 1
        if state == "failed":
            self.failures[item_key] = reason
        self.warehouse.execute(
            "insert or replace into outcome values (?, ?, ?, ?, ?, ?, ?)",
            [self.run.run_id, self.stage, item_key, self.fingerprint, state, reason, attempts],
        )


def _always(run: RunRef) -> bool:
    return True


def _stays(settings: Settings) -> bool:
    return False


def reads_here(settings: Settings) -> bool:
    """Return whether local models read: such stages may leave the process, and neither spend nor ask the network."""
    return address_of(settings.reader) is None


def _nothing(run: RunRef) -> None:
    pass


@dataclass(frozen=True)
class Stage:
    """A stage of the evaluation: what it asks of which model, and the plain function that does it.

    An executor (`tasks/pipeline.py`) makes it ready, and then runs or reuses it.

    Attributes:
        clear_up: Settle what a killed run left behind; called in every run, first.
        factor: Factor of `models/attribution.py` to which a change of score is attributed where two runs ask different
            things of it, but for its prompt, its cut-offs and its version.
        is_asked: Decide whether this run asks anything of the stage, and change nothing; where it does not, only the
            fingerprint is written down.
        prepare: Make the items ready.
        travels: Decide whether it may be done in parts elsewhere: it neither spends money nor asks the network.
        settles: Views that no later stage changes: small runs keep them from its end on.
        within: View without a row of which the stage has no items.
        writes: Tables that it fills.
        reads: Tables that it reads beside what the view `<name>_pending` reads; docs/architecture.md shows both.
    """

    name: str
    work: Callable[[Step], None]
    spec: Callable[[Settings], dict[str, Any]]
    factor: str
    is_asked: Callable[[RunRef], bool] = _always
    prepare: Callable[[RunRef], None] = _nothing
    clear_up: Callable[[RunRef], None] = _nothing
    travels: Callable[[Settings], bool] = _stays
    retries: int = 0
    retry_delay_s: float = 2.0
    settles: tuple[str, ...] = ()
    within: str | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def pin(self, run: RunRef) -> str:
        """Write down what this run asks of the stage's model, and return its fingerprint."""
        warehouse = run.warehouse
        spec = self.spec(run.settings)
        fingerprint = content_key({"stage": self.name, **spec})
        # Looked up first, since an insert that may be ignored takes four times as long.
        (known,) = warehouse.rows(
            "select exists (from fingerprint where fingerprint = $fingerprint) as is_described,"
            " exists (from run_stage where run_id = $run_id and stage = $stage) as is_pinned",
            {"fingerprint": fingerprint, "run_id": run.run_id, "stage": self.name},
        )
        if not known["is_described"]:
            row = {"fingerprint": fingerprint, "stage": self.name, "spec": json.dumps(spec)}
            warehouse.append("fingerprint", [row])
        if not known["is_pinned"]:
            row = {"run_id": run.run_id, "stage": self.name, "fingerprint": fingerprint}
            warehouse.append("run_stage", [row])
        return fingerprint

    def count(self, run: RunRef) -> tuple[int, int, str]:
        """Return how many items the run has, how many are pending, and a digest of the items' keys."""
        n_items, digest = self._count_items(run)
        return n_items, self._count_pending(run) if n_items else 0, digest

    def _count_items(self, run: RunRef) -> tuple[int, str]:
        if self.within and not run.warehouse.value(f"select exists (from {self.within})"):
            return 0, str(None)
        (row,) = run.warehouse.rows(
            f"select count(*) as n_items, bit_xor(md5_number(item_key)) as digest from {self.name}_items"
        )
        return int(row["n_items"]), str(row["digest"])

    def _count_pending(self, run: RunRef) -> int:
        return int(run.warehouse.value(f"select count(*) from {self.name}_pending"))

    def run(self, run: RunRef, *, last_attempt: bool = True) -> Report:
        """Do what is pending and report what was done, what abstained and what failed.

        Raises:
            Unfinished: when items failed and another attempt is to come.
        """
        began = time.monotonic()
        fingerprint = self.pin(run)
        step = Step(run, self.name, fingerprint, run.warehouse, run.settings)
        n_items, _ = self._count_items(run)
        pending = step.pending() if n_items else []
        n_pending, step.found = len(pending), (fingerprint, pending)
        del pending
        watcher().begin(self.name, n_items, n_pending)
        run.warehouse.execute(
            "delete from outcome where run_id = ? and stage = ? and state = 'failed'", [run.run_id, self.name]
        )
        if n_pending:
            # A run that is killed meanwhile says what it had before it.
            run.warehouse.execute(
                "update run_stage set n_items = ?, n_pending = ? where run_id = ? and stage = ?",
                [n_items, n_pending, run.run_id, self.name],
            )
            self.work(step)
        # Where nothing was set aside all was done.
        is_whole = not (step.n_set_aside or step.failures or step.stopped)
        left = 0 if is_whole else self._count_pending(run)
        report = self._record(
            run, n_items, n_pending, left, len(step.failures), time.monotonic() - began, step.note
        )
        watcher().end(self.name, _left_undone(report))
        if step.failures and not last_attempt and not step.stopped:
            reason = next(iter(step.failures.values()))
            raise Unfinished(f"{self.name}: {len(step.failures)} of {n_pending} failed, first: {reason}")
        return report

    def _mend(self, run: RunRef) -> None:
        """Note what earlier runs had set aside and this one has done, so that later runs say nothing of it."""
        run.warehouse.execute(
            f"""
            insert or replace into mended_item by name
            select stage, fingerprint, item_key, greatest(now(), run.started_at) as mended_at
            from told_aside
            join run on run.run_id = $run_id
            semi join {self.name}_items using (item_key)
            anti join {self.name}_pending using (item_key)
            anti join (from outcome where run_id = $run_id and stage = $stage) as now_said using (item_key)
            where stage = $stage and fingerprint = pinned($stage)
            """,
            {"stage": self.name, "run_id": run.run_id},
        )

    def _record(
        self,
        run: RunRef,
        n_items: int,
        n_pending: int,
        n_left: int,
        n_failed: int,
        seconds: float,
        note: str | None,
    ) -> Report:
        warehouse = run.warehouse
        if run.settings.retry:
            self._mend(run)
        n_abstained = self._set_aside_before(run)
        report: Report = {
            "stage": self.name,
            "n_items": n_items,
            "n_pending": n_pending,
            "n_done": n_pending - n_left,
            "n_abstained": n_abstained,
            "n_failed": n_failed,
            "seconds": round(seconds, 2),
            "note": note,
        }
        warehouse.execute(
            "update run_stage set n_items = $n_items, n_pending = $n_pending, n_done = $n_done,"
            " n_abstained = $n_abstained, n_failed = $n_failed, seconds = $seconds, note = $note"
            " where stage = $stage and run_id = $run_id",
            {**report, "run_id": run.run_id},
        )
        return report

    def _set_aside_before(self, run: RunRef) -> int:
        """Take over what earlier runs were told of this run's items, as part of its account; return how many."""
        warehouse, of_stage = run.warehouse, "where stage = $stage and fingerprint = pinned($stage)"
        # The view is asked only where it can have a row.
        if not warehouse.value(
            f"select exists (from outcome {of_stage} and state in ('abstained', 'not_found'))"
            f" or exists (from pruned_outcome {of_stage})",
            {"stage": self.name},
        ):
            return 0
        kept_to = f"from set_aside semi join {self.name}_items using (item_key) {of_stage}"
        n_abstained = int(warehouse.value(f"select count(*) {kept_to}", {"stage": self.name}) or 0)
        warehouse.execute(
            "insert or ignore into outcome by name"
            f" select $run_id as run_id, stage, item_key, fingerprint, state, reason, attempts {kept_to}",
            {"run_id": run.run_id, "stage": self.name},
        )
        return n_abstained

    def make_ready(self, run: RunRef) -> bool:
        """Write down what the run asks of the stage, and make its items ready; return whether it asks anything."""
        self.pin(run)
        if not run.warehouse.kept.isdisjoint(self.settles):  # the stage is done once more
            run.warehouse.let_go()
        self.clear_up(run)
        if not self.is_asked(run):
            return False
        self.prepare(run)
        return True

    def settle(self, run: RunRef) -> None:
        """Keep the views that nothing changes any more, in a run so small that planning them takes longest."""
        if self.settles and run.is_small:
            run.warehouse.keep(*self.settles)

    def reuse(self, run: RunRef, n_items: int) -> None:
        """Record a stage of which nothing is pending."""
        watcher().begin(self.name, n_items, 0)
        self._record(run, n_items, 0, 0, 0, 0.0, None)
        watcher().end(self.name, "cached")


def _left_undone(report: Report) -> str:
    notes = [
        f"{report[name]} {word}"
        for name, word in (("n_abstained", "abstained"), ("n_failed", "failed"))
        if report[name]
    ]
    return ", ".join(notes)
