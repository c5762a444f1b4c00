"""Logs of evaluation tools as declared forms: Inspect, promptfoo, DeepEval, HELM, OpenAI's evals, Phoenix."""

import re
from pathlib import Path
from typing import Any

from medassay.models.intake.adapters.adapter import Record, listed
from medassay.models.intake.adapters.log_records import (
    OF_ROWS,
    LogForm,
    held,
    parsed,
    said_in,
    text_of_content,
)
from medassay.models.intake.conversations import opening
from medassay.models.intake.headings import renamed
from medassay.models.intake.messages import is_talk

_ATTACHED = "attachment://"
_AS_REFERENCE = frozenset(
    "equals iequals similar factuality model-graded-factuality context-recall rouge-n bleu gleu meteor"
    " levenshtein".split()
)
"""promptfoo's assertions whose value is a whole reference answer, not a part of one or a rule."""
_NUMBERED = re.compile(r"test_case_\d+")
"""The names that DeepEval gives test cases without one, after their place in a run."""


def _inspect(sample: Record) -> Record:
    """Put attachments where they belong, choices into the question, and citations as providers give them."""
    attached = sample.get("attachments") or {}
    sample = {
        n: _with_attachments(v, attached) for n, v in sample.items() if n not in ("attachments", "events")
    }
    metadata = sample.get("metadata")
    given = renamed(metadata, None)[0] if isinstance(metadata, dict) else {}
    contexts = given.get("contexts")
    if contexts is None:
        turns = [
            turn
            for turn in listed(sample.get("messages"))
            if turn.get("role") == "tool" and not turn.get("error")
        ]
        contexts = [text_of_content(turn.get("content")) for turn in turns]
    blocks = held(sample, "output.choices.0.message.content")
    said = held(sample, "output.completion")
    if isinstance(blocks, list) and any(
        block.get("citations") for block in blocks if isinstance(block, dict)
    ):
        said = {"role": "assistant", "content": [_block(block) for block in blocks]}
    made = bool(listed(held(sample, "output.choices")))
    own = {name: given.get(name) for name in OF_ROWS}
    # Where the user spoke again, the log holds a conversation; messages of one turn hold calls of tools.
    talk, asked = sample.get("messages"), sample.get("input")
    if _n_said(talk) > max(_n_said(asked), 1):
        own |= {"turns": talk}
    return {**_with_choices(sample), **own, "contexts": contexts, "said": said if made or said else None}


def _n_said(messages: Any) -> int:
    return (
        sum(one.get("role") == "user" for one in messages if isinstance(one, dict))
        if is_talk(messages)
        else 0
    )


def _with_attachments(value: Any, attached: Record) -> Any:
    if isinstance(value, str):
        return attached.get(value.removeprefix(_ATTACHED), value) if value.startswith(_ATTACHED) else value
    if isinstance(value, list):
        return [_with_attachments(part, attached) for part in value]
    return {n: _with_attachments(v, attached) for n, v in value.items()} if isinstance(value, dict) else value


def _block(block: Any) -> Any:
    """Turn a citation's place in the answer (`cited_text` of two numbers) into that of a provider's annotation."""
    cites = listed(block.get("citations")) if isinstance(block, dict) else []
    places = [c for c in cites if isinstance(c.get("cited_text"), list)]
    if not places:
        return block
    annotations = [
        {**c, "type": "url_citation", "start_index": c["cited_text"][0], "end_index": c["cited_text"][1]}
        for c in places
    ]
    return {**block, "citations": [c for c in cites if c not in places], "annotations": annotations}


def _with_choices(sample: Record) -> Record:
    """Write the choices below the question, and a target that is a choice's letter as what that choice says."""
    choices = sample.get("choices")
    if not isinstance(choices, list) or not isinstance(sample.get("input"), str):
        return sample
    lettered = {chr(ord("A") + n): str(choice) for n, choice in enumerate(choices)}
    target = sample.get("target")
    targets: list[Any] = target if isinstance(target, list) else [target]
    asked = "\n".join([sample["input"], *(f"{letter}) {choice}" for letter, choice in lettered.items())])
    return {**sample, "input": asked, "target": [lettered.get(str(target), target) for target in targets]}


def _promptfoo(row: Record) -> Record:
    """Find what the variables hold by their names, the reference answer also among the assertions."""
    given = row["vars"]
    fields, _ = renamed(given, None)
    texts = [value for value in given.values() if isinstance(value, str)]
    asked = fields.get("question") or fields.get("query") or (texts[0] if len(texts) == 1 else None)
    asserted = [
        one.get("value")
        for one in listed(held(row, "testCase.assert"))
        if isinstance(one, dict) and one.get("type") in _AS_REFERENCE and "{{" not in str(one.get("value"))
    ]
    provider = row["provider"] if isinstance(row["provider"], dict) else {"id": row["provider"]}
    system = provider.get("label") or provider.get("id")
    prompts = row.get("prompts")
    several = not isinstance(prompts, list) or len({one.get("raw") for one in prompts}) > 1
    if several and (prompt := _prompt_name(row)):
        system = f"{system}, {prompt}"
    return {
        **row, "asked": asked or held(row, "prompt.raw"), "expected": fields.get("reference_answer") or asserted,
        "contexts": fields.get("contexts"), "id": fields.get("question_id"), "system": system,
        **{name: fields.get(name) for name in OF_ROWS},
    }  # fmt: skip


def _prompt_name(row: Record) -> str | None:
    """Name the prompt among several: by its label, where that is a name and not the prompt itself, or by its id."""
    label = held(row, "prompt.label")
    if isinstance(label, str) and len(label) <= 40 and "{{" not in label:
        return label
    return f"prompt {str(row['promptId'])[:8]}" if row.get("promptId") else None


