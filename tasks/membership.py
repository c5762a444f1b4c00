"""Store valid rows as questions, answers and human scores, members of the run, keyed by content."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from medassay.models.conversation_acts import ActStatement, act_statement
from medassay.models.guidance import GuidanceStatement, guidance_statements
from medassay.models.intake import to_question
from medassay.models.intake.catalogue import Catalogue
from medassay.models.intake.records import question_row
from medassay.models.keys import content_key, text_key
from medassay.models.records import Answer, CitedSpan, Question
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.conversations import places_of, replies_of, store_earlier_questions
from medassay.tasks.nuggets.editing import Edit, edit_base, newest_edits
from medassay.tasks.people.score_import import Taken, take_scores
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef
from medassay.tasks.stages.nuggets import BY_DATA, given_set_key, made_set_key, store_nuggets

SHOWN_EDITS = 20


def accept_questions(run: RunRef, rows: list[Row]) -> None:
    """Store questions by content, with their given nuggets, as members of the run."""
    warehouse, settings = run.warehouse, run.settings
    questions = [(row, to_question(row["value"])) for row in rows]
    warehouse.insert("question", [question_row(question) for _, question in questions])
    edits = newest_edits(warehouse)
    report_stale_edits([question for _, question in questions], edits)
    sets = {}
    for _, question in questions:
        given = [asdict(nugget) for nugget in question.nuggets]
        if given:
            sets[given_set_key(given)] = given
    store_nuggets(
        warehouse,
        [
            {
                "nugget_set_key": key,
                "position": position,
                "text": nugget["text"],
                "importance": nugget["importance"],
                "origin": "given",
                "made_by": BY_DATA,
            }
            for key, nuggets in sets.items()
            for position, nugget in enumerate(nuggets)
        ],
    )
    warehouse.insert(
        "nugget_set",
        [{"nugget_set_key": key, "origin": "given", "created_at": datetime.now(UTC)} for key in sets],
    )
    store_criteria(warehouse, [question for _, question in questions])
    store_guidance(warehouse, [question for _, question in questions])
    store_references(warehouse, [question for _, question in questions])
    warehouse.insert(
        "run_question",
        [
            {
                "run_id": run.run_id,
                "question_id": question.question_id,
                "question_key": question_row(question)["question_key"],
                **nugget_pin(question, settings, edits),
                "criteria_set_key": criteria_set_key(question),
                "guidance_set_key": guidance_set_key(question),
                "question_text_key": text_key(question.question),
                "reference_key": text_key(reference) if (reference := reference_of(question)) else None,
                "file": row["file"],
                "line": row["line"],
            }
            for row, question in questions
        ],
    )


def criteria_set_key(question: Question) -> str | None:
    """Name a question's criteria by their texts, points and tags; None where it has none."""
    return content_key([asdict(one) for one in question.criteria]) if question.criteria else None


def store_criteria(warehouse: Warehouse, questions: list[Question]) -> None:
    """Store the criteria of questions, each set once."""
    sets = {key: one.criteria for one in questions if (key := criteria_set_key(one))}
    texts = {text_key(one.text): one.text for criteria in sets.values() for one in criteria}
    warehouse.insert("text", [{"text_key": key, "text": text} for key, text in texts.items()])
    warehouse.insert(
        "criterion",
        [
            {
                "criteria_set_key": key,
                "position": position,
                "text_key": text_key(one.text),
                "points": one.points,
                "tags": list(one.tags),
            }
            for key, criteria in sets.items()
            for position, one in enumerate(criteria)
        ],
    )


def guidance_set_key(question: Question) -> str | None:
    """Name the instructions of a question's guidance and what must be asked and raised; None where there are none."""
    statements = statements_for(question)
    return content_key(["guidance", *(asdict(one) for one in statements)]) if statements else None


def statements_for(question: Question) -> list[GuidanceStatement]:
    """Return what is read in a question's answers: its guidance, then what must be asked and raised."""
    return [
        *guidance_statements(question.guidance),
        *(act_statement("ask", act.text, act.by_turn) for act in question.must_ask),
        *(act_statement("raise", act.text, act.by_turn) for act in question.red_flags),
    ]


