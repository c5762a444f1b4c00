"""Validate landed rows: valid ones become questions, answers and documents, others go to quarantine."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from medassay.models.intake import Kind, Place, Violation, violations
from medassay.models.intake.catalogue import Catalogue
from medassay.models.intake.expectations import rules_digest
from medassay.models.intake.formats import advised
from medassay.models.keys import content_key
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.documents import accept_documents, documents_of, quarantined_documents_of
from medassay.tasks.membership import (
    accept_answers,
    accept_human_scores,
    accept_questions,
    accept_rationales,
    questions_of,
)
from medassay.tasks.people.score_scales import ADVICE, OUTSIDE, stray_scores
from medassay.tasks.progress import watcher
from medassay.tasks.quarantine_messages import tell
from medassay.tasks.run import BadData, RunRef

CHUNK = 5_000
ROW_KEYS = {
    "question": ("question_id",),
    "answer": ("question_id", "system"),
    "document": ("id",),
    "human_score": ("question_id", "system", "annotator", "metric"),
    "rationale": ("question_id", "system", "author"),
}
UNFIT: dict[Kind, tuple[str, ...]] = {
    "answer": ("landing_strangers",),
    "human_score": ("landing_unanswered_scores", "landing_mixed_roles"),
    "rationale": ("landing_unanswered_scores",),
}
"""Where the rows of a kind stand that do not fit what the run has: answers to no question of it, scores of no answer
of it, scores that take an answer's other role."""


@dataclass(frozen=True)
class Validation:
    """What was read, what was accepted, and which rules rows broke how often."""

    read: dict[str, int]
    accepted: dict[str, int]
    broken: list[dict[str, Any]]

    def markdown(self) -> str:
        """Return the counts as two tables, for the run's page."""
        lines = ["| table | read | accepted | quarantined |", "|---|---:|---:|---:|"]
        left_out = {row["table_name"]: 0 for row in self.broken}
        for row in self.broken:
            left_out[row["table_name"]] += row["n_rows"]
        for name in sorted(set(self.read) | set(left_out)):
            out = left_out.get(name, 0)
            lines.append(f"| {name} | {self.read.get(name, 0)} | {self.accepted.get(name, 0)} | {out} |")
        if self.broken:
            lines += ["", "| table | rule | rows | what to do |", "|---|---|---:|---|"]
            lines += [
                f"| {r['table_name']} | {r['rule']} | {r['n_rows']} | {r['advice']} |" for r in self.broken
            ]
        return "\n".join(lines)


def validate(run: RunRef, *, rehearsed: bool = False) -> Validation:
    """Hold every landed row against its table's suite, accept the sound ones and quarantine the rest.

    Of a rehearsed run nothing is kept, so that nobody is sent to look for its rows.

    Raises:
        BadData: when a rule that the whole table rests on is broken, or nothing is left to evaluate.
    """
    warehouse = run.warehouse
    n_landed = int(warehouse.value("select count(*) from landing where run_id = ?", [run.run_id]))
    watcher().begin("validate", n_landed, n_landed)
    read = rows_read(run)
    with warehouse.transaction():
        for rows in sound_chunks(run, "document"):
            accept_documents(run, rows)
        for rows in sound_chunks(run, "question"):
            accept_questions(run, rows)
    refuse_none(run, "question", read)
    with warehouse.transaction():
        known = Catalogue({**quarantined_documents_of(warehouse), **documents_of(warehouse)})
        questions = questions_of(warehouse)
        for rows in sound_chunks(run, "answer"):
            accept_answers(run, rows, questions, known)
        keep_quarantined_answers(run)
        for rows in sound_chunks(run, "human_score"):
            accept_human_scores(run, rows)
        for rows in sound_chunks(run, "rationale"):
            accept_rationales(run, rows)
    refuse_none(run, "answer", read)
    warehouse.use_threads(1 if run.is_small else None)
    summary = summarise(run, read)
    watcher().end(
        "validate", f"{sum(r['n_rows'] for r in summary.broken)} in quarantine" if summary.broken else ""
    )
    tell(
        run,
        ", which a plan does not keep: `medassay evaluate` puts them into quarantine"
        if rehearsed
        else ': medassay query "from quarantine"',
    )
    return summary


