"""Retention of rows when runs are pruned, and the copy into a new database file."""

import os
from collections.abc import Sequence
from pathlib import Path

from medassay.sql.home import WORK_FILE
from medassay.sql.snapshot import TEXT_KEY, sync
from medassay.sql.warehouse import STORAGE_VERSION, Warehouse, close_warehouse, statement, warehouse_at

DRAFT_FILE = ".pruned.duckdb"
WHOLE = (
    "warehouse", "human_score", "human_score_record", "evaluation_preference", "evaluation_preference_record",
    "rationale", "nugget_edit", "missing_source", "textless_source", "pubmed_file", "pubmed_change",
    "mart.judge_licence", "asking_price", "knowledge_document", "knowledge_chunk",
    "judge_case_check", "judge_case_check_record", "sound_chunk",
)  # fmt: skip
"""Tables that belong to the home, not to a run: what people wrote, what was added by hand, what a judge is worth."""

BY_KEY = {
    ("run_id",): "semi join kept_run using (run_id)",
    ("answer_key", "nugget_set_key", "fingerprint"): (
        "semi join kept_match using (answer_key, nugget_set_key, fingerprint)"
    ),
    ("answer_key", "fingerprint"): "semi join kept_answer using (answer_key, fingerprint)",
    ("input_key", "fingerprint"): "semi join kept_input using (input_key, fingerprint)",
    (
        "text_key",
        "fingerprint",
    ): "semi join kept_words using (text_key) semi join kept_pin using (fingerprint)",
    ("source_id", "fetch_no"): "semi join kept_source using (source_id, fetch_no)",
    ("answer_key",): "semi join kept_answer using (answer_key)",
    ("question_key",): "semi join kept_question using (question_key)",
    ("nugget_set_key",): "semi join kept_set using (nugget_set_key)",
    ("context_set_key",): "semi join kept_contexts using (context_set_key)",
    ("guidance_set_key",): "semi join kept_guidance using (guidance_set_key)",
    ("criteria_set_key",): "semi join kept_criteria using (criteria_set_key)",
    ("input_key",): "semi join kept_input using (input_key)",
    ("fingerprint",): "semi join kept_fingerprint using (fingerprint)",
}
"""What a table is filtered by that has these columns; the first entry whose columns it has counts."""
EXCEPTIONS = {
    # Evidence is named by a digest alone, so it is known by its readings' model, not by the claims of a run; these rows
    # are numbers and digests, and go when no kept run reads with that model.
    "joint_reading": "semi join kept_pin using (fingerprint)",
    "joint_claim": "semi join kept_pin using (fingerprint)",
    "source_body": "semi join kept_source on kept_source.body_digest = content_digest",
    # A call that was paid for is found again by what was asked, whichever run asked first.
    "model_call": "",
    # What was set aside after it was mended stands for itself from now on.
    "mended_item": (
        "semi join kept_fingerprint using (fingerprint)"
        " anti join kept_outcome using (stage, fingerprint, item_key)"
    ),
    "pruned_outcome": "where false",
}

# After all others: what they name is what is reached.
TEXTS = {
    "text": "semi join kept_text using (text_key)",
    "embedding": "semi join kept_text using (text_key) semi join kept_fingerprint using (fingerprint)",
    "pair_score": (
        "semi join kept_text as premise on premise.text_key = premise_key"
        " semi join kept_text as hypothesis on hypothesis.text_key = hypothesis_key"
        " semi join kept_fingerprint using (fingerprint)"
    ),
}
# `--raw`: only a run that has not ended may still need them.
WITHOUT_RAW = {
    "model_call": "semi join kept_unfinished using (run_id)",
    "source_body": "where false",
}
MADE_BY_OPENING = ("migration", "view_digest")


