"""Rows in → rows out: what the score views make of states, claims and citations."""

import pytest

from medassay.sql.warehouse import Warehouse
from tests.rows import answer_row, citation_row, claim_row, give_answer, run_row

RUN = {"run_id": "r", "question_id": "q", "system": "s"}


def begin(warehouse: Warehouse) -> None:
    warehouse.insert("run", [run_row(state="running", settings='{"sort_by": "nugget_coverage"}')])
    warehouse.focus("r")


def question(
    warehouse: Warehouse, states: list[tuple[str, str | None]], vital: int = 0, name: str = "q"
) -> None:
    """Nuggets by (state, the claim given to it one-to-one); the first `vital` of them are vital."""
    warehouse.append(
        "mart.question", [{"run_id": "r", "question_id": name, "question": "?", "n_nuggets": len(states)}]
    )
    warehouse.append(
        "mart.nugget",
        [
            {
                "run_id": "r", "question_id": "q", "nugget_id": f"n{i + 1}", "position": i, "text_key": "t",
                "importance": "vital" if i < vital else "okay", "origin": "given",
            }
            for i in range(len(states))
        ],
    )  # fmt: skip
    warehouse.append(
        "mart.nugget_state",
        [
            {
                **RUN, "nugget_id": f"n{i + 1}", "state": state, "claim_ids": [], "one_to_one": one_to_one,
                "conflict": False, "ambiguous": False, "contrasts": "[]",
            }
            for i, (state, one_to_one) in enumerate(states)
        ],
    )  # fmt: skip


def answer(
    warehouse: Warehouse,
    state: str = "answered",
    claims: list[list[tuple[str, str | None]]] = (),
    to: str = "q",
) -> None:
    """An answer to a question with claims, each with its citations as (state, source)."""
    warehouse.append("mart.answer", [answer_row(to, state=state, n_claims=len(claims))])
    warehouse.append(
        "mart.claim", [claim_row(to, claim_id=f"c{i + 1}", position=i) for i in range(len(claims))]
    )
    warehouse.append(
        "mart.citation",
        [
            citation_row(to, claim_id=f"c{i + 1}", ordinal=j, source_id=source, state=state)
            for i, citations in enumerate(claims)
            for j, (state, source) in enumerate(citations)
        ],
    )


def both(
    warehouse: Warehouse, profile: str = "seed"
) -> tuple[dict[str, float | None], dict[str, str | None]]:
    """Return the values of a profile's metrics, and their reasons."""
    rows = warehouse.rows("from new_score where profile in ($profile, 'any')", {"profile": profile})
    return {row["metric"]: row["value"] for row in rows}, {row["metric"]: row["reason"] for row in rows}


def scores(warehouse: Warehouse, profile: str = "seed") -> dict[str, float | None]:
    return both(warehouse, profile)[0]


def reasons(warehouse: Warehouse, profile: str = "seed") -> dict[str, str | None]:
    return both(warehouse, profile)[1]


METFORMIN = [("covered", "c1"), ("covered", "c2"), ("missing", None), ("covered", None), ("missing", None)]


def test_the_worked_example_of_metformin(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, METFORMIN, vital=2)
    answer(warehouse, claims=[[("supports", "pmid:1")], [("supports", "pmid:2")], []])
    found = scores(warehouse)
    assert {name: found[name] for name in ("completeness", "correctness", "precision", "recall")} == {
        "completeness": 3 / 5,
        "correctness": 2 / 3,
        "precision": 2 / 3,
        "recall": 2 / 5,
    }
    assert found["citation_coverage"] == 2 / 3
    assert found["nugget_coverage"] == 3 / 5
    assert found["factual_correctness"] == 1.0
    assert found["f1"] == pytest.approx(2 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5))


