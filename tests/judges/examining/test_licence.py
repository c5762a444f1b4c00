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