def prune_home(home: Path, run_ids: Sequence[str], *, raw: bool) -> dict[str, tuple[int, int]]:
    """Replace a home's work file by one that holds these runs and what they reach; return rows before and after.

    The new file is written beside the old one and takes its place in one step: whatever ends the process, the home
    has the one or the other, whole. `raw` leaves out models' raw replies and the bodies of what was fetched.
    """
    draft = home / DRAFT_FILE
    for left in (draft, draft.with_name(draft.name + ".wal")):
        left.unlink(missing_ok=True)
    Warehouse(draft).close()
    counts = _copy(warehouse_at(home), draft, run_ids, raw=raw)
    # Closing writes what is still in the log into the file, so that no log is left for the new one to trip over.
    close_warehouse(home)
    draft.chmod((home / WORK_FILE).stat().st_mode & 0o777)
    sync(draft)
    os.replace(draft, home / WORK_FILE)
    return counts


def tables_of(warehouse: Warehouse) -> dict[str, set[str]]:
    """Return the columns of every table by its name, `mart.` before those of that schema."""
    rows = warehouse.rows(
        "select if(schema_name = 'main', '', schema_name || '.') || table_name as name, list(column_name) as columns"
        " from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)"
        " where database_name = current_database() group by all order by name"
    )
    return {row["name"]: set(row["columns"]) for row in rows}


def rule_for(table: str, columns: set[str], *, raw: bool = False) -> str:
    """Return what filters a table's rows; empty where all of them stay.

    Raises:
        LookupError: for a table that neither names what it belongs to by its columns nor is declared here.
    """
    declared = {**dict.fromkeys(WHOLE, ""), **EXCEPTIONS, **TEXTS, **(WITHOUT_RAW if raw else {})}
    if table in declared:
        return declared[table]
    for keys, rule in BY_KEY.items():
        if columns.issuperset(keys):
            return rule
    raise LookupError(f"{table}: add it to WHOLE or EXCEPTIONS, or give it a key of BY_KEY")


def _copy(
    warehouse: Warehouse, draft: Path, run_ids: Sequence[str], *, raw: bool
) -> dict[str, tuple[int, int]]:
    quoted = str(draft).replace("'", "''")
    run = warehouse.execute
    run(f"attach '{quoted}' as pruned (storage_version '{STORAGE_VERSION}')")
    try:
        tables = tables_of(warehouse)
        run(
            "create or replace temp table kept_run as select unnest($run_ids::varchar[]) as run_id",
            {"run_ids": list(run_ids)},
        )
        run(
            "create or replace temp table reached_question as from run_question semi join kept_run using (run_id)"
        )
        run(
            "create or replace temp table reached_answer as from run_answer semi join kept_run using (run_id)"
        )
        run(statement("retention"))
        run("delete from pruned.main.warehouse")
        names = [name for name in tables if name not in MADE_BY_OPENING and name not in TEXTS]
        for name in names:
            rule = rule_for(name, tables[name], raw=raw)
            run(f"insert into pruned.{_whole(name)} by name from {_whole(name)} {rule}")
        run("insert into pruned.main.pruned_outcome by name from kept_outcome")
        _gather_texts(warehouse)
        for name, rule in TEXTS.items():
            run(f"insert into pruned.{_whole(name)} by name from {_whole(name)} {rule}")
        run("checkpoint pruned")
        return {
            name: (
                int(warehouse.value(f"select count(*) from {_whole(name)}")),
                int(warehouse.value(f"select count(*) from pruned.{_whole(name)}")),
            )
            for name in tables
            if name not in MADE_BY_OPENING
        }
    finally:
        run("detach pruned")


def _whole(name: str) -> str:
    return name if "." in name else f"main.{name}"


def _gather_texts(warehouse: Warehouse) -> None:
    """Find every text that a kept row names, whichever of its columns does."""
    columns = warehouse.rows(
        "select schema_name || '.' || table_name as name, column_name from duckdb_columns()"
        " where database_name = 'pruned' and not internal and table_name not in ('text', 'embedding', 'pair_score')"
        " and regexp_matches(column_name, ?)",
        [TEXT_KEY],
    )
    named = " union ".join(f"select {row['column_name']} from pruned.{row['name']}" for row in columns)
    warehouse.execute(f"create or replace temp table kept_text as select * from ({named}) as found(text_key)")
