"""The licence of the judge that compares: whether it puts the right answer before one with a deliberate error.

The same pairs as for marks, set side by side in both orders. It is shown questions and answers, so that pairs whose
error lies in the references or against the guidance are none for it.
"""

from collections.abc import Callable, Sequence

from medassay.models.chat.cap import Cap
from medassay.models.chat.ledger import Ledger
from medassay.models.judges.examining.gold_pairs import GoldPair
from medassay.models.judges.examining.licence import Licence, Ordered, examined_pairs
from medassay.models.judges.judgement import SUB_METRICS, SubMetric
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge, Ranking
from medassay.models.judges.listwise.places import balanced, duels, mean_points
from medassay.models.keys import content_key

RIGHT, FLAWED = "right", "flawed"


def examine_comparing(
    judge: ListwiseJudge,
    ledger: Ledger,
    *,
    cap: Cap | None = None,
    on_done: Callable[[object], None] | None = None,
) -> Licence:
    """Have a judge compare the pairs of the gold set that no judge of ours was tuned on.

    A pair counts as ordered right where the right answer has more points over both orders together.
    """
    pairs = compared_pairs()
    inputs = [_beside(pair) for pair in pairs]
    rankings = judge.compare(inputs, ledger, cap=cap, on_done=on_done)
    signs = _signs(rankings)
    failed = [ranking for ranking in rankings if ranking.status == "failed"]
    seen = [name for name in SUB_METRICS if any(pair.sub_metric == name for pair in pairs)]
    return Licence(
        judge.name,
        content_key(judge.fingerprint),
        tuple(_ordered(name, pairs, signs) for name in seen),
        len({ranking.question_id for ranking in failed}),
        failed[0].reason if failed else None,
    )


def compared_pairs() -> list[GoldPair]:
    """List the pairs whose error can be seen from a question and its answers alone."""
    return [
        pair
        for pair in examined_pairs()
        if pair.clean.answer != pair.flawed.answer and pair.clean.guidance is None
    ]


def _beside(pair: GoldPair) -> ListwiseInput:
    answers = ((FLAWED, pair.flawed.answer), (RIGHT, pair.clean.answer))
    return ListwiseInput(pair.pair_id, pair.clean.question, answers)


def _signs(rankings: Sequence[Ranking]) -> dict[str, int]:
    """Return by pair 1 where the right answer leads over both orders, 0 for a tie, -1 else; none if not scored."""
    return {
        duel.question_id: (duel.difference < 0) - (duel.difference > 0)
        for duel in duels(mean_points(balanced(rankings)))
    }


def _ordered(name: SubMetric, pairs: Sequence[GoldPair], signs: dict[str, int]) -> Ordered:
    plain = [pair.pair_id for pair in pairs if pair.sub_metric == name and pair.level == "plain"]
    subtle = [pair.pair_id for pair in pairs if pair.sub_metric == name and pair.level == "subtle"]
    found = [signs.get(pair_id) for pair_id in plain]
    return Ordered(
        name,
        len(plain),
        found.count(1),
        found.count(0),
        found.count(None),
        tuple(pair_id for pair_id in plain if signs.get(pair_id) != 1),
        len(subtle),
        sum(signs.get(pair_id) == 1 for pair_id in subtle),
    )