def store_guidance(warehouse: Warehouse, questions: list[Question]) -> None:
    """Store the instructions of questions' guidance, each set once."""
    sets = {key: statements_for(one) for one in questions if (key := guidance_set_key(one))}
    texts = {one.statement for statements in sets.values() for one in statements}
    warehouse.insert("text", [{"text_key": text_key(text), "text": text} for text in texts])
    warehouse.insert(
        "guidance_statement",
        [
            {
                "guidance_set_key": key,
                "position": position,
                "kind": one.kind,
                "words": one.words,
                "text_key": text_key(one.statement),
                "by_turn": one.by_turn if isinstance(one, ActStatement) else None,
            }
            for key, statements in sets.items()
            for position, one in enumerate(statements)
        ],
    )


def reference_of(question: Question) -> str | None:
    """Return what claims are held against as a whole: the reference answer, else the nuggets, one a line."""
    given = (question.reference_answer or "").strip()
    # In an order of their own: that of the data changes nothing.
    return given or "\n".join(sorted(nugget.text.strip() for nugget in question.nuggets)) or None


def store_references(warehouse: Warehouse, questions: list[Question]) -> None:
    """Store questions and their references as texts that can be embedded and read."""
    texts = {text for one in questions for text in (one.question, reference_of(one)) if text}
    warehouse.insert("text", [{"text_key": text_key(text), "text": text} for text in texts])


def nugget_pin(question: Question, settings: Settings, edits: dict[tuple[str, str], Edit]) -> Row:
    """Return which nuggets hold for a question: a person's newest edit, else what was given or will be made.

    An edit holds for the given nuggets that it started from: where the data give others now, they count.
    """
    key, given = question_row(question)["question_key"], edit_base([asdict(n) for n in question.nuggets])
    edit = edits.get((key, given))
    if edit is None:
        return {
            "given_set_key": given,
            "nugget_set_key": nugget_set_of(question, settings),
            "nugget_version": 1,
        }
    return {
        "given_set_key": given,
        "nugget_set_key": edit.nugget_set_key,
        "nugget_version": edit.version,
        "nuggets_edited_by": edit.editor,
    }


def report_stale_edits(questions: list[Question], edits: dict[tuple[str, str], Edit]) -> None:
    """Return which edits are left out because the data now give other nuggets than those that were edited."""
    latest: dict[str, Edit] = {}
    for (key, _), edit in sorted(edits.items(), key=lambda item: item[1].edited_at):
        latest[key] = edit
    lines = [
        f"question {question.question_id!r}: the data give other nuggets than those that {stale.editor} edited on"
        f" {stale.edited_at:%Y-%m-%d}, so the edit is left out; to edit them: medassay nuggets export"
        for question in questions
        if (stale := latest.get(question_row(question)["question_key"])) is not None
        and (question_row(question)["question_key"], edit_base([asdict(n) for n in question.nuggets]))
        not in edits
    ]
    for line in lines[:SHOWN_EDITS]:
        watcher().say(line)
    if len(lines) > SHOWN_EDITS:
        watcher().say(f"… and {len(lines) - SHOWN_EDITS} more edits are left out")


def nugget_set_of(question: Question, settings: Settings) -> str | None:
    """Name the nuggets that a question's answers are held against; None where there is nothing to make them from."""
    if question.nuggets:
        return given_set_key([asdict(nugget) for nugget in question.nuggets])
    if question.reference_answer and question.reference_answer.strip():
        return made_set_key(question.question, question.reference_answer, settings)
    return None


def questions_of(warehouse: Warehouse) -> dict[str, str]:
    """Return the run's questions by id."""
    return {row["question_id"]: row["question"] for row in warehouse.rows("from current_question")}


