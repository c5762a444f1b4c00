"""Parts of whole questions: evaluated elsewhere they give the marts of one process; what is wrong is refused."""

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from medassay.flows.engines.here import Processes
from medassay.flows.engines.prefect_pool import EngineUnavailable
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row, close_warehouse
from medassay.tasks.parts import evaluating
from medassay.tasks.parts.evaluating import evaluate_part
from medassay.tasks.parts.executor import PartsExecutor, travelling
from medassay.tasks.parts.merging import merge_part
from medassay.tasks.parts.part import IN, MANIFEST, OUT, PartRefused, Place, asked_of, done_of
from medassay.tasks.parts.writing import split_questions, write_part
from medassay.tasks.pipeline import IN_PROCESS, execute
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.order import STAGES
from tests.rows import write_tables
from tests.runs import Told, read_in

pytestmark = pytest.mark.usefixtures("needs_the_embedder")
FACTS = (
    "Metformin lowers glucose.",
    "Aspirin thins the blood.",
    "Rest helps a cold.",
    "Water boils at 100 degrees.",
)


@pytest.fixture
def data(tmp_path: Path) -> str:
    """Four questions with nuggets and cited documents, two systems."""
    questions = [
        {"question_id": f"q{n}", "question": f"What about {fact.split()[0].lower()}?", "nuggets": [fact]}
        for n, fact in enumerate(FACTS)
    ]
    answers = [
        {
            "question_id": f"q{n}",
            "system": system,
            "answer": f"{fact} [d{n}]" if system == "cites" else FACTS[0],
        }
        for n, fact in enumerate(FACTS)
        for system in ("cites", "repeats")
    ]
    documents = [{"document_id": f"d{n}", "title": f"On {n}", "text": fact} for n, fact in enumerate(FACTS)]
    return str(write_tables(tmp_path / "data", questions=questions, answers=answers, documents=documents))


def settings_of(data: str) -> Settings:
    return Settings(data, reader="none", judge="none", matcher="cosine", offline=True)


class Inline:
    """Evaluates parts in this process, and can fail, do them twice, or not be asked at all."""

    n_parts = 3
    leaves_parts = False

    def __init__(self, fail: int = 0) -> None:
        self.seen: list[Place] = []
        self._fail = fail

    def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
        for number, part in enumerate(parts):
            self.seen.append(part)
            if number < self._fail:
                yield part, "the worker went away"
                continue
            evaluate_part(part.url)
            evaluate_part(part.url)
            yield part, None


def marts(run: RunRef) -> dict[str, list[Row]]:
    """Return what a run froze, without its name and its times."""
    tables = run.warehouse.rows(
        "select table_name from duckdb_columns() where schema_name = 'mart' and column_name = 'run_id'"
    )
    untimed = "* exclude (run_id)"
    found = {}
    for table in sorted(row["table_name"] for row in tables):
        rows = run.warehouse.rows(
            f"select {untimed} from mart.{table} where run_id = ? order by all", [run.run_id]
        )
        found[table] = [{k: v for k, v in row.items() if not k.endswith("_at")} for row in rows]
    return found


def evaluated(
    home: Path, settings: Settings, engine: Any
) -> tuple[dict[str, list[Row]], list[str], list[Row]]:
    told = Told()
    from medassay.tasks.progress import watched_by

    with watched_by(told), started_run(home, settings) as run:
        executor = PartsExecutor(IN_PROCESS, engine, Place(str(home / "parts"))) if engine else IN_PROCESS
        execute(run, executor)
        stages = run.warehouse.rows(
            "select stage, n_items, n_done from run_stage where run_id = ? order by stage", [run.run_id]
        )
        found = marts(run)
    close_warehouse(home)
    return found, [line for line in told.lines if "part" in line], stages


def test_parts_give_the_marts_of_one_process(home: Path, tmp_path: Path, data: str) -> None:
    whole, _, stages = evaluated(home, settings_of(data), None)
    engine = Inline()
    other = tmp_path / "other"
    cut, said, of_parts = evaluated(other, settings_of(data), engine)
    assert cut == whole
    # A text that two parts share is embedded in both.
    counts, of_one = (
        {row["stage"]: (row["n_items"], row["n_done"]) for row in some} for some in (of_parts, stages)
    )
    assert (said, counts.pop("embed"), of_one.pop("embed")) == ([], (8, 10), (8, 8))
    assert counts == of_one
    assert len(engine.seen) == 3
    assert list((other / "parts").iterdir()) == []
    assert sum(len(rows) for rows in whole.values()) > 100
    # The same data again: nothing is sent.
    again = Inline()
    assert evaluated(other, settings_of(data), again)[0].keys() == whole.keys()
    assert again.seen == []


def test_what_does_not_come_back_is_done_here(home: Path, tmp_path: Path, data: str) -> None:
    whole, _, _ = evaluated(home, settings_of(data), None)
    cut, said, _ = evaluated(tmp_path / "other", settings_of(data), Inline(fail=2))
    assert cut == whole
    assert said == ["a part did not come back (the worker went away): its questions are evaluated here"] * 2


