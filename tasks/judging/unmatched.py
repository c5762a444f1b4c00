"""Human scores that no mark of a run stands beside: how many, one example, and what was probably meant."""

import re
from collections.abc import Mapping, Sequence

from medassay.models.intake.rows import spelled
from medassay.sql.warehouse import Row
from medassay.tasks.judging.label_rows import SHOWN_CHARACTERS, SHOWN_NAMES, Answer, Label

_WHOLE = re.compile(r"(\d+)\.0+")


def unmatched(
    metric: str, run_id: str, marks: Sequence[Row], labels: Mapping[Answer, Sequence[Label]]
) -> list[str]:
    """Return a line on the scored answers that the run does not have, and one on those without a mark in it."""
    if not any(row["value"] is not None for row in marks):
        return [
            f"{metric}: run {run_id} has no mark of it; evaluate the answers with a judge (--judge) first"
        ]
    marked = {(row["question_id"], row["system"]): row["value"] is not None for row in marks}
    unknown = [given[0] for answer, given in labels.items() if answer not in marked]
    silent = [given[0] for answer, given in labels.items() if marked.get(answer) is False]
    lines = []
    if unknown:
        lines.append(
            f"{metric}: {len(unknown)} of {len(labels)} scored answers are not in run {run_id}, such as"
            f" {unknown[0].shown}; {_meant(unknown[0], marked)}"
        )
    if silent:
        lines.append(
            f"{metric}: {len(silent)} of {len(labels)} scored answers have no mark in run {run_id}, such as"
            f" {silent[0].shown}"
        )
    return lines


def _meant(label: Label, marked: Mapping[Answer, bool]) -> str:
    """Say what to write instead, or which of the names the run does not know."""
    questions, systems = (dict.fromkeys(names) for names in zip(*marked, strict=True))
    lines = []
    for column, name, known in (
        ("question_id", label.question_id, questions),
        ("system", label.system, systems),
    ):
        if name in known:
            continue
        alike = next((other for other in known if _plain(other) == _plain(name)), None)
        if alike is not None:
            lines.append(f"write {column} {spelled(alike, SHOWN_CHARACTERS)}, as the run does")
        else:
            some = ", ".join(spelled(other, SHOWN_CHARACTERS) for other in list(known)[:SHOWN_NAMES])
            lines.append(f"the run's {column}s are {some}{', …' if len(known) > SHOWN_NAMES else ''}")
    return "; ".join(lines) or "the run has both names and no such answer"


def _plain(name: str) -> str:
    """Write a name without what a spreadsheet or a hand changes: capitals, blanks, the `.0` of a whole number."""
    name = name.strip().casefold()
    whole = _WHOLE.fullmatch(name)
    return whole[1] if whole else name
