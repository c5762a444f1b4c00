"""The metric made of a judge's verdicts on weighted criteria, in HealthBench's form."""

from medassay.metrics.metric import EVERYWHERE, OVERALL, Group, Metric

CRITERIA = Group("criteria", "Criteria", counts="criteria_counts")

METRICS = (
    Metric(
        name="criteria_score",
        label="Criteria score",
        means=(
            "The points of the question's criteria that the answer meets, by the judge, out of those it could"
            " have; negative points count against it."
        ),
        formula=(
            "points of the criteria met / sum of the positive points: at most 1, below 0 where an answer meets"
            " more negative points; a mean over answers is clipped to 0 to 1"
        ),
        group=CRITERIA,
        sql={"any": "ratio(points_met, points_possible, no_criteria)"},
        paper="Arora et al. 2025, HealthBench (arXiv:2505.08775)",
        shown=EVERYWHERE,
        unused="the question has no criteria",
        human=(OVERALL,),
    ),
)
