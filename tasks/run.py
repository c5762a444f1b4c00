"""Life cycle of a run: home lock, run id, pins, freezing."""

import errno
import fcntl
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from medassay.models.intake.formats import without_ending
from medassay.models.keys import content_key
from medassay.models.nli.choosing import named_reader
from medassay.models.settings import OPTIONS, Settings
from medassay.sql.home import WarehouseError, make_home
from medassay.sql.views import views_digest
from medassay.sql.warehouse import Warehouse, close_warehouse, is_open, warehouse_at
from medassay.tasks.progress import watcher

KILLED = "its process was killed; run the same again, and it goes on where it was"

FEW_ANSWERS = 500
SETTINGS = "settings"
READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
STOPPED = "stopped before its end; what was done is kept, and the same command goes on from there"


def flow_run_here() -> str | None:
    """Return the engine's id of the flow run around this code; None where there is none."""
    if "prefect" not in sys.modules:
        return None
    from prefect.runtime import flow_run

    return str(flow_run.id) if flow_run.id else None


def name_flow_run(name: str) -> None:
    """Give the flow run around this code its run's name; where the engine cannot be reached, it keeps its own."""
    flow_run_id = flow_run_here()
    if flow_run_id is None:
        return
    from prefect.client.orchestration import get_client

    with suppress(Exception), get_client(sync_client=True) as client:
        client.update_flow_run(UUID(flow_run_id), name=name)


def close_killed(flow_run_ids: Iterable[str]) -> None:
    """Mark flow runs that were killed as crashed, with what ran in them and the flows that they were part of.

    Those that have ended stay as they are; where the engine cannot be reached, or knows nothing of them, all do.
    """
    wanted = [UUID(name) for name in flow_run_ids]
    if not wanted or flow_run_here() is None:
        return
    from prefect.client.orchestration import get_client

    for flow_run_id in wanted:
        with suppress(Exception), get_client(sync_client=True) as client:
            _close(client, flow_run_id)


def _close(client: Any, flow_run_id: UUID) -> None:
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
    from prefect.states import Crashed

    run = client.read_flow_run(flow_run_id)
    if run.state is not None and not run.state.is_final():
        client.set_flow_run_state(flow_run_id, Crashed(message=KILLED), force=True)
    ours = FlowRunFilter(id=FlowRunFilterId(any_=[flow_run_id]))
    for task_run in client.read_task_runs(flow_run_filter=ours):
        if task_run.state is not None and not task_run.state.is_final():
            client.set_task_run_state(task_run.id, Crashed(message=KILLED), force=True)
    if run.parent_task_run_id is not None:
        around = client.read_task_run(run.parent_task_run_id).flow_run_id
        if around is not None:
            _close(client, around)


class HomeBusy(Exception):
    """Another run holds this home; the message says which."""


class BadData(Exception):
    """The data cannot be evaluated; one line a problem: what, where, what to do."""


@dataclass(frozen=True, slots=True)
class RunRef:
    """Where a run lives and what it is called: all that crosses a task's border."""

    home: str
    run_id: str

    @property
    def warehouse(self) -> Warehouse:
        """Return the home's warehouse, looking at this run."""
        opened = warehouse_at(self.home)
        opened.focus(self.run_id)
        return opened

    @property
    def settings(self) -> Settings:
        """Return the choices that the run was started with."""
        kept = self.warehouse.remembered
        if SETTINGS not in kept:
            stored = self.warehouse.value("select settings from run where run_id = ?", [self.run_id])
            kept[SETTINGS] = Settings(**json.loads(stored))
        found: Settings = kept[SETTINGS]
        return found

    @property
    def n_answers(self) -> int:
        """Return how many answers the run has."""
        return int(self.warehouse.value("select count(*) from run_answer where run_id = ?", [self.run_id]))

    @property
    def is_small(self) -> bool:
        """Return whether the run has so few answers that planning its queries takes longer than their rows do."""
        return self.n_answers <= FEW_ANSWERS


def new_run_id(now: datetime) -> str:
    """Name a run by its start in UTC and six random hex digits, so that names sort by time."""
    return f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


@cache
def code_version() -> str:
    """Return the package's version, and the commit of a checkout it runs from."""
    folder = Path(__file__).resolve().parent.parent
    commit = ""
    if (folder / ".git").exists():
        asked = subprocess.run(
            ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"],
            capture_output=True,
            text=True,
            check=False,
        )
        commit = asked.stdout.strip()
    return version("medassay") + (f"+{commit}" if commit else "")


def _lock_file(home: Path) -> IO[str]:
    try:
        return open(home / "lock", "a+", encoding="utf-8")
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        raise WarehouseError(
            f"{home} may only be read here, and this works in it: `medassay query`, `report` and `export` read what is"
            " published; for all else set MEDASSAY_HOME to a copy of it"
        ) from None


