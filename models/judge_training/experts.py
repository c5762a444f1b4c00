"""Experts' double check of evaluations: the sheet, what is filled in, and how far experts agree.

Criteria: the evaluation's medical knowledge is right; nothing is attributed to a doctor who did not say it; it reads
fluently. A case that fails any of them, by any expert, is dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from medassay.models.counting import counted
from medassay.models.judge_training.records import CRITERIA, EvaluationCase
from medassay.models.judges.listwise.judge import MOST_ANSWERS
from medassay.models.keys import content_key
from medassay.models.people.active_selection import levels, next_labels
from medassay.models.people.sheets import Sheet, read_cells, yes_or_no
from medassay.models.statistics.kappa import cohen_kappa
from medassay.models.statistics.ratio import wilson

CHECKS = Sheet(
    (
        "question",
        "reference_answer",
        *(f"doctor_{n}" for n in range(1, MOST_ANSWERS + 1)),
        "looked_up",
        "evaluation",
    ),
    CRITERIA,
)


def item_of(case: EvaluationCase) -> str:
    """Name a case on a sheet; the letter before keeps a spreadsheet from reading a number."""
    return f"c{case.case_id[:16]}"


def chosen(cases: Sequence[EvaluationCase], most: int, seed: int) -> list[EvaluationCase]:
    """Draw cases to check, the same for every expert: one of each question before a second of any."""
    drawn = sorted(
        (case for case in cases if case.status == "scored"),
        key=lambda case: content_key([seed, case.case_id]),
    )
    of_question: dict[str, int] = {}
    ranked = []
    for case in drawn:
        rank = of_question[case.question_id] = of_question.get(case.question_id, -1) + 1
        ranked.append((rank, case))
    return [case for _, case in sorted(ranked, key=lambda one: one[0])[:most]]


def most_telling(cases: Sequence[EvaluationCase], most: int) -> list[EvaluationCase]:
    """Return cases to check, first those that tell most of how many pass; those that somebody has checked come last.

    The classifier's quality is the automatic score, where there is one; the strata are its levels by evaluator.
    """
    scored = [case for case in cases if case.status == "scored"]
    strata = list(zip(levels([c.quality for c in scored]), [c.strength for c in scored], strict=True))
    passing = {
        place: sum(label.passes for label in case.expert_labels) / len(case.expert_labels)
        for place, case in enumerate(scored)
        if case.expert_labels
    }
    residuals = {place: share - (scored[place].quality or 0.0) for place, share in passing.items()}
    choice = next_labels(strata, [case.question_id for case in scored], residuals, most)
    return [scored[place] for place in (*choice.items, *passing)]


def sheet_rows(cases: Sequence[EvaluationCase], expert: str) -> list[dict[str, Any]]:
    """Return the rows of a sheet: systems and evaluators unnamed, what the expert said before filled in."""
    rows = []
    for case in cases:
        row: dict[str, Any] = {
            "item": item_of(case),
            "question": case.question,
            "reference_answer": case.reference,
            "looked_up": "\n\n".join(f"{e.question}\n{e.answer}" for e in case.exchanges),
            "evaluation": case.evaluation,
        }
        row |= {f"doctor_{n}": text for n, text in enumerate(case.responses, 1)}
        for label in case.expert_labels:
            if label.expert == expert:
                row |= {name: "yes" if getattr(label, name) else "no" for name in CRITERIA}
        rows.append(row)
    return rows


def read_checks(
    rows: Sequence[tuple[int, dict[str, str]]], left_out: list[str] | None = None
) -> dict[str, dict[str, bool]]:
    """Return what was filled in by item and criterion; see `read_cells`."""
    nothing = (
        f"none of {counted(len(rows), 'case')} is checked yet; write yes or no under {', '.join(CRITERIA)},"
        " then import it again"
    )
    return read_cells(rows, CRITERIA, yes_or_no, "yes or no", nothing, left_out)


def checked_shares(cases: Sequence[EvaluationCase]) -> dict[str, Any]:
    """Return the shares of checked cases that pass each criterion and all, by all experts together and by each.

    A case passes where every expert who checked it says so; intervals are Wilson's.
    """
    checked = [case for case in cases if case.expert_labels]
    experts = sorted({label.expert for case in checked for label in case.expert_labels})
    return {
        "n_checked": len(checked),
        "n_checked_twice": sum(len(case.expert_labels) > 1 for case in checked),
        "together": _shares([case.expert_labels for case in checked]),
        "by_expert": {
            expert: _shares(
                [(label,) for case in checked for label in case.expert_labels if label.expert == expert]
            )
            for expert in experts
        },
    }


def _shares(labels: Sequence[Sequence[Any]]) -> dict[str, Any]:
    found = {}
    for name in (*CRITERIA, "passes"):
        n_passing = sum(all(getattr(label, name) for label in of_case) for of_case in labels)
        found["all_three" if name == "passes" else name] = asdict(wilson(n_passing, len(labels)))
    return found


def agreement(cases: Sequence[EvaluationCase]) -> list[dict[str, Any]]:
    """Return for each pair of experts and criterion how often they agree, and Cohen's κ over whole questions."""
    said: dict[str, dict[str, dict[str, bool]]] = {}
    for case in cases:
        for label in case.expert_labels:
            of_case = {name: getattr(label, name) for name in CRITERIA}
            said.setdefault(label.expert, {})[case.case_id] = of_case
    return pair_agreement(said, {case.case_id: case.question_id for case in cases})


def pair_agreement(
    said: Mapping[str, Mapping[str, Mapping[str, bool]]], questions: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return for each two people and criterion how often they agree, and Cohen's κ over whole questions.

    Args:
        said: by person, item and criterion; of an item every criterion, or the item is left out.
        questions: of each item, in the order in which items count.
    """
    rows = []
    for first, second in combinations(sorted(said), 2):
        both = [item for item in questions if item in said[first] and item in said[second]]
        for criterion in said[first][both[0]] if both else ():
            one, two = ([str(said[person][item][criterion]) for item in both] for person in (first, second))
            kappa = cohen_kappa(one, two, [questions[item] for item in both])
            rows.append(
                {
                    "first": first,
                    "second": second,
                    "criterion": criterion,
                    "n": len(both),
                    "agree": sum(a == b for a, b in zip(one, two, strict=True)) / len(both),
                    "kappa": kappa.value,
                    "kappa_low": kappa.low,
                    "kappa_high": kappa.high,
                    "reason": kappa.reason,
                }
            )
    return rows
