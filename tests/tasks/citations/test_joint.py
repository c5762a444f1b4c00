"""Claims, what they cite and verdicts in → states, ALCE's tests and `partial` out."""

import re
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from medassay.models.keys import text_key
from medassay.models.nli.settings import says
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.models.text.claims.parts import claim_parts
from medassay.sql.snapshot import publish, read_results
from medassay.sql.warehouse import Warehouse
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.joint import joint
from medassay.tasks.stages.stage import Step
from tests.rows import give_answer

Verdict = tuple[float, float, float]
YES, NO, UNSAID = (0.9, 0.08, 0.02), (0.02, 0.08, 0.9), (0.1, 0.85, 0.05)
CLAIM = "Metformin lowers glucose."
LISTED = "Metformin causes nausea, diarrhoea and headache."


def fill(
    run: RunRef,
    claims: dict[str, list[str | None]],
    sources: dict[str, list[str]],
    verdicts: dict[tuple[str, str], Verdict],
    *,
    states: dict[str, str] | None = None,
    key: str = "s",
    **source: Any,
) -> Warehouse:
    """Give a run one answer with these claims and citations, sources with their passages, and pair verdicts."""
    warehouse = run.warehouse
    for stage in ("decompose", "match"):
        warehouse.insert("run_stage", [{"run_id": run.run_id, "stage": stage, "fingerprint": "f"}])
    closely, _ = entail.pin(run), joint.pin(run)
    give_answer(warehouse, run.run_id, key, text_key=text_key(key), answer_key=key, system=key)
    texts = {
        *claims,
        *(p for passages in sources.values() for p in passages),
        *(p for pair in verdicts for p in pair),
    }
    warehouse.insert("text", [{"text_key": text_key(text), "text": text} for text in texts])
    for position, (claim, cited) in enumerate(claims.items()):
        of_answer = {"answer_key": key, "fingerprint": "f"}
        warehouse.insert(
            "claim",
            [
                {
                    **of_answer, "position": position, "text_key": text_key(claim), "span_start": 0, "span_end": 1,
                    "kind": "claim", "needs_citation": True,
                }
            ],
        )  # fmt: skip
        warehouse.insert(
            "citation",
            [
                {
                    **of_answer,
                    "claim_position": position,
                    "ordinal": n,
                    "marker": f"[{n}]",
                    "source_id": source_id,
                }
                for n, source_id in enumerate(cited)
            ],
        )
    flags = dict.fromkeys(("retracted", "concern", "erratum"), "unchecked")
    for source_id, passages in sources.items():
        row = {"source_id": source_id, "fetch_no": 1, "origin": "pubmed", "content_digest": source_id, "publication_types": "[]", "fetched_at": "2026-01-01"}  # fmt: skip
        warehouse.insert("source", [{**row, **flags, **source}])
        warehouse.insert(
            "passage",
            [
                {"source_id": source_id, "fetch_no": 1, "position": n, "label": "ABSTRACT", "text_key": text_key(p)}
                for n, p in enumerate(passages)
            ],
        )  # fmt: skip
        warehouse.insert(
            "run_source",
            [{"run_id": run.run_id, "source_id": source_id, "fetch_no": 1, "state": "found"}],
        )
    warehouse.insert(
        "run_source",
        [{"run_id": run.run_id, "source_id": s, "state": state, "reason": state} for s, state in (states or {}).items()],
    )  # fmt: skip
    warehouse.insert(
        "pair_score",
        [
            {
                "premise_key": text_key(premise), "hypothesis_key": text_key(hypothesis), "fingerprint": closely,
                "entailment": e, "neutral": n, "contradiction": c, "n_windows": 1, "coverage": 1.0,
            }
            for (premise, hypothesis), (e, n, c) in verdicts.items()
        ],
    )  # fmt: skip
    return warehouse


@pytest.fixture
def run(home: Path) -> Any:
    with started_run(home, Settings("d")) as begun:
        yield begun


def citations(run: RunRef) -> list[tuple[str, str, bool | None, bool | None]]:
    joint.run(run)
    rows = run.warehouse.rows("from new_citation order by system, claim_id, ordinal")
    return [
        (row["source_id"] or row["citation"], row["state"], row["set_entails"], row["contributes"])
        for row in rows
    ]


METRICS = (
    "alce_recall", "alce_precision", "over_citation_rate", "under_citation_rate", "citation_contradiction_rate"
)  # fmt: skip


