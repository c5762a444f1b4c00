"""Data for a judge: questions → responses of several systems → evaluations by the chain → a folder of cases."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from models.answering.systems import System
from models.chat.cap import Cap
from models.chat.endpoint import Endpoint
from models.embedding import load_embedder
from models.judge_training.chain import MOST_QUESTIONS, Chain, Evaluated, Posed
from models.judge_training.composing import (
    Orders,
    Part,
    listwise_input,
    orders_of,
    parts_of,
    usable_responses,
)
from models.judge_training.folder import JudgeData
from models.judge_training.knowledge import Library, NoLibrary, SearchMethod
from models.judge_training.questions import Bounds, Drop, Question, Rule, shipped_rules, sift
from models.judge_training.records import REFERENCE, EvaluationCase, Strength, case_key
from models.judges.listwise.judge import FEWEST_ANSWERS, MOST_ANSWERS
from models.settings import UsageError
from sql.warehouse import Row, Warehouse
from tasks.answering.answers import Limits, ask_system, refuse_names
from tasks.answering.asked_questions import Questions, read_questions
from tasks.judge_training.checks import stored_checks
from tasks.judge_training.evaluating import evaluate_cases, refuse_texts
from tasks.judge_training.stores import StoredLibrary, list_stores
from tasks.run import BadData
from tasks.spending import caps
from tasks.spending.caps import common_cap, tariffs

LEAST_TEST_SYSTEMS = 2


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is built: who answers, who evaluates, and how questions and responses are put together.

    `test_systems` answer questions of the test alone, all others questions of training alone. Without a weak evaluator
    all training questions are the strong one's.
    """

    systems: tuple[System, ...]
    strong: Endpoint
    weak: Endpoint | None
    test_systems: tuple[str, ...]
    with_given: bool = False
    reference_as_doctor: bool = True
    n_doctors: int = 3
    orders: Orders = "all"
    test_share: float = 0.2
    strong_share: float = 0.5
    most_questions: int = MOST_QUESTIONS
    n_passages: int = 1
    least_relevance: float | None = None
    embedder: str = "embedded"
    search: SearchMethod = "duckdb"
    seed: int = 0
    rules: tuple[Rule, ...] = field(default_factory=shipped_rules)
    bounds: Bounds = field(default_factory=Bounds)

    def __post_init__(self) -> None:
        """Refuse what cannot be built.

        Raises:
            UsageError: naming the choice and what to choose instead.
        """
        if not FEWEST_ANSWERS <= self.n_doctors <= MOST_ANSWERS:
            raise UsageError(f"--doctors is {self.n_doctors}: choose {FEWEST_ANSWERS} to {MOST_ANSWERS}")
        if self.test_share and len(set(self.test_systems)) < LEAST_TEST_SYSTEMS:
            raise UsageError(
                f"--test-systems names {len(set(self.test_systems))}: name at least {LEAST_TEST_SYSTEMS} that are"
                " kept for the test, or choose --test-share 0"
            )
        if any(system.name == REFERENCE for system in self.systems):
            raise UsageError(f"--system {REFERENCE}: that name is kept for reference answers")

    def strength_of(self, part: Part) -> Strength:
        """Return which evaluator a part of the questions gets; the test gets the strong one."""
        return "weak" if part == "weak" else "strong"

    def endpoint_of(self, strength: Strength) -> Endpoint:
        """Return who that evaluator is."""
        return self.weak if strength == "weak" and self.weak is not None else self.strong


@dataclass(frozen=True, slots=True)
class Built:
    """The data, and how many cases are still to be evaluated, with the first reason; and what was spent now."""

    data: JudgeData
    n_undone: int
    first_reason: str | None
    n_calls: int
    reached: str | None


def refuse_unpriced(recipe: Recipe, home: Path, limits: Limits) -> None:
    """Refuse prices that cannot be read, and a cap in money where a price is not known.

    Raises:
        UsageError: naming the model and where to write its price.
    """
    known = tariffs(home, limits.prices)
    endpoints = [system.endpoint for system in recipe.systems]
    endpoints += [recipe.strong, *([recipe.weak] if recipe.weak else [])]
    if limits.max_money is not None:
        models = dict.fromkeys(endpoint.model for endpoint in endpoints if not endpoint.is_ours)
        caps.refuse_unpriced(models, known, home)