def test_profiles_read_the_same_rows(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(
        warehouse, [("covered", "c1"), ("partial", None), ("contradicted", "c2"), ("missing", None)], vital=2
    )
    answer(warehouse, claims=[[], []])
    trec = scores(warehouse, "trec")
    assert {name: trec[name] for name in ("vital", "vital_strict", "all", "all_strict", "weighted")} == {
        "vital": 0.75,
        "vital_strict": 0.5,
        "all": 0.375,
        "all_strict": 0.25,
        "weighted": 0.5,
    }
    bioace = scores(warehouse, "bioace")
    assert (bioace["precision"], bioace["recall"], bioace["completeness"]) == (1.0, 0.5, None)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("not_answered", "the system gave no answer"),
        ("empty", "the answer is empty"),
        ("refused", "the system refused to answer"),
    ],
)
def test_silence_does_not_pay(warehouse: Warehouse, state: str, why: str) -> None:
    begin(warehouse)
    question(warehouse, [("missing", None), ("missing", None)])
    answer(warehouse, state=state)
    found, missing = both(warehouse)
    zero = ("completeness", "recall", "nugget_coverage", "contradiction_rate")
    assert {name: found[name] for name in zero} == dict.fromkeys(zero, 0.0)
    absent = ("precision", "citation_coverage", "citation_recall", "f1")
    assert {name: (found[name], missing[name]) for name in absent} == dict.fromkeys(absent, (None, why))
    assert (found["correctness"], missing["correctness"]) == (None, "no nugget is aligned")
    assert (found["citation_precision"], missing["citation_precision"]) == (None, why)


def test_every_kind_of_citation_counts_where_it_should(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [("covered", "c1")])
    answer(
        warehouse,
        claims=[
            [("supports", "pmid:1"), ("contradicts", "pmid:2")],
            [("neutral", "pmid:3"), ("not_found", "pmid:4")],
            [("untraceable", None)],
            [("unverifiable", "pmid:5")],
            [],
        ],
    )
    found = scores(warehouse)
    assert {name: found[name] for name in found if "citation" in name or "_rate" in name} == {
        "contradiction_rate": 0.0,
        "context_contradiction_rate": None,
        "reference_contradiction_rate": None,
        "conversation_contradiction_rate": None,
        "unsaid_rate": None,
        "citation_precision": 1 / 5,
        "citation_precision_low": 1 / 6,
        "citation_precision_high": 2 / 6,
        "citation_recall": 1 / 5,
        "citation_recall_low": 1 / 5,
        "citation_recall_high": 2 / 5,
        "citation_coverage": 3 / 5,
        "citation_contradiction_rate": 1 / 3,
        "not_found_rate": 1 / 6,
        "untraceable_rate": 1 / 6,
        "unverifiable_rate": 1 / 6,
        "over_citation_rate": None,
        "under_citation_rate": 2 / 5,
    }


def test_a_question_without_nuggets_has_reasons_not_zeros(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [])
    answer(warehouse, claims=[[]])
    found, missing = both(warehouse)
    why = "the question has no nuggets and no reference answer to make them from"
    names = ("completeness", "recall", "precision", "correctness", "nugget_coverage", "f1")
    assert {name: (found[name], missing[name]) for name in names} == dict.fromkeys(names, (None, why))


def test_a_failure_of_ours_is_not_a_zero(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [("missing", None)])
    warehouse.execute("delete from mart.nugget_state")
    answer(warehouse, claims=[[]])
    found, missing = both(warehouse)
    assert (found["completeness"], missing["completeness"]) == (
        None,
        "the answer could not be matched; see outcomes",
    )


def test_means_say_what_they_left_out(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [("covered", "c1"), ("missing", None)])
    answer(warehouse, claims=[[]])
    warehouse.execute("insert into mart.score by name from new_score")
    (row,) = warehouse.rows("from new_system_score where metric = 'nugget_coverage'")
    assert row == {
        "run_id": "r", "system": "s", "profile": "any", "metric": "nugget_coverage", "value": 0.5, "micro": 0.5,
        "n_asked": 1, "n_answered": 1, "n_refused": 0, "n_scored": 1, "n_abstained": 0, "n_failed": 0,
        "n_not_applicable": 0, "reason": None,
    }  # fmt: skip
    (rubric,) = warehouse.rows("from new_system_score where metric = 'rubric_score'")
    assert (rubric["value"], rubric["n_scored"], rubric["reason"]) == (None, 0, "no judge was configured")
    assert rubric["n_not_applicable"] == 1