def scores_of(run: RunRef) -> dict[str, tuple[float | None, ...]]:
    """Freeze claims and citations, and return each system's numbers, in the order of `METRICS`."""
    warehouse = run.warehouse
    for mart in ("question", "answer", "claim", "joint_reading", "citation"):
        warehouse.execute(f"insert into mart.{mart} by name from new_{mart}")
    found: dict[str, dict[str, float | None]] = {}
    for row in warehouse.rows("from new_score where profile = 'any'"):
        found.setdefault(row["system"], {})[row["metric"]] = row["value"]
    return {system: tuple(values[name] for name in METRICS) for system, values in found.items()}


def scored(run: RunRef) -> dict[str, float | None]:
    """Return the numbers of the one system that there is."""
    (values,) = scores_of(run).values()
    return dict(zip(METRICS, values, strict=True))


def about(drug: str, held: Any) -> Any:
    """Say of another drug, by sources of its own, what a case says of metformin."""
    if isinstance(held, dict):
        return {about(drug, name): about(drug, value) for name, value in held.items()}
    if isinstance(held, list | tuple):
        return type(held)(about(drug, one) for one in held)
    if isinstance(held, str):
        return re.sub(
            "(One|Two)[.]", rf"\1 on {drug}.", held.replace("Metformin", drug).replace("pmid:", f"{drug}:")
        )
    return held


ONE, TWO = {"pmid:1": ["One."]}, {"pmid:2": ["Two."]}
BOTH = "Metformin prevents heart attacks and causes stomach bleeding."
PREVENTS, CAUSES = "Metformin prevents heart attacks.", "Metformin causes stomach bleeding."


def a_part_each(of_the_other: Verdict) -> tuple[Any, ...]:
    """Two sources that say a part of the claim each, and seem to contradict it by themselves."""
    return (
        {BOTH: ["pmid:1", "pmid:2"]},
        {"pmid:1": [PREVENTS], "pmid:2": [CAUSES]},
        {
            (PREVENTS, BOTH): (0.30, 0.11, 0.59), (CAUSES, BOTH): (0.35, 0.11, 0.54),
            (PREVENTS, PREVENTS): YES, (PREVENTS, CAUSES): of_the_other,
            (CAUSES, PREVENTS): of_the_other, (CAUSES, CAUSES): YES, (f"{PREVENTS}\n{CAUSES}", BOTH): YES,
        },
        {},
        [("pmid:1", "partial", True, True), ("pmid:2", "partial", True, True)],
        (1.0, 1.0, 0.0, 0.0, 0.0),
    )  # fmt: skip


# Claims, sources, verdicts and what was not read in; citations and scores out.
CASES: dict[str, tuple[Any, ...]] = {
    "needs both": (
        {CLAIM: ["pmid:1", "pmid:2"]}, ONE | TWO,
        {("One.", CLAIM): UNSAID, ("Two.", CLAIM): UNSAID, ("One.\nTwo.", CLAIM): YES}, {},
        [("pmid:1", "neutral", True, True), ("pmid:2", "neutral", True, True)], (1.0, 1.0, 0.0, 0.0, 0.0),
    ),
    "one adds nothing": (
        {CLAIM: ["pmid:1", "pmid:2"]}, ONE | TWO,
        {("One.", CLAIM): YES, ("Two.", CLAIM): UNSAID, ("One.\nTwo.", CLAIM): YES}, {},
        [("pmid:1", "supports", True, True), ("pmid:2", "neutral", True, False)], (1.0, 0.5, 0.5, 0.0, 0.0),
    ),
    "no entailment": (
        {CLAIM: ["pmid:1", "pmid:2", None], LISTED: []}, ONE | TWO,
        {("One.", CLAIM): UNSAID, ("Two.", CLAIM): NO, ("One.\nTwo.", CLAIM): UNSAID}, {},
        [("pmid:1", "neutral", False, False), ("pmid:2", "contradicts", False, False), ("[2]", "untraceable", False, False)],
        (0.0, 0.0, None, 0.5, 0.5),
    ),
    "could not be read": (
        {CLAIM: ["pmid:1", "pmid:9"], LISTED: ["pmid:8"]}, ONE, {("One.", CLAIM): UNSAID},
        {"pmid:9": "unverifiable", "pmid:8": "not_found"},
        [("pmid:1", "neutral", False, None), ("pmid:9", "unverifiable", False, None), ("pmid:8", "not_found", False, False)],
        (0.0, 0.0, None, 0.0, 0.0),
    ),
    "a part each, neutral of the other": a_part_each((0.14, 0.57, 0.29)),
    "a part each, against the other": a_part_each((0.30, 0.03, 0.67)),
    "the others can do without the one that contradicts": (
        {BOTH: ["pmid:1", "pmid:2"]}, {"pmid:1": [PREVENTS], "pmid:2": [BOTH]},
        {
            (PREVENTS, BOTH): NO, (BOTH, BOTH): YES, (PREVENTS, PREVENTS): YES, (PREVENTS, CAUSES): NO,
            (f"{PREVENTS}\n{BOTH}", BOTH): YES,
        }, {},
        [("pmid:1", "contradicts", True, False), ("pmid:2", "supports", True, True)], (1.0, 0.5, 0.5, 0.0, 0.5),
    ),
}  # fmt: skip


