"""Whether people have said anything of a data set at all: asked before a run that would find nothing to agree with."""

from pathlib import Path

from models.intake import BadRow, read_data
from sql.warehouse import WORK_FILE, warehouse_at
from tasks.run import BadData, dataset_name, home_lock

SAID_BY_PEOPLE = ("human_score", "rationale")


def refuse_silence(home: Path, data: str, dataset: str | None, *, wait: bool = True) -> None:
    """Stop where neither the files nor the home hold a person's score, label, rationale or preference of the data.

    Files are read only as far as the first of them.

    Raises:
        BadData: saying where scores may come from.
        IntakeError: when a file cannot be read.
        HomeBusy: when another run holds the home and `wait` is off.
    """
    path = Path(data)
    rows = read_data(path).rows
    if any(not isinstance(row, BadRow) and row.kind in SAID_BY_PEOPLE for row in rows):
        return
    name = dataset_name(data, dataset)
    if (home / WORK_FILE).exists() and _said_before(home, name, wait):
        return
    raise BadData(
        f"{data}: nobody has scored these answers, so there is nothing to agree with; lay human_scores.* or"
        f" rationales.* beside them, or evaluate them, then `medassay annotate export` and `import` (data set {name!r})"
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
