"""Conversations of a run: each reply as an answer of its own, with what was said before it."""

from dataclasses import dataclass

from medassay.models.intake import to_answer
from medassay.models.intake.conversations import Turn, turns_of
from medassay.models.intake.records import question_row
from medassay.models.keys import text_key
from medassay.models.records import Answer, Question
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.run import RunRef


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as a run takes it, with the landed row that it came with and the question that it answers.

    `turn` is its place in a conversation of `n_turns` replies; None for an answer to a question that stands alone.
    """

    landed: Row
    answer: Answer
    question: str
    turn: Turn | None = None
    n_turns: int = 1

    @property
    def conversation_id(self) -> str:
        """The question that stands for the whole conversation."""
        return str(self.landed["value"]["question_id"])

    @property
    def is_earlier(self) -> bool:
        """Whether a later reply follows."""
        return self.turn is not None and self.turn.number < self.n_turns


def replies_of(rows: list[Row], questions: dict[str, str]) -> list[Reply]:
    """Return the answers of landed rows: one each, and of a conversation each reply of the assistant."""
    return [reply for row in rows for reply in _of_row(row, questions[row["value"]["question_id"]])]


def _of_row(row: Row, question: str) -> list[Reply]:
    value: Row = row["value"]
    turns = turns_of(value["turns"]) if value.get("turns") else []
    if not turns or (len(turns) == 1 and not turns[0].history and turns[0].asked == question):
        return [Reply(row, to_answer(value), question)]
    found = []
    for turn in turns:
        earlier = {
            "question_id": f"{value['question_id']}, turn {turn.number}",
            "system": value["system"],
            **turn.answer,
        }
        # What the user says is read with all that was said before, as a question of several messages is.
        asked = f"{turn.history}\n\nuser: {turn.asked}" if turn.history else turn.asked
        answer = to_answer(value if turn.number == len(turns) else earlier)
        found.append(Reply(row, answer, asked, turn, len(turns)))
    return found


def store_earlier_questions(run: RunRef, replies: list[Reply]) -> None:
    """Store a question for each earlier reply; where systems' users say different things, the first one's words."""
    earlier = [reply for reply in replies if reply.turn and reply.is_earlier]
    if not earlier:
        return
    conversations = {
        row["question_id"]: row
        for row in run.warehouse.rows(
            "select question_id, guidance_set_key, risk_level, category, case_id"
            " from run_question join question using (question_key) where run_id = ?",
            [run.run_id],
        )
    }
    questions, members = [], []
    for reply in earlier:
        whole = conversations[reply.conversation_id]
        question = Question(
            reply.answer.question_id,
            reply.turn.asked if reply.turn else "",
            risk_level=whole["risk_level"],
            category=whole["category"],
            case_id=whole["case_id"],
        )
        row = question_row(question)
        questions.append(row)
        members.append(
            {
                "run_id": run.run_id,
                "question_id": question.question_id,
                "question_key": row["question_key"],
                "guidance_set_key": whole["guidance_set_key"],
                "question_text_key": text_key(question.question),
                "file": reply.landed["file"],
                "line": reply.landed["line"],
            }
        )
    run.warehouse.insert("question", questions)
    run.warehouse.insert("run_question", members)


def places_of(warehouse: Warehouse, run_id: str, replies: list[Reply]) -> list[Row]:
    """Return where in its conversation each reply stands, as columns of `run_answer`; what was said is stored."""
    said = {text for one in replies if one.turn for text in (one.turn.asked, one.turn.history) if text}
    warehouse.insert("text", [{"text_key": text_key(text), "text": text} for text in said])
    nuggets = (
        {
            row["question_id"]: row["nugget_set_key"]
            for row in warehouse.rows(
                "select question_id, nugget_set_key from run_question where run_id = ?", [run_id]
            )
        }
        if said
        else {}
    )
    return [
        {
            "conversation_id": reply.conversation_id,
            "turn": reply.turn.number,
            "n_turns": reply.n_turns,
            "asked_text_key": text_key(reply.turn.asked),
            "history_text_key": text_key(reply.turn.history) if reply.turn.history else None,
            "conversation_nugget_set_key": nuggets[reply.conversation_id] if reply.is_earlier else None,
        }
        if reply.turn
        else {}
        for reply in replies
    ]