def build(warehouse: Warehouse, home: Path, path: Path, recipe: Recipe, limits: Limits) -> Built:
    """Build the data from the questions of a folder or file.

    Every paid call is in the ledger before the next is made: a build that was stopped, killed or capped goes on where
    it was when it is started again.

    Raises:
        BadData: where no question is left, or a system is both asked and given.
        PhiFound: before anything that may name a patient is sent.
    """
    asked_of = read_questions(path)
    given = _given(asked_of, recipe)
    questions = [
        Question(row["question_id"], row["question"], row.get("reference_answer"))
        for row in asked_of.questions
    ]
    kept, drops = sift(questions, recipe.rules, recipe.bounds)
    drops = [
        Drop("input", "unreadable", None, line, "the row cannot be read") for line in asked_of.rejected
    ] + drops
    library = _library(warehouse, recipe)
    if recipe.least_relevance is not None and isinstance(library, StoredLibrary):
        kept, more = _relevant(kept, library, recipe.least_relevance)
        drops += more
    if not kept:
        raise BadData(f"{path}: no question is left; the first was dropped by the rule {drops[0].rule}")
    strong_share = recipe.strong_share if recipe.weak else 1.0
    parts = parts_of(kept, test_share=recipe.test_share, strong_share=strong_share, seed=recipe.seed)
    _refuse_names(warehouse, recipe, kept, given, limits)
    cap = common_cap(limits)
    responses, failed, n_calls = _responses(warehouse, home, recipe, kept, parts, given, limits, cap)
    drops += failed
    posed, more = _posed(recipe, kept, parts, responses)
    drops += more
    cases, more, n_sent, undone = _evaluated(
        warehouse, home, recipe, {q.question_id: q for q in kept}, posed, library, limits, cap
    )
    data = JudgeData(cases, parts, drops + more, _card(warehouse, path, recipe, questions, kept, cases))
    reasons = [drop.observed for drop in failed if drop.rule == "not_answered"] + undone
    return Built(
        data.labelled(stored_checks(warehouse)),
        len(reasons),
        next(iter(reasons), None),
        n_calls + n_sent,
        cap.reached,
    )


def _given(asked_of: Questions, recipe: Recipe) -> dict[str, dict[str, str]]:
    """Return the given answers by system and question.

    Raises:
        BadData: when a system is both asked and given, or a test system is neither.
    """
    found: dict[str, dict[str, str]] = {}
    for row in asked_of.given if recipe.with_given else ():
        text = row.get("answer") or " ".join(part["text"] for part in row.get("sentences") or ())
        found.setdefault(row["system"], {})[row["question_id"]] = text
    names = {system.name for system in recipe.systems}
    if both := sorted(names & found.keys()):
        raise BadData(f"{', '.join(both)}: both asked and given; give the system that is asked another name")
    if REFERENCE in found:
        raise BadData(f"an answer is given by a system called {REFERENCE!r}: give it another name")
    if unknown := sorted(set(recipe.test_systems) - names - found.keys()):
        advice = (
            "name them with --system" if recipe.with_given else "name them with --system, or use --with-given"
        )
        raise BadData(f"--test-systems {', '.join(unknown)}: neither asked nor given; {advice}")
    n_training = len((names | found.keys()) - set(recipe.test_systems)) + recipe.reference_as_doctor
    if n_training < FEWEST_ANSWERS:
        raise BadData(
            f"{n_training} responses a question would be trained on, and {FEWEST_ANSWERS} are needed: name more"
            " with --system that are not kept for the test"
        )
    return found


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