def test_what_sources_say_together_decides_recall_precision_and_what_each_adds(run: RunRef) -> None:
    drugs = ("Abacavir", "Baclofen", "Captopril", "Digoxin", "Enalapril", "Fentanyl", "Gentamicin")
    cases = {drug: about(drug, case) for drug, case in zip(drugs, CASES.values(), strict=True)}
    for drug, (claims, sources, verdicts, states, _, _) in cases.items():
        fill(run, claims, sources, verdicts, states=states, key=drug)
    assert citations(run) == [row for *_, cited, _ in cases.values() for row in cited]
    assert scores_of(run) == {drug: scores for drug, (*_, scores) in cases.items()}


def test_what_was_read_together_and_in_parts_is_published(run: RunRef) -> None:
    part = "Metformin causes nausea."
    assert part in claim_parts(LISTED)
    fill(
        run,
        {CLAIM: ["pmid:1", "pmid:2"], LISTED: ["pmid:1"]},
        {"pmid:1": ["One."], "pmid:2": ["Two."]},
        {
            ("One.", CLAIM): UNSAID, ("Two.", CLAIM): UNSAID, ("One.\nTwo.", CLAIM): YES, ("One.", LISTED): UNSAID,
            **{("One.", other): YES if other == part else UNSAID for other in claim_parts(LISTED)},
        },
    )  # fmt: skip
    assert ("pmid:1", "partial", False, False) in citations(run)
    scored(run)
    publish(run.warehouse, Path(run.home), run.run_id)
    rows = read_results(
        Path(run.home),
        "select claim_id, role, source_id, passage, statement, entails, entailment, contradiction"
        " from joint_readings where claim_id = 'c1' or entails order by claim_id, role, source_id",
    )
    assert [tuple(row.values()) for row in rows] == [
        ("c1", "all", None, "One.\nTwo.", CLAIM, True, 0.9, 0.02),
        ("c1", "without", "pmid:1", "Two.", CLAIM, False, 0.1, 0.05),
        ("c1", "without", "pmid:2", "One.", CLAIM, False, 0.1, 0.05),
        ("c2", "part", "pmid:1", "One.", part, True, 0.9, 0.02),
    ]
    keys = read_results(Path(run.home), "select passage_key || statement_key as pair from citation_verdicts")
    assert text_key("One.") + text_key(LISTED) in {row["pair"] for row in keys}


def test_sources_that_do_not_fit_one_window_are_not_scored(run: RunRef) -> None:
    long = [f"{word} {'very ' * 900}long sentence." for word in ("One", "Two")]
    fill(
        run,
        {CLAIM: ["pmid:1", "pmid:2"]},
        {"pmid:1": [long[0]], "pmid:2": [long[1]]},
        {(long[0], CLAIM): UNSAID, (long[1], CLAIM): UNSAID},
    )
    assert citations(run) == [("pmid:1", "neutral", None, None), ("pmid:2", "neutral", None, None)]
    assert scored(run)["alce_recall"] is None
    (claim,) = run.warehouse.rows("select joint_entailment, joint_reason from mart.claim")
    assert claim == {
        "joint_entailment": None,
        "joint_reason": "the best sentences of the cited sources do not fit the model's window together",
    }


def test_the_window_of_the_model_that_answered_counts_not_that_of_the_one_asked(run: RunRef) -> None:
    pair = ["Metformin was given for years. It helped.", "Others took a placebo for years. It did not help."]
    narrow = {
        **entail.spec(run.settings),
        "reading": {"premise_tokens": 10, "caution": 0.3},
    }
    fill(
        run,
        {CLAIM: ["pmid:1", "pmid:2"]},
        {"pmid:1": pair[:1], "pmid:2": pair[1:]},
        {
            **{
                (premise, CLAIM): UNSAID
                for premise in (*pair, "Metformin was given for years.", "It did not help.")
            },
            ("It helped. It did not help.", CLAIM): YES,
        },
    )
    before = run.warehouse.value("select pinned('entail')")
    step = Step(run, "entail", before, run.warehouse, run.settings)
    step.pin_actual_model(narrow)
    run.warehouse.execute("update pair_score set fingerprint = ?", [step.fingerprint])
    assert citations(run) == [("pmid:1", "neutral", True, True), ("pmid:2", "neutral", True, True)]


