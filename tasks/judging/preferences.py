"""What the listwise judge's rankings add up to: who beats whom, and how much the place and the order mattered."""

from medassay.models.judges.listwise.judge import Ranking
from medassay.models.judges.listwise.places import balanced, disagreement, duels, mean_points, place_effect
from medassay.sql.warehouse import Row
from medassay.tasks.run import RunRef

UNBALANCED = "no question has all of its orders scored, and only those are balanced over places"


def freeze_comparison(run: RunRef) -> None:
    """Append who beats whom on which question, and how much the place and the order mattered."""
    warehouse = run.warehouse
    rows = warehouse.rows(
        "select question_id, judge, order_no, list(system order by place) as systems,"
        " list(points order by place) as points from mart.ranking where run_id = ? group by all"
        " order by question_id, order_no",
        [run.run_id],
    )
    if not rows:
        return
    rankings = [ranking_of(row) for row in rows]
    who = rows[0]["judge"]
    # `duels` lists a pair by the order of names, so that a pair has one row.
    warehouse.append(
        "mart.preference",
        [
            {
                "run_id": run.run_id,
                "question_id": duel.question_id,
                "system_a": duel.system,
                "system_b": duel.other,
                "preferred_by": "listwise",
                "who": who,
                "outcome": duel.outcome,
                "difference": duel.difference,
            }
            for duel in duels(mean_points(balanced(rankings)))
        ],
    )
    for size in sorted({len(ranking.systems) for ranking in rankings}):
        of_size = [ranking for ranking in rankings if len(ranking.systems) == size]
        effect, differing = place_effect(of_size, size), disagreement(of_size)
        residuals = effect.mean_residual_by_place if effect else (None,) * size
        warehouse.append(
            "mart.ranking_place",
            [
                {
                    "run_id": run.run_id,
                    "judge": who,
                    "n_answers": size,
                    "place": place,
                    "mean_residual": residual,
                    "n_rankings": effect.n_rankings if effect else 0,
                    "p_value": effect.p_value if effect else None,
                    "order_disagreement": differing,
                    "reason": None if effect else UNBALANCED,
                }
                for place, residual in enumerate(residuals, start=1)
            ],
        )


def ranking_of(row: Row) -> Ranking:
    """Rebuild a ranking from its frozen rows; one without points was not scored."""
    points = tuple(row["points"])
    known = None if any(given is None for given in points) else points
    return Ranking(
        row["question_id"], row["order_no"], tuple(row["systems"]), known, None, None, "scored", None, None
    )
