"""Store imported human scores; a new score replaces the old one, which is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from medassay.sql.warehouse import Row, Warehouse

Origin = Literal["data", "sheet"]
SCORE_KEY = ("dataset", "question_id", "system", "annotator", "metric", "target", "judge", "item")
SCORED = ("role", "score", "label")
PREFERENCE_KEY = ("dataset", "question_id", "system", "run_a", "run_b", "annotator", "field")
CHECK_KEY = ("case_id", "expert", "criterion")


@dataclass(frozen=True, slots=True)
class Taken:
    """How many were new, how many took another's place, how many said nothing new."""

    n_new: int
    n_changed: int
    n_same: int

    def __add__(self, other: "Taken") -> "Taken":
        """Add the counts."""
        return Taken(self.n_new + other.n_new, self.n_changed + other.n_changed, self.n_same + other.n_same)


def take_scores(warehouse: Warehouse, dataset: str, rows: Sequence[Row], origin: Origin) -> Taken:
    """Store human scores; what changed is in `human_score_record` as it was before.

    A row of the data is held against what the data said last, not against what a sheet has corrected since: an old
    file that is read again takes no correction back. A sheet's row is held against what holds now.
    """
    defaults = {"target": "answer", "judge": "", "item": "", "score": None, "label": None}
    said = [
        {
            "dataset": dataset,
            **defaults,
            **{n: row[n] for n in (*SCORE_KEY, *SCORED) if row.get(n) is not None},
        }
        for row in rows
    ]
    if not said:
        return Taken(0, 0, 0)
    same = " and ".join(f"said.{name} is not distinct from before.{name}" for name in SCORED)
    before = (
        f"(select * from human_score_record where origin = 'data'"
        f" qualify row_number() over (partition by {', '.join(SCORE_KEY)} order by version desc) = 1)"
        if origin == "data"
        else "human_score"
    )
    return _take(warehouse, "human_score", SCORE_KEY, said, before, same, {"origin": origin})


def take_preferences(warehouse: Warehouse, rows: Sequence[Row]) -> Taken:
    """Store which evaluations people prefer; what changed is in `evaluation_preference_record` as it was before."""
    if not rows:
        return Taken(0, 0, 0)
    same = "said.preferred = before.preferred"
    return _take(warehouse, "evaluation_preference", PREFERENCE_KEY, rows, "evaluation_preference", same, {})


def take_case_checks(warehouse: Warehouse, rows: Sequence[Row]) -> Taken:
    """Store experts' checks of evaluations; what changed is in `judge_case_check_record` as it was before."""
    if not rows:
        return Taken(0, 0, 0)
    same = "said.passes = before.passes"
    return _take(warehouse, "judge_case_check", CHECK_KEY, rows, "judge_case_check", same, {})


def _take(
    warehouse: Warehouse,
    table: str,
    key: Sequence[str],
    rows: Sequence[Row],
    before: str,
    same: str,
    more: dict[str, Any],
) -> Taken:
    """Record the rows that say something new, and put them in their places."""
    now = datetime.now(UTC)
    keys = ", ".join(key)
    columns = list(rows[0])
    with warehouse.transaction():
        # Typed like the table, so that a column without a value in it is no text.
        types = {row["column_name"]: row["data_type"] for row in warehouse.rows(
            "select column_name, data_type from duckdb_columns() where table_name = ? and schema_name = 'main'", [table]
        )}  # fmt: skip
        warehouse.execute(
            "create or replace temp table said ("
            + ", ".join(f"{name} {types[name]}" for name in columns)
            + ")"
        )
        warehouse.append("said", rows)
        warehouse.execute(
            f"""
            create or replace temp table news as
            select said.*, now.version as current_version
            from said
            left join {table} as now using ({keys})
            anti join {before} as before
                on {" and ".join(f"before.{name} = said.{name}" for name in key)} and {same}
            """
        )
        n_new, n_changed = (
            int(warehouse.value(f"select count(*) from news where current_version is {what} null") or 0)
            for what in ("", "not")
        )
        extra = {"recorded_at": now, **more}
        values = ", ".join(f"${name} as {name}" for name in extra)
        stored = f"* exclude (current_version), coalesce(current_version, 0) + 1 as version, {values}"
        record = {
            row["column_name"]
            for row in warehouse.rows(
                "select column_name from duckdb_columns() where table_name = ? and schema_name = 'main'",
                [f"{table}_record"],
            )
        }
        dropped = [name for name in (*columns, *extra) if name not in record]
        but = f" exclude ({', '.join(dropped)})" if dropped else ""
        warehouse.execute(
            f"insert into {table}_record by name select *{but} from (select {stored} from news)", extra
        )
        warehouse.execute(f"insert or replace into {table} by name select {stored} from news", extra)
        warehouse.execute("drop table said")
        warehouse.execute("drop table news")
    return Taken(n_new, n_changed, len(rows) - n_new - n_changed)