def test_what_failed_to_be_read_together_is_no_zero(run: RunRef) -> None:
    fill(
        run,
        {CLAIM: ["pmid:1", "pmid:2"]},
        {"pmid:1": ["One."], "pmid:2": ["Two."]},
        {("One.", CLAIM): UNSAID, ("Two.", CLAIM): UNSAID},
    )
    (item,) = run.warehouse.rows("from joint_items")
    step = Step(run, "joint", run.warehouse.value("select pinned('joint')"), run.warehouse, run.settings)
    step.set_aside(item["item_key"], "failed", "HTTP 500")
    assert scored(run)["alce_recall"] is None
    (claim,) = run.warehouse.rows("select joint_entailment, joint_reason from mart.claim")
    assert claim == {"joint_entailment": None, "joint_reason": "HTTP 500"}
    (named,) = run.warehouse.rows("select question_id, system, reason from outcomes where stage = 'joint'")
    assert named == {"question_id": "q", "system": "s", "reason": "HTTP 500"}
    (score,) = run.warehouse.rows("select status from new_score where metric = 'alce_recall'")
    assert score == {"status": "failed"}


def test_what_the_model_refuses_to_read_together_is_said_and_asked_again_by_a_retry(
    home: Path, monkeypatch: Any
) -> None:
    replies: list[PairVerdict] = [
        PairVerdict(None, None, None, reason="the model refused"),
        PairVerdict(0.9, 0.05, 0.05),
    ]
    monkeypatch.setattr(
        "medassay.tasks.nli.reading.reader_for",
        lambda step: lambda rows: iter([[(row, replies[0]) for row in rows]]),
    )
    asked: list[int] = []
    for retry in (False, False, True):
        with started_run(home, Settings("d", retry=retry)) as run:
            fill(
                run,
                {CLAIM: ["pmid:1", "pmid:2"]},
                {"pmid:1": ["One."], "pmid:2": ["Two."]},
                {("One.", CLAIM): UNSAID, ("Two.", CLAIM): UNSAID},
            )
            if retry:
                replies.pop(0)
            asked.append(run.warehouse.value("select count(*) from joint_pending"))
            seen = citations(run)
            if not asked[1:]:
                assert run.warehouse.rows("select state, reason from outcome where stage = 'joint'") == [
                    {"state": "abstained", "reason": "the model refused"}
                ]
                assert scored(run) == {
                    "alce_recall": None, "alce_precision": None, "over_citation_rate": None, "under_citation_rate": 0.0,
                    "citation_contradiction_rate": 0.0,
                }  # fmt: skip
    assert asked == [1, 0, 1]
    assert seen == [("pmid:1", "neutral", True, True), ("pmid:2", "neutral", True, True)]


PARTS = [f"Metformin causes {what}." for what in ("nausea", "diarrhoea", "headache")]


def fill_by_parts(run: RunRef, whole: Verdict, cases: list[tuple[Verdict | None, ...]]) -> None:
    """Give a run a claim of three parts a case, each about a drug of its own and with a source of its own."""
    claims: dict[str, list[str | None]] = {}
    sources: dict[str, list[str]] = {}
    verdicts: dict[tuple[str, str], Verdict] = {}
    for drug, of_parts in zip(("Metformin", "Aspirin", "Insulin", "Codeine", "Heparin"), cases, strict=False):
        claim = LISTED.replace("Metformin", drug)
        claims[claim], sources[f"document:{drug}"] = [f"document:{drug}"], [f"On {drug}."]
        verdicts[f"On {drug}.", claim] = whole
        parts = [part.replace("Metformin", drug) for part in PARTS]
        verdicts |= {(f"On {drug}.", part): v for part, v in zip(parts, of_parts, strict=True) if v}
    fill(run, claims, sources, verdicts)


def test_some_parts_entailed_and_none_contradicted_is_partial(run: RunRef) -> None:
    fill_by_parts(run, UNSAID, [(YES, UNSAID, UNSAID), (YES, YES, NO), (UNSAID, UNSAID, UNSAID)])
    assert [row[1:] for row in citations(run)] == [
        ("partial", False, False),
        ("neutral", False, False),
        ("neutral", False, False),
    ]


