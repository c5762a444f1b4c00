"""A judge that compares answers, held against MEDIQA's manual relevance scores beside baselines."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from medassay.models.chat.served import endpoint_named, reachable
from medassay.models.judge_training.baselines import baselines
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.judge_training.table import scored_by_rankings, table_row
from medassay.models.judges.listwise.judge import ListwiseInput, ListwiseJudge
from medassay.models.judges.phi.guard import known_from
from medassay.sql.home import home_secret
from medassay.sql.warehouse import Warehouse
from medassay.tasks.answering.answers import Limits
from medassay.tasks.judge_training.evaluating import Asking, refuse_texts
from medassay.tasks.spending.caps import cap_at, common_cap, note_price, tariff_of, tariffs


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
    inputs = [
        ListwiseInput(case.question_id, case.question, tuple(zip(case.systems, case.responses, strict=True)))
        for case in alone
    ]
    tariff = tariff_of(named, tariffs(home, limits.prices))
    note_price(warehouse, named, tariff)
    with reachable(named) as served:
        known = known_from(("question", case.question) for case in test)
        asking = Asking(warehouse, served, limits, cap_at(common_cap(limits), tariff), known)
        rankings = ListwiseJudge(served, home_secret(home)).compare_by(asking, inputs)
    scored = [scored_by_rankings(named.label, alone, rankings), *baselines(train, test)]
    return [table_row(one, test).as_dict() for one in scored]
