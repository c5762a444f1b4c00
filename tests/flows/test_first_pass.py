"""The encoder's results first: a run of its own, whose verdicts the cascade uses."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from medassay.flows import first_pass
from medassay.models import nli
from medassay.models.nli import describe_entailment
from medassay.models.nli.cascade import Cascade
from medassay.models.nli.labels import Pair
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.sql.snapshot import read_results
from medassay.tasks.pipeline import execute
from medassay.tasks.publish import publish_snapshot, write_report
from medassay.tasks.run import started_run

ROW = {
    "question_id": "q1",
    "question": "Does rest help an ankle?",
    "nuggets": ["Rest helps an ankle"],
    "system": "s",
    "answer": "A pause is good for an ankle [doc-1].",
    "documents": [{"id": "doc-1", "text": "An ankle gains from a pause."}],
}


class Same:
    """A reader that says one thing to every pair, and counts how often it is asked."""

    pairs_at_once = 8

    def __init__(self, name: str, verdict: PairVerdict) -> None:
        self.fingerprint = {"name": name, "reading": {}, "dtype": "float32"}
        self.verdict, self.asked = verdict, 0

    def score(self, pairs: Sequence[Pair], on_progress: object = None) -> list[PairVerdict]:
        self.asked += len(pairs)
        return [self.verdict for _ in pairs]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    data = tmp_path / "rows.jsonl"
    data.write_text(json.dumps(ROW) + "\n", "utf-8")
    return Settings(str(data), judge="none", reader="cascade", offline=True, run_name="examples")


@pytest.mark.usefixtures("needs_the_embedder")
def test_the_first_pass_stands_until_the_cascade_has_read_what_was_open(
    home: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Same(describe_entailment("embedded")["model"], PairVerdict(0.2, 0.6, 0.2))
    language_model = Same("reader", PairVerdict(0.98, 0.01, 0.01))
    readers = {"embedded": encoder, "cascade": Cascade(encoder, language_model)}
    monkeypatch.setattr(nli, "load_entailment", lambda spec, **_: readers[spec])

    first = first_pass.evaluate_first(settings, home, wait=False)
    assert "A first pass, read by the encoder alone" in Path(first["report"]).read_text("utf-8")
    assert read_results(home, "select run_id, name, state from latest_run") == [
        {"run_id": first["run_id"], "name": "examples (first pass)", "state": "finished"}
    ]
    n_read = encoder.asked
    assert n_read > 0 == language_model.asked

    with started_run(home, settings) as run:
        execute(run)
        publish_snapshot(run)
        report = write_report(home, run.run_id)
    assert encoder.asked == n_read
    assert language_model.asked > 0
    assert "A first pass" not in report.read_text("utf-8")
    assert read_results(home, "select name from latest_run") == [{"name": "examples"}]
    changed = first_pass.changes(home, first["run_id"], run.run_id)
    assert changed == {
        "run_id": first["run_id"],
        "n_nuggets": 1,
        "n_nuggets_changed": 1,
        "n_citations": 1,
        "n_citations_changed": 1,
    }
    assert first_pass.told(changed) == (
        "against the first pass 1 of 1 nugget state and 1 of 1 citation verdict changed"
    )


@pytest.mark.parametrize(
    ("asked", "chosen", "machine", "on_terminal", "wanted"),
    [
        (None, {}, False, True, True),
        (None, {}, False, False, False),
        (None, {}, True, True, False),
        (True, {}, True, False, True),
        (False, {}, False, True, False),
        (True, {"reader": "encoder"}, False, True, False),
        (True, {"on": "prefect:gpu"}, False, True, False),
        (True, {"llm": "http://127.0.0.1:9/v1#m"}, False, True, False),
    ],
)
def test_the_encoder_reads_first_on_a_terminal_or_where_it_is_asked_to(
    asked: bool | None,
    chosen: dict[str, str],
    machine: bool,
    on_terminal: bool,
    wanted: bool,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("PREFECT_PROFILES_PATH", str(tmp_path / "profiles.toml"))
    monkeypatch.chdir(tmp_path)
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: on_terminal)
    assert first_pass.is_wanted(asked, settings.but(**chosen), machine=machine) is wanted