def test_a_contradiction_of_the_whole_that_no_part_shows_is_partial(run: RunRef, monkeypatch: Any) -> None:
    refused = PairVerdict(None, None, None, reason="the model refused")
    monkeypatch.setattr(
        "medassay.tasks.nli.reading.reader_for",
        lambda _: lambda rows: iter([[(row, refused) for row in rows]]),
    )
    cases: dict[tuple[Verdict | None, ...], str] = {
        (YES, UNSAID, UNSAID): "partial",
        (YES, YES, NO): "contradicts",
        (UNSAID, UNSAID, UNSAID): "contradicts",
        # Nothing of it is left unsaid that could have been taken for the contrary.
        (YES, YES, YES): "contradicts",
        # One that could not be read might be the contradicted one.
        (YES, None, UNSAID): "contradicts",
    }
    fill_by_parts(run, NO, list(cases))
    assert [row[1:] for row in citations(run)] == [(state, False, False) for state in cases.values()]
    rows = run.warehouse.rows("select entailment, contradiction, reason from new_citation order by claim_id")
    why = "read whole the claim seems contradicted, but none of its parts is, and some are entailed"
    assert [tuple(row.values()) for row in rows] == [
        (0.02, 0.9, why if state == "partial" else None) for state in cases.values()
    ]


def test_a_claim_of_one_part_stays_contradicted_and_nothing_further_is_read(run: RunRef) -> None:
    fill(run, {CLAIM: ["pmid:1"]}, {"pmid:1": ["One."]}, {("One.", CLAIM): NO})
    assert citations(run) == [("pmid:1", "contradicts", False, False)]
    assert run.warehouse.rows("from joint_reading") == []


def test_one_rule_decides_in_sql_and_in_python(warehouse: Warehouse) -> None:
    steps = [step / 20 for step in range(21)]
    shares = [(e, c) for e in steps for c in steps if e + c <= 1]
    shares += [(nan, nan), (nan, 0.2), (0.9, nan), (inf, 0.0), (0.0, -inf)]
    cut_offs = [(0.0, 0.0), (0.34, 0.34), (0.5, 0.5), (0.4, 0.9), (0.8, 0.3)]
    rows = [(e, max(0.0, 1 - e - c), c, *at) for e, c in shares for at in cut_offs]
    told = warehouse.rows(
        "select says(r[1], r[2], r[3], r[4], r[5]) as said from (select unnest(?::double[][]) as r)", [rows]
    )
    assert [row["said"] for row in told] == [says(PairVerdict(*row[:3]), *row[3:]) for row in rows]


@pytest.mark.parametrize(
    ("shares", "at", "said"),
    [
        ((0.55, 0.40, 0.05), (0.5, 0.5), "supports"),
        ((0.55, 0.40, 0.05), (0.6, 0.5), "neutral"),
        ((0.42, 0.38, 0.20), (0.5, 0.5), "neutral"),
        ((0.42, 0.38, 0.20), (0.4, 0.5), "supports"),
        # What is not the most probable decides nothing, however low its cut-off.
        ((0.40, 0.15, 0.45), (0.3, 0.9), "neutral"),
        ((0.40, 0.15, 0.45), (0.3, 0.4), "contradicts"),
        ((None, None, None), (0.5, 0.5), None),
        ((nan, nan, nan), (0.5, 0.5), None),
        ((0.9, nan, 0.1), (0.5, 0.5), None),
        ((inf, 0.0, 0.0), (0.5, 0.5), None),
    ],
)
def test_the_most_probable_counts_where_it_reaches_its_cut_off(
    shares: tuple[float | None, float | None, float | None], at: tuple[float, float], said: str | None
) -> None:
    assert says(PairVerdict(*shares), *at) == said


def test_another_cut_off_moves_states_and_reads_nothing_again(home: Path, monkeypatch: Any) -> None:
    weak = (0.6, 0.35, 0.05)

    def no_model(_: Any) -> Any:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("medassay.tasks.nli.reading.reader_for", no_model)
    pairs = ({CLAIM: ["pmid:1"]}, {"pmid:1": ["One."]}, {("One.", CLAIM): weak})
    found = {}
    for at in (0.5, 0.7, 0.5):
        with started_run(home, Settings("d", supports_at=at)) as begun:
            fill(begun, *pairs)
            pending = begun.warehouse.value("select count(*) from entail_pending")
            done = joint.run(begun)["n_done"]
            found[begun.run_id] = (at, pending, done, citations(begun)[0][1])
    assert list(found.values()) == [
        (0.5, 0, 1, "supports"),
        (0.7, 0, 1, "neutral"),
        (0.5, 0, 0, "supports"),
    ]
