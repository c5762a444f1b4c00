"""Which pairs are read, matcher by matcher: a list that one matcher wants is no other's."""

from pathlib import Path

import pytest

from medassay.models.settings import Settings
from medassay.sql.warehouse import Row
from medassay.tasks.run import started_run
from medassay.tasks.stages.shortlist import shortlist
from tests.rows import give_answer

CHOICES = {
    "plain": {"matcher": "cosine"},
    "strict": {"matcher": "cosine", "threshold": 0.9},
    "reader": {"matcher": "combined", "reader": "llm"},
    "reader, strict": {"matcher": "combined", "threshold": 0.9, "reader": "llm"},
}


def shortlisted(home: Path, **chosen: object) -> tuple[str, list[Row]]:
    """Choose pairs for one answer of one claim, whose cosine with the only nugget is 0.8; return them and their name."""
    with started_run(home, Settings("d", **chosen)) as run:  # type: ignore[arg-type]
        warehouse, own = run.warehouse, {"run_id": run.run_id}
        for stage in ("decompose", "embed"):
            warehouse.insert("run_stage", [{**own, "stage": stage, "fingerprint": stage}])
        texts = {"c": "Rest helps.", "n": "It helps to rest."}
        warehouse.insert("text", [{"text_key": key, "text": text} for key, text in texts.items()])
        give_answer(warehouse, run.run_id, "Rest helps.", nugget_set_key="s")
        warehouse.insert(
            "nugget_set", [{"nugget_set_key": "s", "origin": "given", "created_at": "2026-01-01"}]
        )
        nugget = {"nugget_set_key": "s", "position": 0, "text_key": "n", "importance": "vital"}
        warehouse.insert("nugget", [{**nugget, "origin": "given", "made_by": "the data"}])
        of_answer = {"answer_key": "a", "fingerprint": "decompose"}
        counts = {"n_claims": 1, "n_non_claims": 0, "n_characters": 11, "n_characters_covered": 11}
        warehouse.insert("decomposition", [{**of_answer, **counts, "has_references": False}])
        place = {"position": 0, "text_key": "c", "span_start": 0, "span_end": 11}
        warehouse.insert("claim", [{**of_answer, **place, "kind": "claim", "needs_citation": True}])
        vectors = {"c": [1.0, 0.0], "n": [0.8, 0.6]}
        warehouse.insert(
            "embedding",
            [{"text_key": key, "fingerprint": "embed", "vector": vector} for key, vector in vectors.items()],
        )
        shortlist.run(run)
        name = str(warehouse.value("select pinned('shortlist')"))
        pairs = warehouse.rows(
            "select premise_key, hypothesis_key from shortlist_pair where fingerprint = ? order by all",
            [name],
        )
    return name, pairs


@pytest.mark.parametrize(("first", "n_pairs"), [("plain", 1), ("strict", 0)])
def test_what_the_plain_rule_read_is_not_taken_for_what_the_reader_reads(
    home: Path, first: str, n_pairs: int
) -> None:
    _, plain = shortlisted(home, **CHOICES[first])
    _, read = shortlisted(home, **CHOICES["reader"])
    assert (len(plain), len(read)) == (n_pairs, 1)
