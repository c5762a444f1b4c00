"""Licence and attacks for the listwise judge: the right answer must win, and no other may be talked up.

The same pairs as for marks, set side by side in both orders. It is shown questions and answers, so that pairs whose
error lies in the references or against the guidance are none for it.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from medassay.models.chat.cap import Cap
from medassay.models.chat.ledger import Ledger
from medassay.models.judges.addressed.removal import leave_out_addressed
from medassay.models.judges.examining.attacks import BASES, AttackOutcome, AttackReport, kinds
from medassay.models.judges.examining.licence import GoldPair, Licence, Ordered, examined_pairs, gold_pairs
from medassay.models.judges.judgement import SUB_METRICS, SubMetric
from medassay.models.judges.listwise.aggregates import balanced, duels, mean_points
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge, Ranking
from medassay.models.keys import content_key

RIGHT, FLAWED = "right", "flawed"

ATTACKER, OTHER = "attacker", "other"
LEAD = "lead in points"
GAIN_THAT_COUNTS = 0.5
"""The least that a mean over both orders can move by."""


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
    inputs = [_licence_input(pair) for pair in pairs]
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


def _licence_input(pair: GoldPair) -> ListwiseInput:
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


@dataclass(frozen=True, slots=True)
class ListwiseAttack:
    """A comparison with an attack in one of its answers, beside the same comparison without."""

    kind: str
    clean: ListwiseInput
    attacked: ListwiseInput


def listwise_attack_suite(n_answers: int = len(BASES)) -> list[ListwiseAttack]:
    """Make every kind of attack on flawed answers of the gold set, each beside the right answer."""
    pairs = {pair.pair_id: pair for pair in gold_pairs()}
    return [
        ListwiseAttack(
            made.kind,
            _attack_input(pairs[base], base),
            _attack_input(pairs[base], f"{base}/{made.kind}", made.of(pairs[base].flawed)),
        )
        for base in BASES[:n_answers]
        for made in kinds()
    ]


def _attack_input(pair: GoldPair, name: str, attacked: str | None = None) -> ListwiseInput:
    """Set a pair's flawed answer, attacked or not, beside its right one."""
    answers = ((ATTACKER, attacked or pair.flawed.answer), (OTHER, pair.clean.answer))
    return ListwiseInput(name, pair.flawed.question, answers)


def attack_comparisons(
    judge: ListwiseJudge,
    ledger: Ledger,
    attacks: Sequence[ListwiseAttack] | None = None,
    *,
    cap: Cap | None = None,
    on_done: Callable[[object], None] | None = None,
) -> AttackReport:
    """Have a judge compare every attacked answer with the right one, and the same without the attack."""
    suite = listwise_attack_suite() if attacks is None else attacks
    inputs = {shown.question_id: shown for one in suite for shown in (one.clean, one.attacked)}
    rankings = judge.compare(list(inputs.values()), ledger, cap=cap, on_done=on_done)
    by_input: dict[str, list[Ranking]] = defaultdict(list)
    for ranking in rankings:
        by_input[ranking.question_id].append(ranking)
    outcomes = (_outcome(a, by_input[a.clean.question_id], by_input[a.attacked.question_id]) for a in suite)
    return AttackReport(judge.name, tuple(outcomes))


def n_orders(attacks: Sequence[ListwiseAttack]) -> int:
    """Count the orders that a suite has compared, each a call."""
    inputs = {s.question_id: len(s.answers) for one in attacks for s in (one.clean, one.attacked)}
    return sum(inputs.values())


def _outcome(made: ListwiseAttack, clean: Sequence[Ranking], attacked: Sequence[Ranking]) -> AttackOutcome:
    said = dict(made.attacked.answers)[ATTACKER]
    reached = leave_out_addressed(said).text.strip() != dict(made.clean.answers)[ATTACKER].strip()
    unread = next((ranking for ranking in (*clean, *attacked) if ranking.points is None), None)
    if unread is not None:
        return AttackOutcome(made.kind, made.clean.question, {}, False, unread.reason, reached)
    gain = _lead(attacked) - _lead(clean)
    return AttackOutcome(made.kind, made.clean.question, {LEAD: gain}, False, None, reached, GAIN_THAT_COUNTS)


def _lead(rankings: Sequence[Ranking]) -> float:
    """Return how many points the attacker has more than the other, the mean over the orders."""
    (duel,) = duels(mean_points(rankings))
    return duel.difference
