"""Retention of rows when runs are pruned, and the copy into a new database file."""

import os
from collections.abc import Sequence
from pathlib import Path

from medassay.sql.home import WORK_FILE
from medassay.sql.snapshot import sync
from medassay.sql.warehouse import STORAGE_VERSION, Warehouse, close_warehouse, statement, warehouse_at

DRAFT_FILE = ".pruned.duckdb"
WHOLE = (
    "warehouse", "human_score", "human_score_record", "evaluation_preference", "evaluation_preference_record",
    "rationale", "nugget_edit", "missing_source", "textless_source", "pubmed_file", "pubmed_change",
    "mart.judge_licence", "entail_shard", "asking_price", "knowledge_document", "knowledge_chunk",
    "judge_case_check", "judge_case_check_record", "sound_chunk",
)  # fmt: skip
"""Tables that belong to the home, not to a run: what people wrote, what was added by hand, what a judge is worth."""

OF_RUNS = "semi join kept_run using (run_id)"
OF_ANSWERS = "semi join kept_answer using (answer_key, fingerprint)"
OF_MATCHES = "semi join kept_match using (answer_key, nugget_set_key, fingerprint)"
OF_WORDS = "semi join kept_words using (text_key) semi join kept_pin using (fingerprint)"
CONTENT = {
    "question": "semi join kept_question using (question_key)",
    "answer": "semi join kept_answer using (answer_key)",
    "nugget_set": "semi join kept_set using (nugget_set_key)",
    "nugget": "semi join kept_set using (nugget_set_key)",
    "context": "semi join kept_contexts using (context_set_key)",
    "guidance_statement": "semi join kept_guidance using (guidance_set_key)",
    "guidance_match": OF_ANSWERS,
    "criterion": "semi join kept_criteria using (criteria_set_key)",
    "criterion_verdict": OF_ANSWERS,
    "decomposition": OF_ANSWERS,
    "claim": OF_ANSWERS,
    "citation": OF_ANSWERS,
    "cited_source": OF_ANSWERS,
    "answer_sentence": OF_ANSWERS,
    "sentence_label": OF_ANSWERS,
    "retrieval": OF_WORDS,
    "retrieved_passage": OF_WORDS,
    # Evidence is named by a digest alone, so it is known by its readings' model, not by the claims of a run; these rows
    # are numbers and digests, and go when no kept run reads with that model.
    "joint_reading": "semi join kept_pin using (fingerprint)",
    "joint_claim": "semi join kept_pin using (fingerprint)",
    "shortlist": OF_MATCHES,
    "shortlist_pair": OF_MATCHES,
    "match_made": OF_MATCHES,
    "nugget_match": OF_MATCHES,
    "claim_match": OF_MATCHES,
    "nugget_assignment": OF_MATCHES,
    "source": "semi join kept_source using (source_id, fetch_no)",
    "passage": "semi join kept_source using (source_id, fetch_no)",
    "source_body": "semi join kept_source on kept_source.body_digest = content_digest",
    "judge_input": "semi join kept_input using (input_key)",
    "judgement": "semi join kept_input using (input_key, fingerprint)",
    "incomplete_judgement": "semi join kept_input using (input_key, fingerprint)",
    "listwise_input": "semi join kept_input using (input_key)",
    "listwise_ranking": "semi join kept_input using (input_key, fingerprint)",
    # A call that was paid for is found again by what was asked, whichever run asked first.
    "model_call": "",
    "fingerprint": "semi join kept_fingerprint using (fingerprint)",
    # What was set aside after it was mended stands for itself from now on.
    "mended_item": (
        "semi join kept_fingerprint using (fingerprint)"
        " anti join kept_outcome using (stage, fingerprint, item_key)"
    ),
    "pruned_outcome": "where false",
}
"""What else each table is filtered by; a table with a run_id and no entry here keeps the rows of kept runs."""

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


def tables_of(warehouse: Warehouse) -> dict[str, bool]:
    """Return every table by its name, `mart.` before those of that schema, and whether its rows name their run."""
    rows = warehouse.rows(
        "select if(schema_name = 'main', '', schema_name || '.') || table_name as name,"
        " bool_or(column_name = 'run_id') as of_run"
        " from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)"
        " where database_name = current_database() group by all order by name"
    )
    return {row["name"]: row["of_run"] for row in rows}


def rule_for(table: str, *, of_run: bool, raw: bool = False) -> str:
    """Return what filters a table's rows; empty where all of them stay."""
    rules = {**CONTENT, **TEXTS, **(WITHOUT_RAW if raw else {})}
    return rules.get(table, OF_RUNS if of_run and table not in WHOLE else "")


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
        run(statement("retention"))
        run("delete from pruned.main.warehouse")
        names = [name for name in tables if name not in MADE_BY_OPENING and name not in TEXTS]
        for name in names:
            rule = rule_for(name, of_run=tables[name], raw=raw)
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
        " and regexp_matches(column_name, '(^|_)(text|premise|hypothesis|passage)_key$')"
    )
    named = " union ".join(f"select {row['column_name']} from pruned.{row['name']}" for row in columns)
    warehouse.execute(f"create or replace temp table kept_text as select * from ({named}) as found(text_key)")