def _deepeval(case: Record) -> Record:
    """Leave out the name of a test case that only says where in the run it stood."""
    name = case.get("name")
    return {**case, "id": None if name is None or _NUMBERED.fullmatch(str(name)) else name}


def _deepeval_talk(case: Record) -> Record:
    """Take what the test case expects of the conversation as guidance: it is no reference answer."""
    turns = sorted(listed(case.get("turns")), key=lambda turn: turn.get("order") or 0)
    about = {"guidance": case.get("expectedOutcome"), "profile": case.get("userDescription")}
    return {**_deepeval(case), **about, "turns": turns, "asked": opening(turns)}


def _helm(state: Record) -> Record:
    """Take the correct reference, and of a multiple-choice answer what its letter stands for, below the question."""
    references = [one for one in listed(held(state, "instance.references")) if isinstance(one, dict)]
    correct = [held(one, "output.text") for one in references if "correct" in listed(one.get("tags"))]
    asked = held(state, "instance.input.text") or held(state, "instance.input.messages")
    said, *others = listed(held(state, "result.completions")) or [{}]
    said = said.get("text")
    mapping = state.get("output_mapping")
    if isinstance(mapping, dict) and isinstance(asked, str):
        said = mapping.get(said.strip()[:1], said) if isinstance(said, str) else said
        asked = "\n".join([asked, *(f"{letter}) {choice}" for letter, choice in mapping.items())])
    named = held(state, "instance.id")
    changed = held(state, "instance.perturbation.name")
    return {
        **state, "id": f"{named}, {changed}" if changed else named, "asked": asked, "correct": correct,
        "said": said.strip() if isinstance(said, str) else said, "completions": others,
    }  # fmt: skip


def _helm_scenario(path: Path) -> str:
    """Return the scenario that a run's folder is named after: HELM numbers the instances of each from `id0`."""
    name, colon, given = path.resolve().parent.name.partition(":")
    arguments = [one for one in given.split(",") if not one.startswith(("model=", "model_deployment="))]
    return ":".join([name, *filter(None, [",".join(arguments)])]) if colon else ""


def _phoenix(run: Record) -> Record:
    """Take up what the input, the reference and the output hold beside their texts, of a CSV as JSON in its cells."""
    run = {
        name: held if isinstance(held := parsed(value), dict | list) else value for name, value in run.items()
    }
    given, expected, said = (
        renamed(part, None)[0] if isinstance(part := run.get(name), dict) else {}
        for name in ("input", "reference_output", "output")
    )
    own = {name: said.get(name) or expected.get(name) or given.get(name) for name in OF_ROWS}
    contexts = said.get("contexts") or given.get("contexts")
    return {**run, **own, "contexts": contexts, "id": given.get("question_id") or run["example_id"]}


def _openai_evals(item: Record) -> Record:
    """Find question and reference in the data source's item, by the names that it has."""
    given = item["datasource_item"]
    inner = given["item"] if isinstance(given.get("item"), dict) else given
    fields, _ = renamed(inner, None)
    asked = fields.get("question") or fields.get("query") or held(item, "sample.input")
    said = listed(held(item, "sample.output"))
    return {
        **item, "asked": asked, "expected": fields.get("reference_answer"), "contexts": fields.get("contexts"),
        "id": fields.get("question_id", item.get("datasource_item_id")), "said": said_in(said[-1]) if said else None,
        **{name: fields.get(name) for name in OF_ROWS},
    }  # fmt: skip


INSPECT = LogForm(
    "Inspect", ("epoch", "input", "output.model"), ("input",), ("said",), ("target",), ("contexts",), ("id",),
    ("output.model", "eval.model"), ("error.message", "error"), ("epoch",), unread=("scores",), prepare=_inspect,
)  # fmt: skip
FORMS = (
    INSPECT,
    LogForm(
        "promptfoo", ("vars", "provider", "testCase"), ("asked",), ("response.output",), ("expected",), ("contexts",),
        ("id",), ("system",), ("error", "response.error"), counts_repeats=True,
        unread=("gradingResult", "namedScores"), prepare=_promptfoo,
    ),
    LogForm(
        "DeepEval", ("input", "metricsData"), ("input",), ("actualOutput",), ("expectedOutput",), ("retrievalContext",),
        ("id",), ("hyperparameters.model", "hyperparameters.Model"), unread=("metricsData", "context"),
        prepare=_deepeval,
    ),
    LogForm(
        "DeepEval", ("turns", "metricsData"), ("asked", "scenario"), (), (), (), ("id",),
        ("hyperparameters.model", "hyperparameters.Model"), unread=("metricsData", "scenario"), prepare=_deepeval_talk,
    ),
    LogForm(
        "OpenAI evals", ("datasource_item", "sample", "eval_id"), ("asked",), ("said",), ("expected",), ("contexts",),
        ("id",), ("sample.model",), ("sample.error.message",), counts_repeats=True, unread=("results",),
        prepare=_openai_evals,
    ),
    LogForm(
        "Phoenix", ("example_id", "repetition_number", "input"), ("input",), ("output",), ("reference_output",),
        ("contexts",), ("id",), (), ("error",), ("repetition_number",), unread=("annotations",), prepare=_phoenix,
    ),
)  # fmt: skip
HELM = LogForm(
    "HELM", ("instance.input", "request", "train_trial_index"), ("asked",), ("said",), ("correct",), (), ("id",),
    ("adapter_spec.model", "request.model"), ("result.error",), ("train_trial_index",), 0,
    unread=("annotations", "completions"), prepare=_helm,
)  # fmt: skip
ADAPTERS = (*(form.adapter() for form in FORMS), HELM.adapter(_helm_scenario))
