"""The paper's table of a judge that compares: its points against people's scores, beside baselines.

It is made of a run, or of MEDIQA's cases. In that of a run judges that give marks stand as well, where some run has
their marks of the very same answers: the embedded one after an `evaluate --judge embedded`.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

from medassay.models.chat.local.served import endpoint_named, reachable
from medassay.models.judge_training.baselines import baselines
from medassay.models.judge_training.fitting import input_of
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.table import (
    Scored,
    gold_of,
    laid_out,
    one_a_question,
    scored_by_rankings,
    table_row,
)
from medassay.models.judge_training.trained import card_of
from medassay.models.judges.listwise.judge import FEWEST_ANSWERS, MOST_ANSWERS, ListwiseJudge, Ranking
from medassay.models.phi.guard import known_from
from medassay.models.specs import TRAINED
from medassay.models.statistics.pairs import tie_cut_off
from medassay.sql.home import home_secret
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import Warehouse
from medassay.tasks.answering.answers import Limits
from medassay.tasks.judge_training.evaluating import Asking, refuse_texts
from medassay.tasks.spending.caps import cap_at, common_cap, note_price, tariff_of, tariffs

MARKS = "it marks each answer by itself; the mean of its four marks"
NOT_A_CASE = "no evaluation: these are answers that people scored"


def table_of_judge(
    warehouse: Warehouse,
    home: Path,
    spec: str,
    train: Sequence[EvaluationCase],
    test: Sequence[EvaluationCase],
    limits: Limits,
) -> list[dict[str, Any]]:
    """Ask a judge to compare the answers of every test case, and return its row and those of the baselines.

    Several cases of a question are compared each by itself; intervals resample whole questions. What was asked before,
    with the same words, is not asked or paid for again.

    Raises:
        SpecError: for a judge that cannot be asked.
        PhiFound: under `block`, where a text that may name a patient would leave this machine.
    """
    named = endpoint_named(spec, "judge")
    texts = [
        (f"question {case.question_id}", text) for case in test for text in (case.question, *case.responses)
    ]
    refuse_texts(warehouse, [named], texts, limits)
    # A case is a question of its own here: what is made of orders is made by question.
    alone = [replace(case, question_id=case.case_id) for case in test]
    inputs = [input_of(case) for case in alone]
    tariff = tariff_of(named, tariffs(home, limits.prices))
    note_price(warehouse, named, tariff)
    with reachable(named) as served:
        known = known_from(("question", case.question) for case in test)
        asking = Asking(warehouse, served, limits, cap_at(common_cap(limits), tariff), known)
        rankings = ListwiseJudge(served, home_secret(home)).compare_by(asking, inputs)
    scored = [scored_by_rankings(named.label, alone, rankings), *baselines(train, test)]
    return [table_row(one, test).as_dict() for one in scored]


def judge_table(home: Path, run_id: str, dataset: str, judge: str) -> list[dict[str, Any]]:
    """Return rows for the judge, baselines, judges that give marks, and what its card says; none without rankings.

    Baselines are fitted to the `tune` rows; without such rows those that need them are left out, and marks tie where
    they are equal.
    """
    rankings = [
        Ranking(row["question_id"], row["order_no"], tuple(row["systems"]), _points(row["points"]), None, None,
                "scored" if _points(row["points"]) else "abstained", row["reason"], None)
        for row in read_results(home, _RANKINGS, [run_id])
    ]  # fmt: skip
    if not rankings:
        return []
    ranked = {ranking.question_id for ranking in rankings}
    tune, test = (_cases(home, run_id, dataset, role) for role in ("tune", "test"))
    test = [case for case in one_a_question(test) if case.question_id in ranked]
    if not test:
        return []
    scored = [scored_by_rankings(judge, test, rankings), *baselines(tune, test)]
    marking = marks_of_others(home, run_id, dataset, tune, test)
    rows = [
        {**table_row(one, test).as_dict(), "gives_marks": marks}
        for some, marks in ((scored, False), (marking, True))
        for one in some
    ]
    return rows + _of_training(judge)


def marks_of_others(
    home: Path, run_id: str, dataset: str, tune: list[EvaluationCase], test: list[EvaluationCase]
) -> list[Scored]:
    """Return each judge that gave marks to the run's answers, in any run over the same data; its latest marks count."""
    marks: dict[str, dict[tuple[str, str], float]] = {}
    for row in read_results(home, _MARKS, [run_id, dataset]):
        marks.setdefault(row["judge"], {})[row["question_id"], row["system"]] = float(row["mark"])
    found = []
    for judge, of_answer in sorted(marks.items()):
        known, asked = (
            laid_out(
                cases,
                [[of_answer.get((case.question_id, one), nan) for one in case.systems] for case in cases],
            )
            for cases in (tune, test)
        )
        found.append(Scored(judge, asked, tie_cut_off(known, gold_of(tune)) if tune else 0.0, note=MARKS))
    return found


def _of_training(judge: str) -> list[dict[str, Any]]:
    """Return the checkpoints and ablations on the judge's card, named as what they are: rows on other questions."""
    if not judge.startswith(TRAINED):
        return []
    found = card_of(judge.removeprefix(TRAINED).strip()).get("table", [])
    return [{**row, "judge": f"in training: {row['judge']}"} for row in found]


def _cases(home: Path, run_id: str, dataset: str, role: str) -> list[EvaluationCase]:
    """Return questions with people's mean scores of their answers; the places are the systems' names in order."""
    cases = []
    for row in read_results(home, _SCORED, [dataset, role, run_id]):
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
from rankings where run_id = ? group by question_id, order_no order by question_id, order_no
"""
_SCORED = """
with by_metric as (
    select question_id, system, metric, avg(score) as score
    from human_scores
    where dataset = ? and target = 'answer' and score is not null and role = ?
    group by all
),
by_answer as (select question_id, system, avg(score) as score from by_metric group by all)
select question_id, any_value(questions.question) as question, list(system order by system) as systems,
    list(answers.answer order by system) as answers, list(by_answer.score order by system) as scores
from by_answer
join answers using (question_id, system)
join questions using (run_id, question_id)
where run_id = ?
group by question_id order by question_id
"""
_MARKS = """
with mine as (select question_id, system, answer from answers where run_id = ?),
marked as (
    select judgements.run_id, runs.started_at, judgements.judge, question_id, system, avg(rubric_score) as mark
    from judgements
    join runs using (run_id)
    join answers using (run_id, question_id, system)
    join mine using (question_id, system, answer)
    where runs.dataset = ? and rubric_score is not null
    group by all
)
select judge, question_id, system, mark from marked qualify started_at = max(started_at) over (partition by judge)
order by all
"""