def test_a_refusal_is_no_answer(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [("missing", None)])
    states = {
        "answered": (1, 0),
        "empty": (1, 0),
        "refused": (0, 1),
        "not_answered": (0, 0),
        "failed": (0, 0),
    }
    warehouse.append("mart.answer", [answer_row(system=state, state=state) for state in states])
    warehouse.execute("insert into mart.score by name from new_score")
    rows = warehouse.rows("select distinct system, n_asked, n_answered, n_refused from new_system_score")
    assert {row.pop("system"): tuple(row.values()) for row in rows} == {
        state: (1, *counts) for state, counts in states.items()
    }


def test_every_null_of_every_profile_has_its_reason_beside_it(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [("covered", "c1"), ("missing", None)], vital=1)
    answer(warehouse, claims=[[]])
    warehouse.execute("insert into mart.score by name from new_score")
    for row in warehouse.rows("from answer_scores_by_profile"):
        metrics = [name.removesuffix("_reason") for name in row if name.endswith("_reason")]
        assert [m for m in metrics if (row[m] is None) == (row[f"{m}_reason"] is None)] == []
        why = None if row["profile"] == "trec" else "only the trec profile defines it"
        assert [row[f"{m}_reason"] for m in ("vital", "vital_strict", "all", "all_strict", "weighted")] == [
            why
        ] * 5


def asked(warehouse: Warehouse, *set_aside: tuple[str, str, str], text: str = "Rest helps.") -> None:
    """The answer `a` to the question with the nuggets `n`, and what stages set aside: (stage, item, state)."""
    give_answer(warehouse, "r", text, nugget_set_key="n")
    warehouse.insert(
        "outcome",
        [
            {
                "run_id": "r", "stage": stage, "item_key": item, "fingerprint": "f", "state": state, "reason": "so",
            }
            for stage, item, state in set_aside
        ],
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "\v\f\r\x85\n\t \xa0\u2003\u3000", "\ufeff\u200b\u2060"])
def test_an_answer_that_shows_nothing_is_empty_and_incomplete(warehouse: Warehouse, text: str) -> None:
    bioace_run(warehouse)
    asked(warehouse, text=text)
    question(warehouse, [])
    warehouse.execute("insert into mart.answer by name from new_answer")
    assert warehouse.value("select state from mart.answer") == "empty"
    found, missing = both(warehouse, "bioace")
    assert (found["completeness"], missing["completeness"]) == (0.0, None)
    assert warehouse.rows("from listwise_material") == []


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Please ask your pharmacist; it is declining: vacant beds and cantaloupe.", "answered"),
        ("I can’t say.", "refused"),
        ("I CANNOT say.", "refused"),
    ],
)
def test_a_refusal_is_told_by_whole_words(warehouse: Warehouse, text: str, state: str) -> None:
    begin(warehouse)
    asked(warehouse, text=text)
    # Of what was not taken apart nobody knows whether it asserts anything.
    assert warehouse.rows("select state, n_claims from new_answer") == [
        {"state": "answered", "n_claims": None}
    ]
    warehouse.insert("run_stage", [{"run_id": "r", "stage": "decompose", "fingerprint": "d"}])
    counts = dict.fromkeys(("n_claims", "n_non_claims", "n_characters", "n_characters_covered"), 0)
    of_answer = {"answer_key": "a", "fingerprint": "d", "has_references": False}
    warehouse.insert("decomposition", [{**of_answer, **counts}])
    assert warehouse.value("select state from new_answer") == state


