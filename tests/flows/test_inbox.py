"""The inbox of `medassay serve`: what is evaluated when, what is written beside it, and what nobody touches."""

import csv
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from medassay.flows.serve.inbox import Ended, Inbox, beside
from medassay.models.intake import IntakeError
from medassay.models.intake.feasibility import refuse_unreadable
from tests.published_home import publish_runs

RUN = "20260101T000000-aaaaaa"
LINE = '{"question_id": "q1", "question": "Why?", "system": "a", "answer": "So.", "nuggets": ["So."]}\n'
ENTRIES = ["leaderboard.csv", "leaderboard.json", "report.html", "run.json"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with one published run, of a system whose name a spreadsheet would take for a formula."""
    home = tmp_path_factory.mktemp("inbox") / "home"
    publish_runs(home, {RUN: {("q1", "=cmd()"): ["covered"], ("q1", "b"): ["missing"]}})
    return home


class Watched(Inbox):
    """An inbox whose items are read as data, for the run that is published already."""

    def __init__(self, folder: Path, home: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.taken: list[str] = []
        super().__init__(folder, home, self.read, settled_s=0.02)

    def read(self, path: Path, key: str) -> Ended:
        self.taken.append(path.name)
        try:
            refuse_unreadable(path, ())
        except IntakeError as error:
            return Ended(None, str(error))
        return Ended(RUN, None, "flow run")

    def settle(self) -> list[str]:
        """Look until nothing is due any more, and return what lies there."""
        for _ in range(3):
            self.look()
            time.sleep(0.03)
        return sorted(name for name in os.listdir(self.folder) if not name.startswith(".medassay-"))


@pytest.fixture
def inbox(home: Path, tmp_path: Path) -> Watched:
    return Watched(tmp_path / "in", home)


def test_results_lie_beside_a_file_and_beside_a_folder(inbox: Watched) -> None:
    (inbox.folder / "answers.jsonl").write_text(LINE)
    (inbox.folder / "clinic").mkdir()
    (inbox.folder / "clinic" / "answers.jsonl").write_text(LINE)
    names = ["answers.jsonl", "answers.jsonl.results", "clinic", "clinic.results"]
    assert inbox.settle() == names
    for results in (inbox.folder / names[1], inbox.folder / names[3]):
        assert sorted(os.listdir(results)) == ENTRIES
    with (results / "leaderboard.csv").open(newline="") as file:
        assert [row["system"] for row in csv.DictReader(file)] == ["'=cmd()", "b"]
    rows = json.loads((results / "leaderboard.json").read_text())
    assert [(row["system"], row["nugget_coverage"]) for row in rows] == [("=cmd()", 1.0), ("b", 0.0)]
    assert "<html" in (results / "report.html").read_text()
    assert inbox.taken == ["answers.jsonl", "clinic"]


def test_a_refusal_is_a_line_beside_the_file_until_the_file_is_mended(inbox: Watched) -> None:
    file = inbox.folder / "a.csv"
    file.write_text("x,y\n1,2\n")
    assert inbox.settle() == ["a.csv", "a.csv.refused.txt"]
    (said,) = (inbox.folder / "a.csv.refused.txt").read_text().splitlines()
    assert said.startswith(f"{file}:1: none of the columns is known: x, y; give")
    inbox.settle()
    assert inbox.taken == ["a.csv"]
    file.write_text("question_id,question,system,answer,nuggets\nq1,Why?,a,So.,So.\n")
    assert inbox.settle() == ["a.csv", "a.csv.results"]


def test_what_was_evaluated_is_not_evaluated_again_by_the_next_server(inbox: Watched, home: Path) -> None:
    file = inbox.folder / "a.jsonl"
    file.write_text(LINE)
    inbox.settle()
    os.utime(file, (1, 1))  # as a copy or a backup does; its content is the same
    later = Watched(inbox.folder, home)
    later.settle()
    assert (inbox.taken, later.taken) == (["a.jsonl"], [])
    file.write_text(LINE + LINE.replace('"a"', '"b"'))
    later.settle()
    assert later.taken == ["a.jsonl"]


def test_what_is_still_being_written_is_waited_for(inbox: Watched) -> None:
    folder = inbox.folder / "clinic"
    folder.mkdir()
    for name in (".hidden.jsonl", "a.jsonl.part", "b.csv.crdownload", "c.jsonl~"):
        (inbox.folder / name).write_text(LINE)
    inbox.settle()
    (folder / "answers.jsonl.part").write_text(LINE)
    inbox.settle()
    assert inbox.taken == []
    (folder / "answers.jsonl.part").rename(folder / "answers.jsonl")
    inbox.settled_s = 60.0
    with (inbox.folder / "d.jsonl").open("w") as file:
        for _ in range(4):
            file.write(LINE)
            file.flush()
            inbox.settle()
    assert inbox.taken == []
    inbox.settled_s = 0.02
    inbox.settle()
    assert inbox.taken == ["clinic", "d.jsonl"]


def link_to(target: Path) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("link.jsonl", link_to(Path(__file__)), "it is or holds a link or a device"),
        ("folder", lambda path: (path.mkdir(), (path / "answers.jsonl").symlink_to(__file__)), "it is or holds a link or a device"),
        ("pipe.jsonl", os.mkfifo, "it is or holds a link or a device"),
        ("two\nlines.jsonl", lambda path: path.write_text(LINE), "its name is no readable text in UTF-8: rename it"),
        (os.fsdecode(b"latin-\xe9.jsonl"), lambda path: path.write_text(LINE), "its name is no readable text in UTF-8: rename it"),
        ("a.jsonl", lambda path: (path.write_text(LINE), path.with_name("a.jsonl.results").mkdir(), path.with_name("a.jsonl.results").joinpath("mine").touch()), "a.jsonl.results is in the way"),
        ("b.jsonl", lambda path: (path.write_text(LINE), path.with_name("b.jsonl.results").symlink_to("/etc")), "b.jsonl.results is in the way"),
    ],
)  # fmt: skip
def test_what_leads_elsewhere_or_is_in_the_way_is_refused(
    inbox: Watched, name: str, make: Callable[[Path], None], said: str
) -> None:
    make(inbox.folder / name)
    outside = inbox.folder.parent / "outside"
    (inbox.folder / f"{name}.refused.txt").symlink_to(outside)
    inbox.settle()
    assert name not in inbox.taken
    refused = inbox.folder / f"{name}.refused.txt"
    assert not refused.is_symlink()
    assert refused.read_text().startswith(said)
    assert not outside.exists()
    mine = inbox.folder / "a.jsonl.results" / "mine"
    assert mine.exists() == (name == "a.jsonl")


@pytest.mark.parametrize("name", ["-rf --judge x.jsonl", "a::memory:b.jsonl", "$(id);'\".jsonl", "ä b\u202f.jsonl", "n" * 249 + ".jsonl"])  # fmt: skip
def test_names_that_look_like_something_else_are_names(inbox: Watched, name: str) -> None:
    (inbox.folder / name).write_text(LINE)
    results = beside(name, ".results")
    assert results in inbox.settle()
    assert sorted(os.listdir(inbox.folder / results)) == ENTRIES
    assert len(os.fsencode(results)) <= 255


def test_an_item_that_cannot_be_told_of_keeps_no_other_from_being_evaluated(
    inbox: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate = inbox.evaluate

    def gone(path: Path, key: str) -> Ended:
        if path.name == "a.jsonl":
            raise ConnectionRefusedError(111, "Connection refused")
        return evaluate(path, key)

    inbox.evaluate = gone
    for name in ("a.jsonl", "b.jsonl"):
        (inbox.folder / name).write_text(LINE)
    assert inbox.settle() == ["a.jsonl", "b.jsonl", "b.jsonl.results"]
    inbox.evaluate = evaluate
    assert "a.jsonl.results" in inbox.settle()
    said = capsys.readouterr().err
    assert "inbox: a.jsonl: the system: Connection refused" in said
    assert "Traceback" not in said