def _refuse_names(
    warehouse: Warehouse,
    recipe: Recipe,
    questions: Sequence[Question],
    given: Mapping[str, Mapping[str, str]],
    limits: Limits,
) -> None:
    rows: list[Row] = [{"question_id": q.question_id, "question": q.question} for q in questions]
    refuse_names(warehouse, recipe.systems, rows, limits)
    texts = [(f"question {q.question_id}", q.question) for q in questions]
    if recipe.reference_as_doctor:
        texts += [(f"reference answer of {q.question_id}", q.reference or "") for q in questions]
    known = {question.question_id for question in questions}
    texts += [
        (f"answer of {system} to {question_id}", text)
        for system, answers in given.items()
        for question_id, text in answers.items()
        if question_id in known
    ]
    refuse_texts(warehouse, [recipe.strong, *([recipe.weak] if recipe.weak else [])], texts, limits)


def _responses(
    warehouse: Warehouse,
    home: Path,
    recipe: Recipe,
    questions: Sequence[Question],
    parts: Mapping[str, Part],
    given: Mapping[str, Mapping[str, str]],
    limits: Limits,
    cap: Cap,
) -> tuple[dict[str, dict[str, str]], list[Drop], int]:
    """Return responses by question and system, a row for each that a system did not give, and the calls made now."""
    found: dict[str, dict[str, str]] = {question.question_id: {} for question in questions}
    drops, n_calls = [], 0
    for system in recipe.systems:
        is_test = system.name in recipe.test_systems
        rows: list[Row] = [
            {"question_id": q.question_id, "question": q.question}
            for q in questions
            if (parts[q.question_id] == "test") == is_test
        ]
        asked = ask_system(warehouse, home, system, rows, limits, cap)
        n_calls += int(asked.summary()["n_sent"])
        for answer in asked.answers:
            if "failed" in answer:
                drops.append(
                    Drop(
                        "responses", "not_answered", answer["question_id"], answer["failed"],
                        "the system gave no answer; the next build asks again", system.name,
                    )
                )  # fmt: skip
            else:
                found[answer["question_id"]][system.name] = answer["answer"]
    for name, answers in given.items():
        for question_id, text in answers.items():
            if question_id in found and (parts[question_id] == "test") == (name in recipe.test_systems):
                found[question_id][name] = text
    return found, drops, n_calls


def _posed(
    recipe: Recipe,
    questions: Sequence[Question],
    parts: Mapping[str, Part],
    responses: Mapping[str, Mapping[str, str]],
) -> tuple[list[tuple[Posed, Part]], list[Drop]]:
    """Return what evaluators are shown, in each order, and a row for what cannot be shown."""
    posed: list[tuple[Posed, Part]] = []
    drops: list[Drop] = []
    seen: Counter[tuple[Part, tuple[str, ...]]] = Counter()
    for question in questions:
        part = parts[question.question_id]
        with_reference = recipe.reference_as_doctor and part != "test"
        usable, unusable = usable_responses(
            question, responses[question.question_id], with_reference=with_reference
        )
        drops += unusable
        shown = listwise_input(question, usable, recipe.n_doctors, recipe.seed)
        if shown is None:
            why = f"an evaluator compares {FEWEST_ANSWERS} responses at least"
            drops.append(Drop("responses", "too_few", question.question_id, f"{len(usable)} responses", why))
            continue
        systems = (part, tuple(sorted(system for system, _ in shown.answers)))
        posed += [(Posed(shown, order), part) for order in orders_of(shown, recipe.orders, seen[systems])]
        seen[systems] += 1
    return posed, drops


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
    return EvaluationCase(
        case_id=case_key(question.question, responses, posed.order, evaluator, question.question_id),
        question_id=question.question_id,
        question=question.question,
        responses=responses,
        systems=posed.order,
        reference=question.reference,
        evaluation=scored.evaluation if scored else "",
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
    """Say what was built, and from what."""
    evaluators: dict[str, Any] = {}
    for strength in ("strong", "weak"):
        if strength == "strong" or recipe.weak is not None:
            endpoint = recipe.endpoint_of(strength)
            fingerprint = replace(Chain(endpoint), most_questions=recipe.most_questions).fingerprint
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