def left_out(warehouse: Warehouse, metric: str, profile: str = "any") -> tuple[int, ...]:
    """Freeze the scores and count the questions: scored, abstained, failed, not applicable."""
    warehouse.execute("insert into mart.score by name from new_score")
    (row,) = warehouse.rows(
        "from new_system_score where metric = $metric and profile = $profile",
        {"metric": metric, "profile": profile},
    )
    found = tuple(row[name] for name in ("n_scored", "n_abstained", "n_failed", "n_not_applicable"))
    assert sum(found) == row["n_asked"]
    return found


@pytest.mark.parametrize(("state", "counts"), [("abstained", (0, 1, 0, 0)), ("failed", (0, 0, 1, 0))])
def test_a_sentence_without_a_label_is_told_by_whose_doing_it_is(
    warehouse: Warehouse, state: str, counts: tuple[int, ...]
) -> None:
    bioace_run(warehouse)
    asked(warehouse, ("label", "a", state))
    question(warehouse, [])
    answer(warehouse, claims=[[]])
    sentences(warehouse, ("required", True), (None, True))
    assert left_out(warehouse, "completeness", "bioace") == counts


@pytest.mark.parametrize(("state", "counts"), [("abstained", (0, 1, 0, 0)), ("failed", (0, 0, 1, 0))])
def test_an_answer_that_could_not_be_taken_apart_does_not_cover_nothing(
    warehouse: Warehouse, state: str, counts: tuple[int, ...]
) -> None:
    begin(warehouse)
    asked(warehouse, ("decompose", "a", state))
    question(warehouse, [("missing", None)])
    answer(warehouse)
    found, missing = both(warehouse)
    for name in ("nugget_coverage", "completeness", "contradiction_rate", "recall", "citation_precision"):
        assert (found[name], missing[name]) == (None, "the answer could not be taken apart; see outcomes")
    assert left_out(warehouse, "nugget_coverage") == counts


def test_sources_that_could_not_be_asked_fail_and_those_without_text_are_no_matter(
    warehouse: Warehouse,
) -> None:
    begin(warehouse)
    asked(warehouse, ("fetch", "pmid:1", "failed"))
    warehouse.insert("run_stage", [{"run_id": "r", "stage": "decompose", "fingerprint": "f"}])
    key = {"answer_key": "a", "fingerprint": "f"}
    warehouse.insert(
        "citation", [{**key, "claim_position": 0, "ordinal": 0, "marker": "[1]", "source_id": "pmid:1"}]
    )
    question(warehouse, [])
    answer(warehouse, claims=[[("unverifiable", "pmid:1")]])
    assert left_out(warehouse, "citation_precision") == (0, 0, 1, 0)
    warehouse.execute("delete from mart.score")
    warehouse.execute("delete from outcome")
    assert left_out(warehouse, "citation_precision") == (0, 0, 0, 1)


def test_a_mark_that_a_reply_lacks_is_missing_alone(warehouse: Warehouse) -> None:
    begin(warehouse)
    warehouse.insert("run_stage", [{"run_id": "r", "stage": "judge", "fingerprint": "f"}])
    warehouse.insert("fingerprint", [{"fingerprint": "f", "stage": "judge", "spec": "{}"}])
    question(warehouse, [])
    answer(warehouse, claims=[[]])
    warehouse.append(
        "mart.judgement",
        [
            {
                **RUN, "judge": "j", "sample_no": 0, "status": "abstained", "medical_correctness": 80,
                "has_references": True, "guidance_given": False, "reason": "safety: Field required",
            }
        ],
    )  # fmt: skip
    assert left_out(warehouse, "medical_correctness") == (1, 0, 0, 0)
    warehouse.execute("delete from mart.score")
    assert left_out(warehouse, "rubric_score") == (0, 1, 0, 0)


