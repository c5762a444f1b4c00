"""The paper's table for a run whose judge compared answers: its points against people's scores, beside baselines."""

from pathlib import Path
from typing import Any

from medassay.models.judge_training.baselines import baselines
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.table import one_a_question, scored_by_rankings, table_row
from medassay.models.judge_training.trained import card_of
from medassay.models.judges.listwise.judge import FEWEST_ANSWERS, MOST_ANSWERS, Ranking
from medassay.models.settings import TRAINED
from medassay.sql.snapshot import read_results

NOT_A_CASE = "no evaluation: these are answers that people scored"


def judge_table(home: Path, run_id: str, dataset: str, judge: str) -> list[dict[str, Any]]:
    """Return a row for the judge, for each baseline, and for what its card says of its training; none without rankings.

    Baselines are fitted to the `tune` rows; without such rows those that need them are left out.
    """
    rankings = [
        Ranking(row["question_id"], row["order_no"], tuple(row["systems"]), _points(row["points"]), None, None,
                "scored" if _points(row["points"]) else "abstained", row["reason"], None)
        for row in read_results(home, _RANKINGS.format(run_id=run_id))
    ]  # fmt: skip
    if not rankings:
        return []
    ranked = {ranking.question_id for ranking in rankings}
    tune, test = (_cases(home, run_id, dataset, role) for role in ("tune", "test"))
    test = [case for case in one_a_question(test) if case.question_id in ranked]
    if not test:
        return []
    scored = [scored_by_rankings(judge, test, rankings)]
    scored += baselines(tune, test)
    rows = [table_row(one, test).as_dict() for one in scored]
    return rows + _of_training(judge)


def _of_training(judge: str) -> list[dict[str, Any]]:
    """Return the checkpoints and ablations on the judge's card, named as what they are: rows on other questions."""
    if not judge.startswith(TRAINED):
        return []
    found = card_of(judge.removeprefix(TRAINED).strip()).get("table", [])
    return [{**row, "judge": f"in training: {row['judge']}"} for row in found]


def _cases(home: Path, run_id: str, dataset: str, role: str) -> list[EvaluationCase]:
    """Return questions with people's mean scores of their answers; the places are the systems' names in order."""
    cases = []
    quoted = dataset.replace("'", "''")
    for row in read_results(home, _SCORED.format(run_id=run_id, dataset=quoted, role=role)):
        if FEWEST_ANSWERS <= len(row["systems"]) <= MOST_ANSWERS:
            cases.append(
                EvaluationCase(
                    row["question_id"], row["question_id"], row["question"],
                    tuple(row["answers"]), tuple(row["systems"]),
                    None, "", None, tuple(float(score) for score in row["scores"]), "people", "strong",
                    status="abstained", reason=NOT_A_CASE,
                )
            )  # fmt: skip
    return cases


def _points(given: list[int | None]) -> tuple[int, ...] | None:
    known = [one for one in given if one is not None]
    return tuple(known) if len(known) == len(given) else None


_RANKINGS = """
select question_id, order_no, list(system order by place) as systems, list(points order by place) as points,
    any_value(reason) as reason
from rankings where run_id = '{run_id}' group by question_id, order_no order by question_id, order_no
"""
_SCORED = """
with by_metric as (
    select question_id, system, metric, avg(score) as score
    from human_scores
    where dataset = '{dataset}' and target = 'answer' and score is not null and role = '{role}'
    group by all
),
by_answer as (select question_id, system, avg(score) as score from by_metric group by all)
select question_id, any_value(questions.question) as question, list(system order by system) as systems,
    list(answers.answer order by system) as answers, list(by_answer.score order by system) as scores
from by_answer
join answers using (question_id, system)
join questions using (run_id, question_id)
where run_id = '{run_id}'
group by question_id order by question_id
"""
