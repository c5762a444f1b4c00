from collections import Counter
from typing import Any

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import MemoryLedger
from medassay.models.judges.examining.licence import examine, gold_pairs
from medassay.models.judges.judgement import SUB_METRICS
from medassay.models.judges.rubric import RubricJudge
from medassay.models.nuggets.words import words
from medassay.models.text.sentences.splitting import sentences

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


def test_every_pair_comes_with_a_reference_that_is_not_in_the_answers_own_words() -> None:
    for pair in gold_pairs():
        reference = pair.reference_answer
        said, stems = _sentences(reference), _stems(reference)
        assert 1 <= len(said) <= 4 and len(stems) >= 10, pair.pair_id
        for answer in (pair.clean.answer, pair.flawed.answer):
            assert not said & _sentences(answer), pair.pair_id
            assert len(stems & _stems(answer)) < 0.4 * len(stems | _stems(answer)), pair.pair_id


def test_cited_sources_have_an_abstract_unless_nothing_stands_behind_them() -> None:
    evidence = [pair for pair in gold_pairs() if pair.sub_metric == "evidence_sufficiency"]
    bare = {p.error for p in evidence for r in p.flawed.references if not r.content}
    assert bare == {
        *("placeholder reference", "untraceable placeholder", "untraceable placeholders"),
        *("non-scientific page", "non-scientific pages"),
    }
    for pair in evidence:
        said = _sentences(pair.clean.answer)
        for reference in pair.clean.references:
            assert reference.content and not said & _sentences(reference.content), pair.pair_id
        assert (pair.error in bare) == all(r.content is None for r in pair.flawed.references), pair.pair_id


def _sentences(text: str) -> set[str]:
    return {" ".join(word.text for word in words(text[s.start : s.end])) for s in sentences(text)}


def _stems(text: str) -> set[str]:
    return {word.stem for word in words(text) if word.weight}


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