def test_a_mean_that_is_not_there_names_every_reason(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [])
    answer(warehouse)
    why = {
        "citation_precision": ["it cites nothing", "it makes no claim", "it cites nothing"],
        "f1": ["no nuggets"],
    }
    warehouse.append(
        "mart.score",
        [
            {**RUN, "question_id": f"q{n}", "profile": "any", "metric": metric, "reason": reason}
            for metric, reasons in why.items()
            for n, reason in enumerate(reasons)
        ],
    )
    rows = warehouse.rows("select metric, reason from new_system_score order by metric")
    assert [(row["metric"], row["reason"]) for row in rows] == [
        ("citation_precision", "it cites nothing (2); it makes no claim (1)"),
        ("f1", "no nuggets"),
    ]


def sentences(warehouse: Warehouse, *rows: tuple[str | None, bool | None]) -> None:
    """Sentences by (label, whether a retrieved passage entails them), of a run of the bioace profile."""
    warehouse.append(
        "mart.sentence",
        [
            {
                **RUN, "sentence_id": f"s{i + 1}", "position": i, "text_key": "t", "span_start": 0, "span_end": 1,
                "label": label, "supported": supported,
            }
            for i, (label, supported) in enumerate(rows)
        ],
    )  # fmt: skip


def bioace_run(warehouse: Warehouse, llm: str = "big-model") -> None:
    """A run of the bioace profile with a language model, an entailment model and one document."""
    begin(warehouse)
    warehouse.execute("update run set profile = 'bioace'")
    warehouse.insert("run_stage", [{"run_id": "r", "stage": "label", "fingerprint": "f"}])
    warehouse.insert("fingerprint", [{"fingerprint": "f", "stage": "label", "spec": f'{{"llm": "{llm}"}}'}])
    warehouse.insert("text", [{"text_key": "p", "text": "Rest helps."}])
    warehouse.insert("passage", [{"source_id": "document:d", "fetch_no": 1, "position": 0, "text_key": "p"}])
    warehouse.insert(
        "source",
        [
            {
                "source_id": "document:d", "fetch_no": 1, "origin": "document", "content_digest": "d",
                "publication_types": "[]", "retracted": "no", "concern": "no", "erratum": "no", "fetched_at": "2026-01-01",
            }
        ],
    )  # fmt: skip
    warehouse.insert(
        "run_source", [{"run_id": "r", "source_id": "document:d", "fetch_no": 1, "state": "found"}]
    )


def test_bioace_counts_sentences(warehouse: Warehouse) -> None:
    bioace_run(warehouse)
    question(warehouse, [("covered", "c1"), ("contradicted", "c2"), ("missing", None)])
    answer(warehouse, claims=[[], []])
    sentences(
        warehouse, ("required", True), ("borderline", False), ("required", True), ("unnecessary", False)
    )
    found = scores(warehouse, "bioace")
    assert {name: found[name] for name in ("completeness", "correctness", "precision", "recall")} == {
        "completeness": 2 / 4,
        "correctness": 2 / 4,
        "precision": 2 / 2,
        "recall": 2 / 3,
    }


def test_bioace_says_which_ingredient_is_absent(warehouse: Warehouse) -> None:
    bioace_run(warehouse)
    question(warehouse, [("missing", None)])
    answer(warehouse, claims=[[]])
    sentences(warehouse, ("required", True), (None, None))

    def why() -> tuple[str | None, str | None]:
        missing = reasons(warehouse, "bioace")
        return missing["completeness"], missing["correctness"]

    assert why() == (
        "the model did not label every sentence; see outcomes",
        "not every sentence could be held against passages; see outcomes",
    )
    warehouse.execute("delete from mart.sentence")
    warehouse.execute("update run set profile = 'seed'")
    assert why() == (
        "needs sentence labels, which are asked for with --profile bioace",
        "needs passages for every sentence, which are retrieved with --profile bioace",
    )
    warehouse.execute('update run set settings = \'{"reader": "none"}\'')
    warehouse.execute('update fingerprint set spec = \'{"llm": "none"}\'')
    assert why() == (
        "needs sentence labels by a language model: name one with --llm <base_url>#<model>",
        "needs an entailment model, and none was asked for (--reader none)",
    )
    warehouse.execute("delete from run_source")
    assert why()[1] == "needs documents to retrieve from, and none came with the data"