def test_processes_evaluate_parts(home: Path, tmp_path: Path, data: str) -> None:
    whole, _, _ = evaluated(home, settings_of(data), None)
    cut, said, _ = evaluated(tmp_path / "other", settings_of(data), Processes(2))
    assert (cut, said) == (whole, [])


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_ray_actors_evaluate_parts(home: Path, tmp_path: Path, data: str) -> None:
    from medassay.flows.engines.ray_actors import RayActors

    whole, _, _ = evaluated(home, settings_of(data), None)
    cut, said, _ = evaluated(tmp_path / "other", settings_of(data), RayActors(None))
    assert (cut, said) == (whole, [])


def test_a_ray_that_was_imported_without_its_token_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    from medassay.flows.engines.ray_actors import RayActors

    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False))
    with pytest.raises(EngineUnavailable, match="imported before its token was set"):
        RayActors(None)


@pytest.fixture
def written(home: Path, tmp_path: Path, data: str) -> Iterator[tuple[RunRef, Place]]:
    """A run up to what travels, and one part of all its questions."""
    settings = settings_of(data)
    with read_in(home, settings) as run:
        for stage in STAGES:
            if not stage.travels(settings):
                IN_PROCESS.run_stage(stage, run)
            if stage.name == "fetch":
                break
        for stage in STAGES:
            stage.pin(run)
        (questions,) = split_questions(run, 1)
        yield run, write_part(run, questions, travelling(settings), Place(str(tmp_path / "parts")))


def test_a_part_holds_its_questions_and_nothing_of_people_or_replies(written: tuple[RunRef, Place]) -> None:
    run, place = written
    asked = asked_of(place)
    assert (asked.run_id, asked.n_questions) == (run.run_id, 4)
    assert asked.stages == ("embed", "retrieve", "shortlist", "entail", "joint", "match", "guidance")
    tables = {file.stem for file in (Path(place.url) / IN).glob("*.parquet")}
    assert {"question", "answer", "claim", "passage", "text", "run_source"} <= tables
    assert not tables & {"model_call", "human_score", "source_body", "judgement", "phi_audit"}


def test_a_part_of_other_code_or_models_is_refused_and_none_is_named(
    written: tuple[RunRef, Place], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run, place = written
    with pytest.raises(PartRefused, match="no part lies there"):
        evaluate_part(str(tmp_path / "nowhere"))
    with pytest.raises(PartRefused, match="nothing came back"):
        merge_part(run, place)
    with monkeypatch.context() as patched:
        patched.setattr(evaluating, "code_digest", lambda: "another")
        with pytest.raises(PartRefused, match="made by another version of MedAssay"):
            evaluate_part(place.url)
    manifest = Path(place.url) / IN / MANIFEST
    asked = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**asked, "fingerprints": {**asked["fingerprints"], "embed": "another"}}))
    with pytest.raises(
        PartRefused, match=r"other models are on this machine than the part asks for \(embed\)"
    ):
        evaluate_part(place.url)
    assert done_of(place) is None
    manifest.write_text(json.dumps(asked))
    evaluate_part(place.url)
    of_others = Path(place.url) / OUT / MANIFEST
    done = json.loads(of_others.read_text())
    of_others.write_text(json.dumps({**done, "fingerprints": {**done["fingerprints"], "match": "another"}}))
    with pytest.raises(PartRefused, match=r"evaluated by other code or models \(match\)"):
        merge_part(run, place)
    assert run.warehouse.value("select count(*) from embedding") == 0
    of_others.write_text(json.dumps(done))
    for _ in range(2):
        merge_part(run, place)
    assert run.warehouse.value("select count(*) from match_made") == 8


def test_a_truncated_part_changes_nothing(written: tuple[RunRef, Place]) -> None:
    run, place = written
    evaluate_part(place.url)
    file = Path(place.url) / OUT / "nugget_match.parquet"
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(PartRefused, match="what came back cannot be read"):
        merge_part(run, place)
    assert run.warehouse.value("select count(*) from embedding") == 0


def test_what_a_killed_run_left_evaluated_is_taken_in(home: Path, data: str, tmp_path: Path) -> None:
    settings, left = settings_of(data), tmp_path / "left"

    class Killed(Inline):
        def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
            for part in parts:
                evaluate_part(part.url)
            shutil.copytree(home / "parts", left)
            raise KeyboardInterrupt
            yield

    with pytest.raises(KeyboardInterrupt):
        evaluated(home, settings, Killed())
    close_warehouse(home)
    shutil.copytree(left, home / "parts", dirs_exist_ok=True)
    unasked = Inline()
    found, said, _ = evaluated(home, settings, unasked)
    assert (unasked.seen, said) == ([], [])
    assert len(found["nugget_state"]) == 8
