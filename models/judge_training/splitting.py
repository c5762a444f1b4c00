"""From cases to training and test sets: R and S by evaluator, R′ and S′ of them what experts and classifier keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from medassay.models.judge_training.composing import Part
from medassay.models.judge_training.questions import Drop, Stage, question_text_key
from medassay.models.judge_training.records import CRITERIA, EvaluationCase

FILES = {
    "train_strong": "R: scored by the strong evaluator",
    "train_weak": "S: scored by the weak evaluator",
    "train_strong_kept": "R′: of R, what the quality classifier keeps",
    "train_weak_kept": "S′: of S, what the quality classifier keeps, of questions that are not in R′",
    "test": "responses of the systems kept for the test, of questions that nothing is trained on",
}


@dataclass(frozen=True, slots=True)
class Splits:
    """The cases of each file by its name, and a row for each case that is in none."""

    files: dict[str, list[EvaluationCase]]
    drops: list[Drop]


def split(
    cases: Sequence[EvaluationCase], parts: Mapping[str, Part], threshold: float | None = None
) -> Splits:
    """Sort scored cases into files; no question, by its words, is in the test and in training, or in R′ and in S′.

    Args:
        cases: those of a build; abstained ones are in no file.
        parts: what each question serves, by its id.
        threshold: the least quality of a case in R′ and S′; None where no classifier was applied, and then there are
            neither of them.
    """
    drops: list[Drop] = []
    sound = [case for case in cases if case.status == "scored" and not _refused(case, drops)]
    test = [case for case in sound if parts[case.question_id] == "test"]
    tested = {question_text_key(case.question) for case in test}
    training = [case for case in sound if parts[case.question_id] != "test"]
    clean = []
    for case in training:
        if question_text_key(case.question) in tested:
            drops.append(_drop(case, "split", "question_in_test", "", "a question is tested or trained on"))
        else:
            clean.append(case)
    by_strength = {
        strength: [case for case in clean if case.strength == strength] for strength in ("strong", "weak")
    }
    files = {"train_strong": by_strength["strong"], "train_weak": by_strength["weak"], "test": test}
    if threshold is not None:
        strong = [case for case in by_strength["strong"] if _is_kept(case, threshold, drops)]
        in_strong = {question_text_key(case.question) for case in strong}
        weak = []
        for case in by_strength["weak"]:
            if question_text_key(case.question) in in_strong:
                why = "a question is in R′ or in S′"
                drops.append(_drop(case, "split", "question_in_strong", "", why))
            elif _is_kept(case, threshold, drops):
                weak.append(case)
        files |= {"train_strong_kept": strong, "train_weak_kept": weak}
    return Splits(files, drops)


def _refused(case: EvaluationCase, drops: list[Drop]) -> bool:
    """Return whether an expert refused a case; the first criterion that failed, and by whom, is its row."""
    for criterion in CRITERIA:
        experts = [label.expert for label in case.expert_labels if not getattr(label, criterion)]
        if experts:
            why = "experts checked it, and a case that fails any criterion is dropped"
            drops.append(_drop(case, "experts", f"fails_{criterion}", f"by {', '.join(experts)}", why))
            return True
    return False


def _is_kept(case: EvaluationCase, threshold: float, drops: list[Drop]) -> bool:
    """Return whether a case that no expert refused is kept: what experts passed is, whatever the classifier says."""
    if case.expert_labels or (case.quality is not None and case.quality >= threshold):
        return True
    observed = "not classified" if case.quality is None else f"quality {case.quality:.3f}"
    why = f"the classifier keeps cases from {threshold:g}"
    drops.append(_drop(case, "quality", "below_threshold", observed, why))
    return False


def _drop(case: EvaluationCase, stage: Stage, rule: str, observed: str, why: str) -> Drop:
    return Drop(stage, rule, case.question_id, observed, why, case_id=case.case_id)
