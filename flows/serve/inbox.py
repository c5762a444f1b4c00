"""The inbox of `medassay serve`: each new file or folder in it becomes a run, whose results are written beside it.

A run is one of the deployment `evaluate/evaluate-answers`, with the parameters that are set there, and is asked for
under a name made of the item's content: asked for again, whatever ended the server, Prefect answers with the same run.
"""

import json
import os
import secrets
import shutil
import stat
import time
import unicodedata
import urllib.error
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import click

from medassay.flows.commands.exit_codes import as_json, message_of
from medassay.flows.serve.api import ask
from medassay.flows.terminal.console import visible
from medassay.models.atomic_files import folder_written_whole
from medassay.models.keys import content_key
from medassay.models.weights.storing import digest_of
from medassay.sql.snapshot import NothingPublished, read_results
from medassay.tasks.exporting import export_views
from medassay.tasks.publish import write_report

RESULTS, REFUSED, RECORD = ".results", ".refused.txt", "run.json"
ARRIVING = (".part", ".partial", ".tmp", ".crdownload", ".download", ".filepart", "~")
"""How browsers and copying programs name what is not whole yet."""
POLL_S, SETTLED_S = 2.0, 6.0
TRIES = 3
"""How often a run that was cut off is begun again."""
LONGEST_NAME = 255
ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")

Signature = tuple[tuple[str, int, int], ...]


class Stopped(Exception):
    """The server is being stopped while a run goes on."""


class Unfit(Exception):
    """An item that nobody should evaluate; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How an item's run ended: the finished run, where there is one, and what was said of a refusal or a failure."""

    run_id: str | None
    said: str | None
    flow_run_id: str | None = None


class Inbox:
    """A watched folder. `evaluate` gets an item and the name of its content, and returns how its run ended."""

    def __init__(
        self, folder: Path, home: Path, evaluate: Callable[[Path, str], Ended], settled_s: float = SETTLED_S
    ) -> None:
        self.folder, self.home, self.evaluate, self.settled_s = folder, home, evaluate, settled_s
        self._seen: dict[str, tuple[Signature | str, float]] = {}
        self._done: dict[str, Signature | str] = {}
        self._said = ""

    def watch(self, stopped: Event) -> None:
        """Look again and again until the event is set."""
        while not stopped.wait(POLL_S):
            try:
                self.look()
            except OSError as error:
                self._say(message_of(error))

    def look(self) -> None:
        """Evaluate what has not changed for a while, one item after the other."""
        for name in self._names():
            try:
                found: Signature | str = signature(self.folder / name)
            except Unfit as error:
                found = str(error)
            except FileNotFoundError:
                continue  # taken away meanwhile
            if self._done.get(name) == found:
                continue
            before, since = self._seen.get(name, (None, 0.0))
            if before != found:
                self._seen[name] = found, time.monotonic()
            elif time.monotonic() - since >= self.settled_s and found:
                try:
                    self._take(name, found)
                    self._done[name] = found
                except Stopped:
                    return
                except Exception as error:  # the next item is none the worse, and this one is tried again
                    self._seen[name] = found, time.monotonic()
                    self._say(f"{name}: {message_of(error)}")

    def _say(self, line: str) -> None:
        if line != self._said:  # a disk that is full stays full for many looks
            click.echo(visible(f"inbox: {line}"), err=True)
        self._said = line

    def _names(self) -> Iterator[str]:
        for name in sorted(os.listdir(self.folder)):
            path = self.folder / name
            is_ours = name.endswith(REFUSED) or (name.endswith(RESULTS) and (path / RECORD).is_file())
            if not (is_ours or name.startswith(".") or name.lower().endswith(ARRIVING)):
                yield name

    def _take(self, name: str, found: Signature | str) -> None:
        path = self.folder / name
        if isinstance(found, str):
            self._refuse(name, found)
            return
        key = content_key([name, *((part, digest_of(path / part)) for part, _, _ in found)])
        results = self.folder / beside(name, RESULTS)
        if _key_of(results) == key:
            return
        if results.is_symlink() or (results.exists() and _key_of(results) is None):
            self._refuse(name, f"{results.name} is in the way, which is not of this inbox: rename it")
            return
        self._say(f"{name} is evaluated")
        ended = self.evaluate(path, key)
        if ended.run_id is None:
            self._refuse(name, ended.said or "the run ended without results; see it in the Prefect UI")
            return
        with folder_written_whole(results) as folder:
            self._write(folder, ended, key)
        (self.folder / beside(name, REFUSED)).unlink(missing_ok=True)
        self._say(f"results are in {results.name}")

    def _write(self, folder: Path, ended: Ended, key: str) -> None:
        run_id = str(ended.run_id)
        shutil.copyfile(write_report(self.home, run_id), folder / "report.html")
        export_views(self.home, folder, "csv", ["leaderboard"], run_id, guarded=True)
        rows = read_results(self.home, "from leaderboard where run_id = ?", [run_id])
        (folder / "leaderboard.json").write_text(as_json(rows) + "\n", "utf-8")
        if ended.said:
            (folder / "failed.txt").write_text(ended.said + "\n", "utf-8")
        record = {"run_id": run_id, "flow_run_id": ended.flow_run_id, "content": key}
        (folder / RECORD).write_text(json.dumps(record) + "\n", "utf-8")

    def _refuse(self, name: str, why: str) -> None:
        draft = self.folder / f".medassay-{secrets.token_hex(8)}"
        try:
            with draft.open("x", encoding="utf-8", errors="backslashreplace") as file:
                file.write(visible(why) + "\n")
            draft.replace(self.folder / beside(name, REFUSED))  # a link there is replaced, never followed
        finally:
            draft.unlink(missing_ok=True)
        self._say(f"{name} is refused: {why.splitlines()[0]}")


