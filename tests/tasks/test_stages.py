"""The stage machinery, without Prefect: pending is an anti-join, and what failed is asked again."""

import subprocess
import sys
from pathlib import Path

import pytest

from medassay.models.attribution import LLM
from medassay.models.settings import Settings
from medassay.sql.home import WarehouseError
from medassay.tasks.run import HomeBusy, RunRef, home_lock, started_run
from medassay.tasks.stages.stage import Stage, Step, Unfinished
from tests.rows import give_answer


def texts(run: RunRef, *names: str) -> None:
    """Give a run answers of these texts."""
    for name in names:
        give_answer(run.warehouse, run.run_id, name, answer_key=name, text_key=name, system=name)


def decomposing(asked: list[str], refuse: tuple[str, ...] = ()) -> Stage:
    """A stage that notes what it was asked, and fails for some."""

    def work(step: Step) -> None:
        for row in step.pending():
            asked.append(row["item_key"])
            if row["item_key"] in refuse:
                step.set_aside(row["item_key"], "failed", "the server is down")
                continue
            step.warehouse.insert(
                "decomposition",
                [
                    {
                        "answer_key": row["item_key"], "fingerprint": step.fingerprint, "n_claims": 0,
                        "n_non_claims": 0, "n_characters": 0, "n_characters_covered": 0, "has_references": False,
                    }
                ],
            )  # fmt: skip

    return Stage("decompose", work, lambda settings: {"profile": settings.profile}, LLM)


def test_only_what_is_new_is_done(home: Path) -> None:
    asked: list[str] = []
    stage = decomposing(asked)
    with started_run(home, Settings("d")) as run:
        texts(run, "a", "b")
        report = stage.run(run)
    assert (report["n_items"], report["n_pending"], report["n_done"], report["n_failed"]) == (2, 2, 2, 0)
    with started_run(home, Settings("d")) as run:
        texts(run, "a", "b", "c")
        stage.run(run)
    assert asked == ["a", "b", "c"]


def test_another_fingerprint_asks_again(home: Path) -> None:
    asked: list[str] = []
    stage = decomposing(asked)
    for settings in (Settings("d"), Settings("d", profile="trec")):
        with started_run(home, settings) as run:
            texts(run, "a")
            stage.run(run)
    assert asked == ["a", "a"]


def test_a_retry_asks_only_for_what_failed(home: Path) -> None:
    asked: list[str] = []
    with started_run(home, Settings("d")) as run:
        texts(run, "a", "b")
        with pytest.raises(Unfinished, match="1 of 2 failed, first: the server is down"):
            decomposing(asked, refuse=("b",)).run(run, last_attempt=False)
        report = decomposing(asked).run(run)
        assert run.warehouse.rows("from outcome") == []
    assert asked == ["a", "b", "b"]
    assert report["n_failed"] == 0


def test_what_an_earlier_run_was_told_is_in_the_account_of_a_later_one(home: Path) -> None:
    def work(step: Step) -> None:
        for row in step.pending():
            step.set_aside(row["item_key"], "abstained", "the model refused", attempts=2)

    found = []
    for does in (work, lambda step: None):
        with started_run(home, Settings("d")) as run:
            texts(run, "a")
            report = Stage("decompose", does, lambda settings: {"profile": settings.profile}, LLM).run(run)
            (row,) = run.warehouse.rows("from outcome where run_id = ?", [run.run_id])
            found.append((report["n_abstained"], row["state"], row["reason"], row["attempts"]))
    assert found == [(1, "abstained", "the model refused", 2)] * 2


def test_what_a_retry_did_is_no_longer_in_the_account_of_later_runs(home: Path) -> None:
    asked: list[str] = []

    def refuse(step: Step) -> None:
        for row in step.pending():
            step.set_aside(row["item_key"], "abstained", "the model refused")

    def told(does: Stage, *, retry: bool = False) -> int:
        with started_run(home, Settings("d", retry=retry)) as run:
            texts(run, "a")
            report = does.run(run)
            assert report["n_abstained"] == run.warehouse.value(
                "select count(*) from outcome where run_id = ?", [run.run_id]
            )
            return int(report["n_abstained"])

    refusing = Stage("decompose", refuse, lambda settings: {"profile": settings.profile}, LLM)
    assert told(refusing) == 1
    assert told(decomposing(asked), retry=True) == 0
    assert told(decomposing(asked)) == 0
    with started_run(home, Settings("d")) as run:
        run.warehouse.execute("delete from decomposition")
    assert told(refusing) == 1
    assert told(refusing) == 1


def test_a_home_holds_one_run(home: Path) -> None:
    with home_lock(home, "first"), pytest.raises(HomeBusy, match="is held by run first, process"):
        with home_lock(home, "second", wait=False):
            pass


@pytest.mark.skipif(sys.platform != "linux", reason="a file that nobody may write, root neither, is Linux's")
def test_a_home_that_may_only_be_read_says_what_can_be_done_there(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "lock").symlink_to("/proc/sys/kernel/ostype")
    with pytest.raises(WarehouseError, match="may only be read here.*set MEDASSAY_HOME to a copy"):
        with home_lock(home, "first"):
            pass


def test_who_comes_next_can_open_the_home_while_the_process_before_it_lives(home: Path) -> None:
    with started_run(home, Settings("d")):
        pass
    command = (
        "import sys; from pathlib import Path; from medassay.sql.warehouse import warehouse_at;"
        " print(warehouse_at(Path(sys.argv[1])).value('select count(*) from run'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", command, str(home)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr
