"""The template world as data for a judge: documents in the stores, evaluators on loopback, the build of any data."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from medassay.models.chat.endpoint import Endpoint
from medassay.models.judge_training.experts import chosen
from medassay.models.judge_training.folder import CARD, JudgeData, write_data
from medassay.models.judge_training.folders import write_lines
from medassay.models.judge_training.quality import classified, train
from medassay.models.judge_training.records import EvaluationCase, ExpertLabel
from medassay.models.judge_training.scripted import STRONG, WEAK, ScriptedEvaluator, scripted_server
from medassay.models.judge_training.template_world import (
    TEST_SYSTEMS,
    WorldQuestion,
    analysis_of,
    documents_of,
)
from medassay.sql.warehouse import Warehouse
from medassay.tasks.answering.answers import Limits
from medassay.tasks.judge_training.building import build
from medassay.tasks.judge_training.recipe import Recipe
from medassay.tasks.judge_training.stores import add_documents, readable

EVALUATORS = {"strong": STRONG, "weak": WEAK}
N_CHECKED = 150
KEPT_FROM = 0.5
"""Kept is what more probably passes than not: a threshold chosen on so few kept 201 cases here and 282 there."""


@contextmanager
def world_evaluators(questions: list[WorldQuestion], seed: int) -> Iterator[dict[str, Endpoint]]:
    """Serve the scripted evaluators, by their names, while the block runs."""
    scripted = {name: ScriptedEvaluator(questions, temper, seed) for name, temper in EVALUATORS.items()}
    with scripted_server(scripted) as base_url:
        # What they say depends on the seed alone, so that the port has no part in how calls are kept.
        yield {
            name: Endpoint(base_url, name, "judge", f"scripted:{name}:{seed}:{len(questions)}")
            for name in scripted
        }


def build_world(
    warehouse: Warehouse,
    home: Path,
    out: Path,
    evaluators: dict[str, Endpoint],
    questions: list[WorldQuestion],
    *,
    seed: int,
    knows: bool = True,
) -> Path:
    """Build the world's data into a folder: chain, checks by one who knows the truth, classifier, splits.

    Args:
        warehouse: where stores and calls are kept.
        home: its home.
        out: folder to write.
        evaluators: the scripted ones.
        questions: of the world.
        seed: of the draws.
        knows: whether evaluators may ask the stores; without, nothing is checked or classified either.
    """
    if (out / CARD).is_file():
        return out
    source = write_world(out / "source", questions, seed)
    add_documents(warehouse, "medicine", readable(sorted((source / "documents").iterdir())))
    recipe = Recipe(
        systems=(), strong=evaluators["strong"], weak=evaluators["weak"], test_systems=tuple(TEST_SYSTEMS),
        with_given=True, reference_as_doctor=False, orders="one", test_share=0.2, seed=seed, rules=(),
        most_questions=3 if knows else 0,
    )  # fmt: skip
    data = build(warehouse, home, source, recipe, Limits()).data
    by_id = {question.question_id: question for question in questions}
    data = replace(data, cases=[with_gold(case, by_id[case.question_id]) for case in data.cases])
    if knows:
        data = checked(data, by_id, seed)
        from medassay.models.embedding import load_embedder

        classifier, card = train(data.cases, load_embedder("embedded"), seed=seed, threshold=KEPT_FROM)
        data = classified(data, classifier, card)
    write_data(out, data)
    return out


def with_gold(case: EvaluationCase, question: WorldQuestion) -> EvaluationCase:
    """Return a case with the true points of its responses, in their order."""
    points = dict(zip(question.responses, question.points, strict=True))
    return replace(case, gold=tuple(float(points[text]) for text in case.responses))


def checked(data: JudgeData, by_id: dict[str, WorldQuestion], seed: int) -> JudgeData:
    """Return the data with some training cases checked by one who knows the truth: right evaluations pass."""
    training = [case for case in data.cases if data.parts[case.question_id] != "test"]
    some = {case.case_id for case in chosen(training, N_CHECKED, seed)}
    cases = [
        replace(case, expert_labels=(_label(case, by_id[case.question_id]),))
        if case.case_id in some
        else case
        for case in data.cases
    ]
    return replace(data, cases=cases)


def write_world(folder: Path, questions: list[WorldQuestion], seed: int) -> Path:
    """Write questions, answers and documents as files that `judge-data` reads."""
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    for drug, text in documents_of(seed).items():
        (folder / "documents" / f"{drug}.txt").write_text(text + "\n", "utf-8")
    rows = [
        {"question_id": q.question_id, "question": q.question, "reference_answer": q.reference}
        for q in questions
    ]
    answers = [
        {"question_id": q.question_id, "system": system, "answer": text}
        for q in questions
        for system, text in zip(q.systems, q.responses, strict=True)
    ]
    for name, lines in (("questions", rows), ("answers", answers)):
        write_lines(folder / f"{name}.jsonl", lines)
    return folder


def _label(case: EvaluationCase, question: WorldQuestion) -> ExpertLabel:
    truth, _ = analysis_of(question.in_order(case.responses), question.truth)
    return ExpertLabel("the world", case.evaluation.strip() == truth.strip(), True, True)
