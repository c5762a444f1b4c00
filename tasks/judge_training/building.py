"""Data for a judge: questions → responses of several systems → evaluations by the chain → cases and their card."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from medassay.models.chat.cap import Cap
from medassay.models.embedding import load_embedder
from medassay.models.judge_training.chain import Chain, Evaluated, Posed
from medassay.models.judge_training.composing import Part, parts_of
from medassay.models.judge_training.folder import JudgeData
from medassay.models.judge_training.knowledge import Library, NoLibrary
from medassay.models.judge_training.questions import Drop, Question, sift
from medassay.models.judge_training.records import EvaluationCase, Strength, case_key
from medassay.models.judges.listwise.judge import MOST_ANSWERS
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Warehouse
from medassay.tasks.answering.answers import Limits
from medassay.tasks.answering.asked_questions import read_questions
from medassay.tasks.judge_training.checks import stored_checks
from medassay.tasks.judge_training.evaluating import evaluate_cases
from medassay.tasks.judge_training.recipe import Recipe
from medassay.tasks.judge_training.responses import asked_answers, given_answers, posed_cases, refuse_named
from medassay.tasks.judge_training.stores import StoredLibrary, list_stores
from medassay.tasks.run import BadData
from medassay.tasks.spending.caps import common_cap


@dataclass(frozen=True, slots=True)
class Built:
    """The data, and how many cases are still to be evaluated, with the first reason; and what was spent now."""

    data: JudgeData
    n_undone: int
    first_reason: str | None
    n_calls: int
    reached: str | None


def build(warehouse: Warehouse, home: Path, path: Path, recipe: Recipe, limits: Limits) -> Built:
    """Build the data from the questions of a folder or file.

    Every paid call is in the ledger before the next is made: a build that was stopped, killed or capped goes on where
    it was when it is started again.

    Raises:
        BadData: where no question is left, or a system is both asked and given.
        PhiFound: before anything that may name a patient is sent.
    """
    asked_of = read_questions(path)
    given = given_answers(asked_of, recipe)
    questions = [
        Question(row["question_id"], row["question"], row.get("reference_answer"))
        for row in asked_of.questions
    ]
    kept, drops = sift(questions, recipe.rules, recipe.bounds)
    drops = [
        Drop("input", "refused_row", None, line, "the row, or a part of it, breaks a rule of the data")
        for line in asked_of.rejected
    ] + drops
    library = _library(warehouse, recipe)
    if recipe.least_relevance is not None and isinstance(library, StoredLibrary):
        kept, more = _relevant(kept, library, recipe.least_relevance)
        drops += more
    if not kept:
        raise BadData(f"{path}: no question is left; the first was dropped by the rule {drops[0].rule}")
    strong_share = recipe.strong_share if recipe.weak else 1.0
    parts = parts_of(kept, test_share=recipe.test_share, strong_share=strong_share, seed=recipe.seed)
    refuse_named(warehouse, recipe, kept, given, limits)
    cap = common_cap(limits)
    responses, failed, n_calls = asked_answers(warehouse, home, recipe, kept, parts, given, limits, cap)
    drops += failed
    posed, more = posed_cases(recipe, kept, parts, responses, {drop.question_id for drop in failed})
    drops += more
    cases, more, n_sent, undone = _evaluated(
        warehouse, home, recipe, {q.question_id: q for q in kept}, posed, library, limits, cap
    )
    data = JudgeData(cases, parts, drops + more, _card(warehouse, path, recipe, questions, kept, cases))
    reasons = [drop.observed for drop in failed] + undone
    return Built(
        data.labelled(stored_checks(warehouse)),
        len(reasons),
        next(iter(reasons), None),
        n_calls + n_sent,
        cap.reached,
    )


def _library(warehouse: Warehouse, recipe: Recipe) -> StoredLibrary | NoLibrary:
    """Return the passages that questions are answered from.

    Raises:
        UsageError: where evaluators may ask, or relevance counts, and no document is in any store.
    """
    stores = {row["store"] for row in list_stores(warehouse)}
    if recipe.most_questions and not stores:
        raise UsageError(
            "no document is in a knowledge store: add some with `medassay judge-data store add --kind medicine FILES`,"
            " or choose --most-questions 0"
        )
    if recipe.least_relevance is not None and "medicine" not in stores:
        raise UsageError("--least-relevance needs documents in the store of medicine")
    if not recipe.most_questions and recipe.least_relevance is None:
        return NoLibrary()
    return StoredLibrary(
        warehouse, load_embedder(recipe.embedder), n_passages=recipe.n_passages, method=recipe.search
    )


def _relevant(
    questions: Sequence[Question], library: StoredLibrary, least: float
) -> tuple[list[Question], list[Drop]]:
    relevance = library.relevance([question.question for question in questions])
    why = f"no passage of the store of medicine comes as near as {least:g}"
    kept, drops = [], []
    for question, score in zip(questions, relevance, strict=True):
        if score >= least:
            kept.append(question)
        else:
            drops.append(Drop("questions", "not_medical", question.question_id, f"cosine {score:.3f}", why))
    return kept, drops


def _evaluated(
    warehouse: Warehouse,
    home: Path,
    recipe: Recipe,
    questions: Mapping[str, Question],
    posed: Sequence[tuple[Posed, Part]],
    library: Library,
    limits: Limits,
    cap: Cap,
) -> tuple[list[EvaluationCase], list[Drop], int, list[str]]:
    """Return the cases, a row for each without points, the calls made now, and why cases were not evaluated."""
    cases: list[EvaluationCase] = []
    drops: list[Drop] = []
    n_sent, undone = 0, list[str]()
    for strength in ("strong", "weak"):
        own = [one for one, part in posed if recipe.strength_of(part) == strength]
        if not own:
            continue
        endpoint = recipe.endpoint_of(strength)
        found, n = evaluate_cases(
            warehouse, home, endpoint, own, library,
            most_questions=recipe.most_questions, limits=limits, cap=cap,
        )  # fmt: skip
        n_sent += n
        for one, evaluated in zip(own, found, strict=True):
            question = questions[one.shown.question_id]
            if evaluated.status is None:
                reason = evaluated.reason or "the evaluator was not reached"
                undone.append(reason)
                why = "the evaluator was not reached; the next build asks again"
                drops.append(Drop("evaluation", "not_evaluated", question.question_id, reason, why))
                continue
            case = case_of(question, one, evaluated, endpoint.label, strength)
            cases.append(case)
            if case.status == "abstained":
                why = "an evaluation without points teaches nothing"
                drops.append(
                    Drop(
                        "evaluation", "abstained", question.question_id, case.reason or "", why,
                        case_id=case.case_id,
                    )
                )  # fmt: skip
    return cases, drops, n_sent, undone


def case_of(
    question: Question, posed: Posed, evaluated: Evaluated, evaluator: str, strength: Strength
) -> EvaluationCase:
    """Lay out what came of one case as a record."""
    texts = dict(posed.shown.answers)
    responses = tuple(texts[system] for system in posed.order)
    scored = evaluated.scored
    evaluation = scored.evaluation if scored else ""
    return EvaluationCase(
        case_id=case_key(
            question.question, responses, posed.order, evaluator, question.question_id, evaluation
        ),
        question_id=question.question_id,
        question=question.question,
        responses=responses,
        systems=posed.order,
        reference=question.reference,
        evaluation=evaluation,
        scores=scored.points if scored else None,
        gold=None,
        evaluator=evaluator,
        strength=strength,
        exchanges=evaluated.exchanges,
        status="scored" if scored else "abstained",
        reason=evaluated.reason,
    )


def _card(
    warehouse: Warehouse,
    path: Path,
    recipe: Recipe,
    questions: Sequence[Question],
    kept: Sequence[Question],
    cases: Sequence[EvaluationCase],
) -> dict[str, Any]:
    """Describe what was built, and from what."""
    evaluators: dict[str, Any] = {}
    for strength in ("strong", "weak"):
        if strength == "strong" or recipe.weak is not None:
            endpoint = recipe.endpoint_of(strength)
            fingerprint = Chain(endpoint, most_questions=recipe.most_questions).fingerprint
            evaluators[strength] = {"name": endpoint.label, **fingerprint}
    places: dict[str, list[int]] = {}
    for case in cases:
        if case.status == "scored":
            for place, system in enumerate(case.systems):
                places.setdefault(system, [0] * MOST_ANSWERS)[place] += 1
    return {
        "data": path.name,
        "n_questions": len(questions),
        "n_questions_kept": len(kept),
        "systems": [system.described() for system in recipe.systems],
        "test_systems": list(recipe.test_systems),
        "evaluators": evaluators,
        "stores": [
            {name: row[name] for name in ("store", "name", "digest", "n_chunks")}
            for row in list_stores(warehouse)
        ],
        "chosen": {
            name: getattr(recipe, name)
            for name in (
                "with_given", "reference_as_doctor", "n_doctors", "orders", "test_share", "strong_share",
                "n_passages", "least_relevance", "embedder", "search", "seed",
            )
        },
        "bounds": asdict(recipe.bounds),
        "rules": [rule.rule for rule in recipe.rules],
        "cases": {
            "scored": sum(case.status == "scored" for case in cases),
            "abstained": sum(case.status == "abstained" for case in cases),
            "with_questions": sum(bool(case.exchanges) for case in cases),
            "questions_asked": sum(len(case.exchanges) for case in cases),
        },
        "times_at_place": places,
    }  # fmt: skip