def rows_read(run: RunRef) -> dict[str, int]:
    """Count the rows of the run's data by table, those that could not be read among them."""
    rows = run.warehouse.rows(statement("statements/validate/rows_read"), {"run_id": run.run_id})
    return {row["kind"]: row["n"] for row in rows}


def sound_chunks(run: RunRef, kind: Kind) -> Iterator[list[Row]]:
    """Yield the rows of one kind that keep its rules and fit the others, a chunk at a time; quarantine the rest.

    Repeats are looked for among sound rows: a row that is no use must not cost the run one that is.

    Raises:
        BadData: when a critical rule is broken.
    """
    if not run.warehouse.value(
        "select exists (from landing where run_id = ? and kind = ?)", [run.run_id, kind]
    ):
        return
    drop_copies(run, kind)
    quarantine_faulty(run, kind)
    quarantine_repeats(run, kind)
    for view in UNFIT.get(kind, ()):
        _move(run, view, kind)
    if kind == "human_score":
        quarantine_strays(run)
    for rows in landed_chunks(run, kind):
        yield rows
        watcher().advance("validate", len(rows))


def landed_chunks(run: RunRef, kind: Kind) -> Iterator[list[Row]]:
    """Yield the landed rows of one kind in their order, a chunk at a time."""
    last = -1
    while rows := run.warehouse.rows(
        "select rowid as row_no, file, line, item, value from landing"
        " where run_id = ? and kind = ? and rowid > ? order by rowid limit ?",
        [run.run_id, kind, last, CHUNK],
    ):
        last = rows[-1]["row_no"]
        for row in rows:
            row["value"] = json.loads(row["value"])
        yield rows


def drop_copies(run: RunRef, kind: Kind) -> None:
    """Drop rows that repeat another word for word where that is no fault."""
    run.warehouse.execute(
        "delete from landing where rowid in (select row_no from landing_repeats where kind = ? and rule is null)",
        [kind],
    )


def quarantine_faulty(run: RunRef, kind: Kind) -> None:
    """Quarantine the rows of one kind that break one of its rules, each under the first that it breaks.

    Raises:
        BadData: when a critical rule is broken.
    """
    faulty: list[int] = []
    for rows in landed_chunks(run, kind):
        values = [row["value"] for row in rows]
        digest = content_key([kind, rules_digest(), json.dumps(values, ensure_ascii=False)])
        if run.warehouse.value("select exists (from sound_chunk where digest = ?)", [digest]):
            continue
        broken: dict[int, Violation] = {}
        for violation in violations(kind, values):
            if violation.severity == "critical":
                raise BadData(
                    f"{rows[0]['file']}: {violation.rule}: {violation.observed}; {violation.advice}"
                )
            broken.setdefault(violation.row, violation)
        quarantine(
            run.warehouse,
            [
                quarantined(run, kind, rows[index], violation.rule, violation.observed, violation.advice)
                for index, violation in broken.items()
            ],
        )
        if not broken:
            run.warehouse.insert("sound_chunk", [{"digest": digest, "found_at": datetime.now(UTC)}])
        faulty += [rows[index]["row_no"] for index in broken]
        watcher().advance("validate", len(broken))
    # At once, when all are read: chunks are found by the numbers of their rows.
    run.warehouse.execute("delete from landing where rowid in (select unnest(?::bigint[]))", [faulty])


def quarantined(run: RunRef, kind: str, row: Row, rule: str, observed: str | None, advice: str) -> Row:
    """Build the quarantine row of a landed row, its content kept whole."""
    value = row["value"] if isinstance(row["value"], dict) else {}
    key = "/".join(str(value[name]) for name in ROW_KEYS[kind] if value.get(name) is not None)
    return {
        "run_id": run.run_id,
        "table_name": kind,
        "row_key": key or None,
        "file": row["file"],
        "line": row["line"],
        "rule": rule,
        "observed": observed and Place(row["line"], row["item"]).of(observed),
        "advice": advice,
        "value": json.dumps(row["value"], ensure_ascii=False),
    }


