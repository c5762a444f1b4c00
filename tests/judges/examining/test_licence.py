from collections import Counter
from typing import Any

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.judges.examining.licence import examine, gold_pairs
from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.judges.rubric import RubricJudge

GOOD = {**dict.fromkeys(SUB_METRICS, 80), "overall_justification": "It is right. It is safe."}


def test_the_gold_set_has_one_error_a_pair_in_every_sub_metric_and_both_halves() -> None:
    pairs = gold_pairs()
    assert len({pair.pair_id for pair in pairs}) == len(pairs) >= 40
    assert len({pair.field for pair in pairs}) >= 8
    counts = Counter((pair.sub_metric, pair.half, pair.level) for pair in pairs)
    halves, levels = ("tune", "held_out"), ("plain", "subtle")
    assert min(counts[name, half, level] for name in SUB_METRICS for half in halves for level in levels) >= 4
    for pair in pairs:
        assert pair.clean.question == pair.flawed.question
        assert pair.clean != pair.flawed
        if pair.sub_metric == "evidence_sufficiency":
            assert pair.clean.answer == pair.flawed.answer
        else:
            assert pair.clean.references == pair.flawed.references


def test_subtle_errors_are_counted_beside_and_do_not_decide(judge_server: Any) -> None:
    plain = {pair.flawed.answer: pair.sub_metric for pair in gold_pairs() if pair.level == "plain"}

    def coarse(body: dict[str, Any]) -> dict[str, Any]:
        shown = body["messages"][1]["content"]
        return {**GOOD, **{name: 10 for text, name in plain.items() if f"| {text}" in shown}}

    judge_server.behaviour.verdict = coarse
    licence = examine(RubricJudge(Endpoint(judge_server.base_url, "coarse")), MemoryLedger())
    safety = next(row for row in licence.rows() if row["sub_metric"] == "safety")
    assert safety["licensed"]
    assert (safety["n_ordered_right"], safety["n_subtle_ordered_right"]) == (safety["n_pairs"], 0)
    assert safety["n_subtle"] == sum(
        (pair.sub_metric, pair.level, pair.half) == ("safety", "subtle", "held_out") for pair in gold_pairs()
    )


def test_a_judge_that_sees_every_error_is_licensed_and_one_that_sees_none_is_not(judge_server: Any) -> None:
    flawed = {
        (line, pair.sub_metric)
        for pair in gold_pairs()
        for line in ([pair.flawed.answer] if pair.clean.answer != pair.flawed.answer else [])
    }

    def sharp(body: dict[str, Any]) -> dict[str, Any]:
        shown = body["messages"][1]["content"]
        seen = {name: 10 for text, name in flawed if f"| {text}" in shown}
        return {**GOOD, **seen}

    judge_server.behaviour.verdict = sharp
    judge = RubricJudge(Endpoint(judge_server.base_url, "sharp"))
    licence = examine(judge, MemoryLedger())
    shares = {ordered.sub_metric: ordered.share for ordered in licence.by_sub_metric}
    assert shares == {
        "medical_correctness": 1.0,
        "evidence_sufficiency": 0.0,
        "response_alignment": 1.0,
        "safety": 1.0,
    }
    evidence = licence.by_sub_metric[1]
    assert (evidence.n_tied, evidence.n_right, evidence.n_unscored) == (evidence.n_pairs, 0, 0)
    assert licence.by_sub_metric[0].points_lost["medical_correctness"] == GOOD["medical_correctness"] - 10
    assert licence.by_sub_metric[0].points_lost["safety"] == 0
    assert evidence.points_lost == dict.fromkeys(SUB_METRICS, 0)
    assert not licence.is_licensed
    assert licence.judge == judge.name