@contextmanager
def home_lock(home: Path, run_id: str, *, wait: bool = True) -> Iterator[None]:
    """Hold a home for one run; the kernel lets go of it when the process ends, however it ends.

    The warehouse that was opened meanwhile is closed before the next one's turn.

    Raises:
        HomeBusy: when another run holds it and `wait` is off.
        WarehouseError: when there can be no home in that place, or it may only be read.
    """
    make_home(home)
    with _lock_file(home) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another run"
            if not wait:
                raise HomeBusy(f"{home} is held by {holder}; wait for it, or set MEDASSAY_HOME") from None
            watcher().say(f"waiting for {holder}")
            fcntl.flock(file, fcntl.LOCK_EX)
        holder = f"run {run_id}, process {os.getpid()} on {socket.gethostname()}\n"
        with suppress(OSError):  # a full disk: only who waits would read it
            file.truncate(0)
            os.write(file.fileno(), holder.encode())
        was_open = is_open(home)
        try:
            yield
        finally:
            # Who waits for the lock opens the file next, and DuckDB lets nobody in beside us.
            if not was_open:
                close_warehouse(home)


def dataset_name(data: str, named: str | None) -> str:
    """Return what a data set is called: as it was named, else as its folder is, or its file without its endings."""
    place = Path(data).resolve()
    if named or place.is_dir():
        return named or place.name or "data"
    return without_ending(place) or place.name


def metrics_version(settings: Settings) -> str:
    """Name what makes numbers of readings: the views' text, the thresholds and margins, and the declared family.

    Two finished runs of equal readings and equal metrics versions have equal numbers.
    """
    from medassay.models.statistics.contrast import TIE_MARGIN

    chosen = {name: getattr(settings, name) for name, option in OPTIONS.items() if option.decides}
    return content_key({"views": views_digest(), "tie_margin": TIE_MARGIN, **chosen})


def _after_all_runs(warehouse: Warehouse, now: datetime) -> datetime:
    """Return when a run begins: now, or right after the last one where the clock was set back meanwhile.

    The newest run, what is compared with it and what is pruned go by this.
    """
    newest = warehouse.value("select max(greatest(started_at, finished_at)) from run")
    if newest is None or newest < now:
        return now
    watcher().say(
        f"the clock says {now:%Y-%m-%d %H:%M} UTC, and the last run here was at {newest:%Y-%m-%d %H:%M}:"
        " this run is dated right after that"
    )
    after: datetime = newest + timedelta(microseconds=1)
    return after


def begin(warehouse: Warehouse, run: RunRef, settings: Settings, now: datetime) -> None:
    """Write a run's row; the reader `auto` becomes the one that is here."""
    settings = settings.but(reader=named_reader(settings.reader))
    data = Path(settings.data).resolve()
    warehouse.insert(
        "run",
        [
            {
                "run_id": run.run_id,
                "name": settings.run_name,
                "dataset": dataset_name(settings.data, settings.dataset),
                "data": str(data),
                "state": "running",
                "profile": settings.profile,
                "settings": json.dumps(settings.as_dict()),
                "metrics_version": metrics_version(settings),
                "version": code_version(),
                "flow_run_id": flow_run_here(),
                "started_at": _after_all_runs(warehouse, now),
            }
        ],
    )


class _Rehearsed(Exception):
    """The end of a rehearsal."""


@contextmanager
def rehearsed_run(home: Path, settings: Settings, *, wait: bool = True) -> Iterator[RunRef]:
    """Start a run that leaves no trace: what its stages write is there while the block runs, and undone after it."""
    now = datetime.now(UTC)
    run = RunRef(str(home), new_run_id(now))
    with home_lock(home, run.run_id, wait=wait):
        warehouse = warehouse_at(home)
        try:
            with warehouse.transaction():
                begin(warehouse, run, settings, now)
                yield run
                raise _Rehearsed
        except _Rehearsed:
            pass


@contextmanager
def started_run(home: Path, settings: Settings, *, wait: bool = True) -> Iterator[RunRef]:
    """Start a run and see it to its end: `finished`, or `failed` with the error's first line.

    A run that was killed is found here as still `running` with nobody holding the home, and becomes
    `abandoned`; its successor reuses its rows.
    """
    now = datetime.now(UTC)
    run = RunRef(str(home), new_run_id(now))
    with home_lock(home, run.run_id, wait=wait):
        warehouse = warehouse_at(home)
        killed = warehouse.rows(
            "select flow_run_id from run where state = 'running' and flow_run_id is not null"
        )
        warehouse.execute(
            "update run set state = 'abandoned', note = 'the process ended before the run did' where state = 'running'"
        )
        close_killed(row["flow_run_id"] for row in killed)
        warehouse.execute("delete from landing")
        begin(warehouse, run, settings, now)
        name_flow_run(settings.run_name or run.run_id)
        try:
            yield run
        except BaseException as error:
            # Ctrl-C, a signal, or a cancelled flow run: not an error, and its name tells a person nothing.
            is_stopped = not isinstance(error, Exception)
            first_line = STOPPED if is_stopped else (str(error) or type(error).__name__).splitlines()[0]
            # Where the disk takes no more, the next run finds this one as if it had been killed.
            with suppress(WarehouseError):
                warehouse.execute(
                    "update run set state = 'failed', finished_at = greatest(now(), started_at), note = ?"
                    " where run_id = ? and state = 'running'",
                    [first_line[:500], run.run_id],
                )
            raise