def quarantine(warehouse: Warehouse, rows: list[Row]) -> None:
    """Keep rows that broke a rule, with what was seen and what to do."""
    warehouse.append("rejected_row", rows)


def quarantine_repeats(run: RunRef, kind: Kind) -> None:
    """Keep the first of rows with one id, quarantine those that follow; equal ones are merely dropped."""
    _move(run, "landing_repeats", kind)


def quarantine_strays(run: RunRef) -> None:
    """Quarantine human scores that lie outside the scale of their metric."""
    strays = stray_scores(run.warehouse)
    rows = []
    for stray in strays:
        landed = {
            **stray.row,
            "item": stray.row["place_item"],
            "value": json.loads(stray.row["landed_value"]),
        }
        rows.append(quarantined(run, "human_score", landed, OUTSIDE, stray.observed, ADVICE))
    quarantine(run.warehouse, rows)
    run.warehouse.execute(
        "delete from landing where rowid in (select unnest(?::bigint[]))",
        [[stray.row["row_no"] for stray in strays]],
    )


def _move(run: RunRef, view: str, kind: Kind) -> None:
    warehouse = run.warehouse
    warehouse.execute(
        "insert into rejected_row by name"
        " select run_id, kind as table_name, row_key, file, line, rule, observed, advice, value"
        f" from {view} where kind = ? and rule is not null",
        [kind],
    )
    warehouse.execute(
        f"delete from landing where rowid in (select row_no from {view} where kind = ?)", [kind]
    )


def summarise(run: RunRef, read: dict[str, int]) -> Validation:
    """Count what was accepted and which rules were broken."""
    warehouse = run.warehouse
    accepted = {
        "question": warehouse.value("select count(*) from run_question where run_id = ?", [run.run_id]),
        "answer": warehouse.value("select count(*) from run_answer where run_id = ?", [run.run_id]),
        "document": len(documents_of(warehouse)),
    }
    broken = warehouse.rows(
        "select table_name, rule, any_value(advice) as advice, count(*) as n_rows from rejected_row"
        " where run_id = ? group by table_name, rule order by n_rows desc, table_name, rule",
        [run.run_id],
    )
    return Validation(read, {name: int(n) for name, n in accepted.items()}, broken)


def unasked_reason(run: RunRef) -> str | None:
    """Return why answers could not be had, system by system; None where each has one."""
    said: str | None = run.warehouse.value(
        "select string_agg(system || ': ' || reason, '; ' order by system)"
        " from (select distinct on (system) system, reason from run_unasked"
        " where run_id = ? and not in_quarantine order by question_id)",
        [run.run_id],
    )
    return said


def keep_quarantined_answers(run: RunRef) -> None:
    """Write down which answers are in quarantine, so that none of them passes for its system's silence."""
    run.warehouse.execute(
        "insert or ignore into run_unasked by name"
        " select ? as run_id, question_id, system, rule as reason, true as in_quarantine from quarantined_answers",
        [run.run_id],
    )


def refuse_none(run: RunRef, kind: Literal["question", "answer"], read: dict[str, int]) -> None:
    """Stop where no question or no answer is left, once it is said what is wrong with those that were read.

    Raises:
        BadData: naming what is missing.
    """
    if run.warehouse.value(f"select exists (from run_{kind} where run_id = ?)", [run.run_id]):
        return
    tell(run)
    if kind == "answer" and (why := unasked_reason(run)):
        raise BadData(f"{run.settings.data}: no system could be asked: {why}")
    # Of a line that could not be read in a file of whole records, nobody knows what it was.
    n_read = read.get(kind, 0) + read.get("file", 0)
    advice = "the lines above say why" if n_read else f"give {kind}s in {kind}s.* as {advised()}"
    raise BadData(f"{run.settings.data}: no valid {kind} left of {n_read} read; {advice}")