@pytest.mark.parametrize(
    ("read", "supported", "counts"),
    [
        ({"p": 0.1}, None, (0, 0, 1, 0)),
        ({"p": 0.9}, True, (1, 0, 0, 0)),
        ({"p": 0.1, "other": 0.1}, False, (1, 0, 0, 0)),
        ({}, None, (0, 0, 1, 0)),
    ],
)
def test_a_passage_that_could_not_be_read_may_be_the_one_that_says_it(
    warehouse: Warehouse, read: dict[str, float], supported: bool | None, counts: tuple[int, ...]
) -> None:
    """Two passages were retrieved for a sentence; what is said by none of those that were read is not unsaid."""
    bioace_run(warehouse)
    warehouse.execute('update run set settings = \'{"supports_at": 0.5, "contradicts_at": 0.5}\'')
    asked(
        warehouse, *(("entail", f"{passage}t", "failed") for passage in ("p", "other") if passage not in read)
    )
    for stage in ("decompose", "retrieve", "entail"):
        warehouse.insert("run_stage", [{"run_id": "r", "stage": stage, "fingerprint": stage}])
    place = {"answer_key": "a", "position": 0, "text_key": "t", "span_start": 0, "span_end": 11}
    warehouse.insert("answer_sentence", [{**place, "fingerprint": "decompose"}])
    corpus = warehouse.value("select corpus_key from current_corpus")
    of_text = {"text_key": "t", "corpus_key": corpus, "fingerprint": "retrieve"}
    warehouse.insert("retrieval", [{**of_text, "n_found": 2}])
    found = {"source_id": "document:d", "score": 1.0}
    warehouse.insert(
        "retrieved_passage",
        [{**of_text, **found, "rank": n, "passage_key": key} for n, key in enumerate(("other", "p"))],
    )
    pair = {"hypothesis_key": "t", "fingerprint": "entail", "n_windows": 1, "coverage": 1.0}
    warehouse.insert(
        "pair_score",
        [
            {**pair, "premise_key": key, "entailment": share, "neutral": 1 - share, "contradiction": 0.0}
            for key, share in read.items()
        ],
    )
    (row,) = warehouse.rows("select supported, passage_key from new_sentence")
    assert (row["supported"], row["passage_key"]) == (
        supported,
        max(read, default=None, key=lambda k: (read[k], k != "p")),
    )
    question(warehouse, [])
    answer(warehouse, claims=[[]])
    warehouse.execute("insert into mart.sentence by name from new_sentence")
    assert left_out(warehouse, "correctness", "bioace") == counts


def test_silence_is_incomplete_and_not_incorrect(warehouse: Warehouse) -> None:
    bioace_run(warehouse)
    question(warehouse, [("missing", None)])
    answer(warehouse, state="empty")
    found, missing = both(warehouse, "bioace")
    assert (found["completeness"], found["correctness"], missing["correctness"]) == (
        0.0,
        None,
        "the answer is empty",
    )


def test_a_claim_that_serves_two_nuggets_is_one_aligned_claim(warehouse: Warehouse) -> None:
    bioace_run(warehouse)
    question(warehouse, [("covered", "c1"), ("covered", None)])
    answer(warehouse, claims=[[]])
    assert scores(warehouse, "bioace")["precision"] == 1.0


def test_where_no_citation_could_be_checked_recall_is_not_known_and_its_bounds_are(
    warehouse: Warehouse,
) -> None:
    begin(warehouse)
    question(warehouse, [])
    answer(warehouse, claims=[[("unverifiable", "pmid:1")], [("unverifiable", "pmid:2")], []])
    found, missing = both(warehouse)
    assert (found["citation_recall"], missing["citation_recall"]) == (None, "no citation could be checked")
    assert (found["citation_recall_low"], found["citation_recall_high"]) == (0, 2 / 3)
    assert found["citation_precision"] is None


