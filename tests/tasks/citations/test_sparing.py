"""Pairs that the language model of a cascade does not read, since they cannot change a nugget's state."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import medassay.models.nli as entailment_models
from medassay.models.keys import content_key
from medassay.models.nli.cascade import SETTLED_AT, Cascade
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.shortlist import shortlist
from tests.rows import give_answer

SURE, OPEN, AGAINST, BESIDE = (0.95, 0.04, 0.01), (0.5, 0.4, 0.1), (0.2, 0.2, 0.6), (0.1, 0.85, 0.05)
Pair = tuple[str, str]


class Reader:
    """Gives the verdicts that it was made with, and keeps what it was asked."""

    pairs_at_once = 2

    def __init__(self, verdicts: Mapping[Pair, tuple[float, float, float]]) -> None:
        self.fingerprint = {"name": "reader", "dtype": "float32", "reading": {}}
        self.verdicts, self.asked = verdicts, list[Pair]()

    def score(self, pairs: Sequence[Pair], on_progress: Any = None) -> list[PairVerdict]:
        self.asked += pairs
        return [PairVerdict(*self.verdicts.get(pair, OPEN)) for pair in pairs]


def described(spec: str, **_: Any) -> dict[str, Any]:
    """Return what stands for the models in fingerprints."""
    if spec == "embedded":
        return {"model": "embedded"}
    verdicts = content_key({"stage": "entail", "model": "embedded"})
    return {"model": spec, "settled_at": SETTLED_AT, "encoder_verdicts": verdicts}


def shortlisted(run: RunRef, pairs: Sequence[Pair]) -> None:
    """Write an answer whose windows are to be read against nuggets."""
    warehouse = run.warehouse
    give_answer(warehouse, run.run_id, "An answer.", nugget_set_key="n")
    warehouse.insert("nugget_set", [{"nugget_set_key": "n", "origin": "given", "created_at": "2026-01-01"}])
    counts = dict.fromkeys(("n_claims", "n_non_claims", "n_characters", "n_characters_covered"), 1)
    taken_apart = {"answer_key": "a", "fingerprint": decompose.pin(run), **counts, "has_references": False}
    warehouse.insert("decomposition", [taken_apart])
    key = {"answer_key": "a", "nugget_set_key": "n", "fingerprint": shortlist.pin(run)}
    warehouse.append("shortlist_pair", [{**key, "premise_key": p, "hypothesis_key": h} for p, h in pairs])
    texts = sorted({text for pair in pairs for text in pair})
    warehouse.insert("text", [{"text_key": text, "text": text} for text in texts])


def test_a_window_is_not_read_where_the_encoder_is_sure_of_another(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = {
        ("states it", "one"): SURE, ("open", "one"): OPEN, ("against", "one"): AGAINST, ("beside", "one"): BESIDE,
        ("open", "two"): OPEN, ("beside", "two"): BESIDE,
    }  # fmt: skip
    encoder, language_model = Reader(first), Reader({})
    monkeypatch.setattr(entailment_models, "describe_entailment", described)
    monkeypatch.setattr(
        entailment_models, "load_entailment", lambda *_, **__: Cascade(encoder, language_model)
    )
    with started_run(home, Settings("d", reader="cascade")) as run:
        shortlisted(run, list(first))
        report = entail.run(run)
        assert sorted(encoder.asked) == sorted(first)
        assert sorted(language_model.asked) == [("against", "one"), ("open", "two")]
        assert (report["n_pending"], report["n_done"], report["n_failed"]) == (6, 6, 0)
        assert run.warehouse.value("select n_read from match_items") == 5
        assert entail.count(run)[:2] == (5, 0)


def test_the_encoders_verdicts_are_its_own_and_read_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder, language_model = Reader({("p", "h"): SURE}), Reader({})
    monkeypatch.setattr(entailment_models, "describe_entailment", described)
    monkeypatch.setattr(
        entailment_models, "load_entailment", lambda *_, **__: Cascade(encoder, language_model)
    )
    with started_run(home, Settings("d", reader="cascade")) as run:
        shortlisted(run, [("p", "h")])
        entail.run(run)
        run.warehouse.execute("delete from pair_score where fingerprint = pinned('entail')")
        entail.run(run)
        assert run.warehouse.rows(
            "select entailment, reader from pair_score order by reader nulls first"
        ) == [{"entailment": 0.95, "reader": None}, {"entailment": 0.95, "reader": "encoder"}]
    assert encoder.asked == [("p", "h")]
