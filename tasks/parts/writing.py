"""Write parts: some whole questions of a run with all that its stages read, as Parquet."""

from pathlib import Path

from medassay.models.keys import content_key
from medassay.sql.retention import MADE_BY_OPENING, TEXTS, WHOLE, rule_for, tables_of
from medassay.sql.snapshot import TEXT_KEY
from medassay.sql.views import views_digest
from medassay.sql.warehouse import Warehouse, statement
from medassay.tasks.parts.part import IN, Asked, Place, write_manifest
from medassay.tasks.run import RunRef, code_version

OF_THE_RUN = {
    "run": "where run_id = $run_id",
    "run_stage": "where run_id = $run_id",
    "run_question": "semi join reached_question using (run_id, question_id)",
    "run_answer": "semi join reached_answer using (run_id, question_id, answer_key)",
    "run_own_text": "semi join reached_answer using (run_id, answer_key)",
    "run_source": "semi join part_source using (source_id) where run_id = $run_id",
    "source": "semi join part_source using (source_id) semi join kept_source using (source_id, fetch_no)",
    "passage": "semi join part_source using (source_id) semi join kept_source using (source_id, fetch_no)",
}
"""What is filtered in another way than when runs are pruned: by the part's questions."""
LEFT_OUT = {
    *MADE_BY_OPENING,
    *WHOLE,
    "model_call",
    "source_body",
    "judge_input",
    "judgement",
    "listwise_input",
}
"""Tables that no travelling stage reads: what people wrote, what models replied, what was fetched as it came."""


def code_digest() -> str:
    """Name the code that rows are made by: its version and its views."""
    return content_key([code_version(), views_digest()])


def split_questions(run: RunRef, n: int) -> list[list[str]]:
    """Deal a run's questions out to `n` parts of about equally long answers, longest first.

    A question of which every answer was evaluated before under the same fingerprints is in none.
    """
    rows = run.warehouse.rows(statement("statements/questions_to_send"), [run.run_id])
    parts: list[list[str]] = [[] for _ in range(min(n, len(rows)))]
    sizes = [0] * len(parts)
    for row in rows:
        smallest = sizes.index(min(sizes))
        parts[smallest].append(row["question_id"])
        sizes[smallest] += int(row["size"]) + 1
    return parts


def write_part(run: RunRef, question_ids: list[str], stages: tuple[str, ...], storage: Place) -> Place:
    """Write a part and return its place, named by what it holds: the same questions are the same part."""
    warehouse = run.warehouse
    pins = warehouse.rows("select stage, fingerprint from run_stage where run_id = ?", [run.run_id])
    asked = Asked(
        run.run_id,
        stages,
        {row["stage"]: row["fingerprint"] for row in pins},
        code_digest(),
        len(question_ids),
    )
    answers = warehouse.rows(
        "select answer_key from run_answer where run_id = ? and question_id in (select unnest(?)) order by all",
        [run.run_id, question_ids],
    )
    content = [sorted(question_ids), [row["answer_key"] for row in answers], asked.fingerprints, asked.code]
    place = storage.within(content_key(content)[:16])
    with place.within(IN).being_written() as folder:
        write_tables(warehouse, run.run_id, question_ids, folder)
        write_manifest(folder, asked)
    return place


def write_tables(warehouse: Warehouse, run_id: str, question_ids: list[str], folder: Path) -> None:
    """Write what some questions reach, a file a table."""
    bound = {"run_id": run_id}
    warehouse.execute("create or replace temp table kept_run as select $run_id::varchar as run_id", bound)
    warehouse.execute(
        "create or replace temp table reached_question as from run_question"
        " where run_id = $run_id and question_id in (select unnest($question_ids::varchar[]))",
        {**bound, "question_ids": question_ids},
    )
    warehouse.execute(
        "create or replace temp table reached_answer as from run_answer"
        " semi join reached_question using (run_id, question_id)"
    )
    warehouse.execute(statement("retention"))
    warehouse.execute(
        "create or replace temp table part_source as"
        " select source_id from cited_source semi join kept_answer using (answer_key, fingerprint)"
        " union select source_id from run_own_text semi join reached_answer using (run_id, answer_key)"
        # Sentences are held against every document that was supplied.
        " union select source_id from run_source join run using (run_id)"
        " where run_id = $run_id and run.profile = 'bioace'",
        bound,
    )
    columns = tables_of(warehouse)
    selected = {
        name: f"select {name}.* from main.{name} as {name} {OF_THE_RUN.get(name) or rule_for(name, columns[name])}"
        for name in columns
        if "." not in name
        and name not in LEFT_OUT
        and name not in TEXTS
        and ("run_id" not in columns[name] or name in OF_THE_RUN)
    }
    named = warehouse.rows(
        "select table_name, column_name from duckdb_columns() where schema_name = 'main'"
        " and database_name = current_database() and regexp_matches(column_name, ?)",
        [TEXT_KEY],
    )
    texts = " union ".join(
        f"select {row['column_name']} from ({selected[row['table_name']]})"
        for row in named
        if row["table_name"] in selected
    )
    bound_texts = bound if "$run_id" in texts else {}
    warehouse.execute(
        f"create or replace temp table kept_text as select * from ({texts}) as found(text_key)", bound_texts
    )
    for name, rule in TEXTS.items():
        selected[name] = f"select {name}.* from main.{name} as {name} {rule}"
    for name, query in selected.items():
        target = str(folder / f"{name}.parquet").replace("'", "''")
        warehouse.execute(
            f"copy ({query}) to '{target}' (format parquet)", bound if "$run_id" in query else {}
        )
