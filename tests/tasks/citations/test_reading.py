"""Who reads pairs, and under whose name the verdicts stand."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import medassay.models.nli as entailment_models
from medassay.models.keys import text_key
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.models.text.claims.parts import claim_parts
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.joint import joint
from tests.tasks.citations.test_joint import CLAIM, LISTED, UNSAID, YES, fill, scored


@pytest.fixture
def run(home: Path) -> Any:
    with started_run(home, Settings("d")) as begun:
        yield begun


class Hub:
    """A hub whose model may change, and the copy of it that is on this machine."""

    def __init__(self) -> None:
        self.commit, self.here, self.n_read = "a", None, 0
        self.pairs_at_once = 64

    def config(self, name: str) -> Any:
        return SimpleNamespace(_commit_hash=self.here) if self.here else None

    def load(self, spec: str, **_: Any) -> "Hub":
        self.here = self.here or self.commit
        self.fingerprint = {"name": spec[3:]}
        return self

    def score(self, pairs: Sequence[Any], _: Any) -> list[PairVerdict]:
        self.n_read += len(pairs)
        return [PairVerdict(*(YES if self.here == "a" else UNSAID)) for _ in pairs]


def asked_of_a_hub(home: Path, hub: Hub) -> tuple[str, str, int]:
    """Run the stage; return who its verdicts are pinned to, what the source says, and how many pairs were read."""
    before = hub.n_read
    with started_run(home, Settings("d", reader="hf:some/nli")) as run:
        fill(run, {CLAIM: ["pmid:1"]}, {"pmid:1": ["One."]}, {})
        entail.run(run)
        pinned = run.warehouse.value(
            "select spec ->> 'weights' from fingerprint where fingerprint = pinned('entail')"
        )
        return pinned, run.warehouse.value("select state from source_verdict"), hub.n_read - before


def test_a_model_that_was_only_now_fetched_gives_its_verdicts_under_its_own_commit(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub()
    monkeypatch.setattr("medassay.models.nli.loading._config_of", hub.config)
    monkeypatch.setattr(entailment_models, "load_entailment", hub.load)
    assert asked_of_a_hub(home, hub) == ("commit:a", "supports", 1)
    assert asked_of_a_hub(home, hub) == ("commit:a", "supports", 0)
    hub.commit, hub.here = "b", None
    assert asked_of_a_hub(home, hub) == ("commit:b", "neutral", 1)


def test_a_replacement_does_not_answer_under_another_models_name(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub()
    monkeypatch.setattr(entailment_models, "load_entailment", lambda *_, **__: hub.load("hf:in/its-place"))
    with started_run(home, Settings("d", reader="hf:some/nli")) as run:
        sources = {"pmid:1": ["One."], "pmid:2": ["Two."]}
        fill(run, {CLAIM: [*sources]}, sources, {("One.", CLAIM): UNSAID, ("Two.", CLAIM): UNSAID})
        entail.run(run)
        joint.run(run)
        (outcome,) = run.warehouse.rows("select state, reason from outcome where stage = 'joint'")
        assert outcome == {
            "state": "failed",
            "reason": "some/nli, whose verdicts this run has, cannot be loaded, and in/its-place may not answer for it",
        }
        assert run.warehouse.value("select count(*) from pair_score") == 2
    assert hub.n_read == 0


def test_a_verdict_that_came_without_its_texts_gets_them(run: RunRef) -> None:
    together = {("One.\nTwo.", CLAIM): YES, ("One.", CLAIM): UNSAID, ("Two.", CLAIM): UNSAID}
    fill(run, {CLAIM: ["pmid:1", "pmid:2"]}, {"pmid:1": ["One."], "pmid:2": ["Two."]}, together)
    run.warehouse.execute("delete from text where text_key = ?", [text_key("One.\nTwo.")])
    joint.run(run)
    scored(run)
    missing = "select count(*) from mart.joint_reading where premise_key not in (select text_key from text)"
    assert run.warehouse.value(missing) == 0


def test_a_part_that_is_not_read_leaves_the_whole_claim_tested(
    run: RunRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = claim_parts(LISTED)[1]

    def reader(_: Any) -> Any:
        refused = PairVerdict(None, None, None, reason="the model refused")
        return lambda rows: iter(
            [[(r, refused if r["hypothesis"] == part else PairVerdict(*UNSAID)) for r in rows]]
        )

    monkeypatch.setattr("medassay.tasks.nli.reading.reader_for", reader)
    fill(
        run,
        {LISTED: ["pmid:1", "pmid:2"], CLAIM: ["pmid:1"]},
        {"pmid:1": ["One."], "pmid:2": ["Two."]},
        {("One.", LISTED): UNSAID, ("Two.", LISTED): UNSAID, ("One.", CLAIM): YES},
    )
    joint.run(run)
    assert scored(run)["alce_recall"] == 1 / 2
    claims = run.warehouse.rows("select joint_entailment, joint_reason from mart.claim order by claim_id")
    assert claims[0] == {"joint_entailment": UNSAID[0], "joint_reason": None}


def test_a_claim_with_one_open_source_says_that_it_is_open(run: RunRef) -> None:
    cited = {CLAIM: ["pmid:1", "pmid:9"]}
    fill(run, cited, {"pmid:1": ["One."]}, {("One.", CLAIM): UNSAID}, states={"pmid:9": "unverifiable"})
    joint.run(run)
    scored(run)
    reasons = run.warehouse.rows(
        "select metric, reason from new_score where metric in ('citation_recall', 'alce_recall')"
    )
    assert {row["metric"]: row["reason"] for row in reasons} == {
        "citation_recall": "each claim cites a source that could not be checked, and none that supports it",
        "alce_recall": "each claim cites a source that could not be checked",
    }