def recalls(warehouse: Warehouse) -> dict[str, tuple[float | None, float, float]]:
    """Return citation recall with its bounds, by question."""
    rows = warehouse.rows(
        "select question_id, list(value order by length(metric), metric desc) as found from new_score"
        " where metric in ('citation_recall', 'citation_recall_low', 'citation_recall_high') group by question_id"
    )
    return {row["question_id"]: tuple(row["found"]) for row in rows}


def test_a_source_that_nobody_can_read_takes_no_question_out_of_recall(warehouse: Warehouse) -> None:
    begin(warehouse)
    for name in ("q", "checked", "open"):
        question(warehouse, [], name=name)
    answer(warehouse, claims=[[("unverifiable", "pmid:1")], [], [], []])
    answer(warehouse, claims=[[("supports", "pmid:2")]], to="checked")
    answer(warehouse, claims=[[("unverifiable", "pmid:1")]], to="open")
    assert recalls(warehouse) == {"q": (0, 0, 0.25), "checked": (1, 1, 1), "open": (None, 0, 1)}
    # What needs no citation leaves nothing open.
    warehouse.execute("update mart.claim set needs_citation = claim_id <> 'c1' where question_id = 'q'")
    assert recalls(warehouse)["q"] == (0, 0, 0)


def test_a_dead_marker_checks_nothing(warehouse: Warehouse) -> None:
    begin(warehouse)
    question(warehouse, [])
    answer(warehouse, claims=[[("unverifiable", "pmid:1")], [("untraceable", None)], []])
    assert recalls(warehouse)["q"] == (None, 0, 1 / 3)
    assert scores(warehouse)["alce_recall"] is None
    question(warehouse, [], name="p")
    answer(warehouse, claims=[[("not_found", "pmid:3")]], to="p")
    assert recalls(warehouse) == {"q": (0, 0, 1 / 3), "p": (0, 0, 0)}


def test_a_failure_of_ours_is_no_zero_of_recall(warehouse: Warehouse) -> None:
    begin(warehouse)
    asked(warehouse, ("fetch", "pmid:1", "failed"))
    warehouse.insert("run_stage", [{"run_id": "r", "stage": "decompose", "fingerprint": "d"}])
    cited = {"answer_key": "a", "fingerprint": "d", "claim_position": 0, "marker": "[1]"}
    warehouse.insert("citation", [{**cited, "ordinal": 0, "source_id": "pmid:1"}])
    question(warehouse, [])
    answer(warehouse, claims=[[("unverifiable", "pmid:1")], [("supports", "pmid:2")], []])
    assert recalls(warehouse)["q"] == (None, 1 / 3, 2 / 3)
    found, missing = both(warehouse)
    assert missing["citation_recall"] == "citations could not be checked, through a failure; see outcomes"
    assert found["citation_precision"] == 1
    # Where another source supports the claim, the failure decides nothing.
    warehouse.execute("update mart.citation set claim_id = 'c2', ordinal = 1 where state = 'unverifiable'")
    assert recalls(warehouse)["q"] == (1 / 3, 1 / 3, 1 / 3)


def test_every_claim_without_a_citation_is_listed_and_says_whether_it_needs_one(warehouse: Warehouse) -> None:
    begin(warehouse)
    warehouse.insert("text", [{"text_key": "t", "text": "Rest helps."}])
    question(warehouse, [])
    answer(warehouse, claims=[[("supports", "pmid:1")], [("untraceable", None)], []])
    warehouse.execute(
        "update mart.claim set needs_citation = false, needs_reason = 'a definition' where claim_id = 'c3'"
    )
    rows = warehouse.rows(
        "select claim_id, needs_citation, needs_reason from uncited_claims order by claim_id"
    )
    assert [tuple(row.values()) for row in rows] == [("c2", True, None), ("c3", False, "a definition")]