def accept_answers(run: RunRef, rows: list[Row], questions: dict[str, str], documents: Catalogue) -> None:
    """Store answers by content, with the supplied documents they name, as members of the run.

    A row that says why its answer could not be had is kept with that reason.
    """
    warehouse = run.warehouse
    warehouse.insert(
        "run_unasked",
        [
            {
                "run_id": run.run_id,
                "question_id": row["value"]["question_id"],
                "system": row["value"]["system"],
                "reason": str(row["value"]["failed"]),
            }
            for row in rows
            if row["value"].get("failed")
        ],
    )
    rows = [row for row in rows if not row["value"].get("failed")]
    replies = replies_of(rows, questions)
    store_earlier_questions(run, replies)
    stored = [answer_row(reply.answer, reply.question, documents) for reply in replies]
    warehouse.insert("text", [{"text_key": text_key(r.answer.text), "text": r.answer.text} for r in replies])
    warehouse.insert("answer", stored)
    store_contexts(warehouse, [reply.answer for reply in replies])
    warehouse.insert(
        "run_answer",
        [
            {
                "run_id": run.run_id,
                "question_id": reply.answer.question_id,
                "system": reply.answer.system,
                "answer_key": kept["answer_key"],
                "context_set_key": context_set_key(reply.answer),
                "file": reply.landed["file"],
                "line": reply.landed["line"],
                **place,
            }
            for reply, kept, place in zip(
                replies, stored, places_of(warehouse, run.run_id, replies), strict=True
            )
        ],
    )


def context_set_key(answer: Answer) -> str | None:
    """Name what a system retrieved by its texts, in their order; None where it says nothing of that."""
    return content_key(["contexts", *answer.contexts]) if answer.contexts else None


def store_contexts(warehouse: Warehouse, answers: list[Answer]) -> None:
    """Store the contexts of answers, each set once."""
    sets = {key: one.contexts for one in answers if (key := context_set_key(one))}
    texts = {text_key(text): text for contexts in sets.values() for text in contexts}
    warehouse.insert("text", [{"text_key": key, "text": text} for key, text in texts.items()])
    warehouse.insert(
        "context",
        [
            {"context_set_key": key, "position": position, "text_key": text_key(text)}
            for key, contexts in sets.items()
            for position, text in enumerate(contexts)
        ],
    )


def _span(span: CitedSpan) -> Row:
    """Lay a span out; what is no given sentence keeps the keys that it always had."""
    return {name: value for name, value in asdict(span).items() if name != "is_sentence" or value}


def answer_row(answer: Answer, question: str, documents: Catalogue) -> Row:
    """Return an answer's content and the key made of it.

    The question is part of it, since a restatement of the question needs no citation, and so are the names of supplied
    documents in it, since they tell a citation from a bracketed word.
    """
    listed = (
        name for r in answer.references for name in (r.document, r.title, r.source, r.content, r.marker)
    )
    cited = (name for span in answer.cited_spans for name in span.citations)
    named = documents.named_in([answer.text, *filter(None, listed), *cited])
    content: dict[str, Any] = {
        "question": question,
        "text": answer.text,
        "references": [asdict(reference) for reference in answer.references],
        "cited_spans": [_span(span) for span in answer.cited_spans],
        "documents": sorted(named.items()),
    }
    return {
        "answer_key": content_key(content),
        "question": question,
        "text_key": text_key(answer.text),
        "reference_list": json.dumps(content["references"], ensure_ascii=False),
        "cited_spans": json.dumps(content["cited_spans"], ensure_ascii=False),
        "documents": json.dumps(content["documents"], ensure_ascii=False),
    }


def accept_human_scores(run: RunRef, rows: list[Row]) -> Taken:
    """Store what people scored; the same row again changes nothing, a changed one takes the old one's place."""
    dataset = run.warehouse.value("select dataset from current_run")
    return take_scores(run.warehouse, dataset, [row["value"] for row in rows], "data")


def accept_rationales(run: RunRef, rows: list[Row]) -> None:
    """Store why people or judges scored answers as they did; an author's new words take the old ones' place."""
    dataset = run.warehouse.value("select dataset from current_run")
    names = ("question_id", "system", "author", "rationale")
    said = [{"dataset": dataset, **{name: row["value"][name] for name in names}} for row in rows]
    run.warehouse.execute(
        "delete from rationale where dataset = $dataset and (question_id, system, author) in"
        " (select (unnest($questions), unnest($systems), unnest($authors)))",
        {
            "dataset": dataset,
            "questions": [row["question_id"] for row in said],
            "systems": [row["system"] for row in said],
            "authors": [row["author"] for row in said],
        },
    )
    run.warehouse.append("rationale", said)
