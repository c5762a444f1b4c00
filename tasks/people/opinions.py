"""Check whether a data set has human scores, before and after a run."""

from collections import Counter
from itertools import islice
from pathlib import Path

from medassay.models.intake import BadRow, Intake, IntakeError, Kind, read_data, violations
from medassay.models.judge_training.mediqa import read_mediqa
from medassay.sql.home import WORK_FILE
from medassay.sql.snapshot import read_results
from medassay.sql.warehouse import warehouse_at
from medassay.tasks.run import BadData, dataset_name, home_lock

SAID_BY_PEOPLE: tuple[Kind, ...] = ("human_score", "rationale")
CHUNK = 5_000
SHOWN_FAULTS = 3


def refuse_silence(home: Path, data: str, dataset: str | None, *, wait: bool = True) -> None:
    """Stop where neither the files nor the home hold a person's score, label, rationale or preference of the data.

    Files are read only as far as the first of them that keeps the rules.

    Raises:
        BadData: saying where scores may come from, or which rules those that are there break.
        IntakeError: when a file cannot be read.
        HomeBusy: when another run holds the home and `wait` is off.
    """
    path = Path(data)
    said = (row for row in read_data(path).rows if row.kind in SAID_BY_PEOPLE)
    n_said, broken = 0, Counter[str]()
    while some := list(islice(said, CHUNK)):
        faults = _faults(some)
        if len(faults) < len(some):
            return
        n_said += len(some)
        broken.update(faults)
    name = dataset_name(data, dataset)
    if (home / WORK_FILE).exists() and _said_before(home, name, wait):
        return
    if n_said:
        why = "; ".join(f"{count} rows: {fault}" for fault, count in broken.most_common(SHOWN_FAULTS))
        raise BadData(
            f"{data}: what people said of these answers breaks a rule in each of its {n_said} rows, so there is"
            f" nothing to agree with; {why}"
        )
    if _is_mediqa(path):
        raise BadData(
            f"{data}: the scores say how relevant an answer is, in MEDIQA's form, and belong to no metric of ours; how"
            f" far a judge agrees with them says `medassay judge-data mediqa {data} --judge SPEC`"
        )
    raise BadData(
        f"{data}: nobody has scored these answers, so there is nothing to agree with; lay human_scores.* or"
        f" rationales.* beside them, or evaluate them, then `medassay annotate export` and `import` (data set {name!r})"
    )


def _is_mediqa(path: Path) -> bool:
    try:
        return bool(read_mediqa(path))
    except IntakeError:
        return False


def _faults(rows: list[Intake | BadRow]) -> list[str]:
    """Describe for each row that breaks a rule which one it is and what to do."""
    found = [f"{row.rule}; {row.advice}" for row in rows if isinstance(row, BadRow)]
    for kind in SAID_BY_PEOPLE:
        values = [row.value for row in rows if isinstance(row, Intake) and row.kind == kind]
        first = {v.row: v for v in reversed(violations(kind, values)) if v.severity != "critical"}
        found += [f"{v.rule}; {v.advice}" for v in first.values()]
    return found


def refuse_unused_human_scores(home: Path, run_id: str, dataset: str, *, wait: bool = True) -> None:
    """Stop where the data hold what people said and none of it was accepted: there was nothing to agree with.

    Raises:
        BadData: saying why, and where the rows are.
    """
    if _said_before(home, dataset, wait):
        return
    rows = read_results(
        home,
        "select rule, any_value(advice) as advice, count(*) as n_rows from quarantine"
        f" where run_id = '{run_id}' and table_name in ('human_score', 'rationale')"
        " group by rule order by n_rows desc, rule",
    )
    if rows:
        n_rows = sum(row["n_rows"] for row in rows)
        why = "; ".join(
            f"{row['n_rows']} rows: {row['rule']}; {row['advice']}" for row in rows[:SHOWN_FAULTS]
        )
        raise BadData(
            f"run {run_id} is published, but all {n_rows} rows of what people said are in quarantine, so there is"
            f' nothing to agree with; {why}; medassay query "from quarantine"'
        )


def _said_before(home: Path, dataset: str, wait: bool) -> bool:
    with home_lock(home, "(agree)", wait=wait):
        return bool(
            warehouse_at(home).value(
                "select exists (from human_score where dataset = $dataset)"
                " or exists (from rationale where dataset = $dataset)"
                " or exists (from evaluation_preference where dataset = $dataset)",
                {"dataset": dataset},
            )
        )