def signature(path: Path) -> Signature:
    """Return the files of an item with their sizes and moments: equal ones mean that nobody has written meanwhile.

    Of a folder in which a file is still arriving, and of an empty one, it is empty.

    Raises:
        Unfit: for links and devices, which lead elsewhere, and names that are no text.
        FileNotFoundError: where it is not there any more.
    """
    files: list[tuple[str, int, int]] = []
    left = [""]
    while left:
        part = left.pop()
        place = path / part
        about = place.lstat()
        if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in f"{path.name}{part}"):
            raise Unfit("its name is no readable text in UTF-8: rename it")
        if stat.S_ISDIR(about.st_mode):
            left += [os.path.join(part, name) for name in os.listdir(place) if not name.startswith(".")]
        elif part.lower().endswith(ARRIVING):
            return ()
        elif stat.S_ISREG(about.st_mode):
            files.append((part, about.st_size, about.st_mtime_ns))
        else:
            raise Unfit(
                "it is or holds a link or a device, which are not followed here: put the files themselves there"
            )
    return tuple(sorted(files))


def beside(name: str, ending: str) -> str:
    """Return the name of what is written beside an item; a name that would be too long is shortened."""
    room = LONGEST_NAME - len(ending)
    if len(os.fsencode(name)) <= room:
        return name + ending
    tag = content_key(name)[:8]
    return os.fsencode(name)[: room - len(tag) - 1].decode("utf-8", "ignore") + f"~{tag}{ending}"


def _key_of(results: Path) -> str | None:
    try:
        return str(json.loads((results / RECORD).read_text("utf-8"))["content"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class Deployment:
    """The deployment `evaluate/evaluate-answers` of a server; called with an item it returns how the run ended."""

    api: str
    home: Path
    stopped: Event

    def __call__(self, path: Path, key: str) -> Ended:
        """Have an item evaluated, or wait for the run that it has already."""
        deployment = ask(f"{self.api}/deployments/name/evaluate/evaluate-answers", method="GET")
        run: dict[str, Any] = {}
        for attempt in range(TRIES):
            asked = {
                "parameters": {"data": str(path), "run_name": path.name},
                "idempotency_key": f"inbox-{key}-{attempt}",
                "tags": ["inbox"],
            }
            try:
                made = ask(f"{self.api}/deployments/{deployment['id']}/create_flow_run", asked)
            except urllib.error.HTTPError as error:
                return Ended(None, f"Prefect takes no run of it: {error.read().decode('utf-8', 'replace')}")
            run = self._ended(made["id"])
            if run["state_type"] != "CRASHED":
                break
        rows = []
        try:
            found = "select run_id from runs where flow_run_id = ? and state = 'finished' order by started_at desc"
            rows = read_results(self.home, found, [run["id"]])
        except NothingPublished:
            pass
        said = None if run["state_type"] == "COMPLETED" else run["state"]["message"] or run["state"]["name"]
        return Ended(rows[0]["run_id"] if rows else None, said, run["id"])

    def _ended(self, flow_run_id: str) -> dict[str, Any]:
        while True:
            run: dict[str, Any] = ask(f"{self.api}/flow_runs/{flow_run_id}", method="GET")
            if run["state_type"] in ENDED:
                return run
            if self.stopped.wait(POLL_S):
                raise Stopped
