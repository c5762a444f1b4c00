"""Fault of a single field in a few words, or None."""

import math
from typing import Any

from medassay.models.intake.rows import spelled, unclean
from medassay.models.people.labels import LabelledItem, label_of
from medassay.models.people.scales import named_scale

Row = dict[str, Any]
IMPORTANCE = ("vital", "okay")


def words(value: Any) -> str | None:
    """Return a text with words in it; anything else is nothing."""
    return value if isinstance(value, str) and value.strip() else None


def plain(value: Any) -> str:
    """Return a text that can be looked up in a set, whatever the value is."""
    return value if isinstance(value, str) else spelled(value)


def unreadable_share(text: Any) -> float | None:
    """Return the share of a text's characters that were lost in an earlier conversion."""
    return text.count("\ufffd") / len(text) if isinstance(text, str) and text else None


def length(row: Row, name: str) -> float | None:
    """Count a text's characters; those of the sentences or sections that stand in its place where there is none."""
    if isinstance(row.get(name), str):
        return float(len(row[name]))
    parts = row.get({"answer": "sentences", "text": "sections"}.get(name, name))
    listed = parts.values() if isinstance(parts, dict) else parts if isinstance(parts, list) else ()
    texts = [part.get("text") if isinstance(part, dict) else part for part in listed]
    return float(sum(len(text) for text in texts if isinstance(text, str))) if texts else None


def storage_fault(row: Row) -> str | None:
    """Find a text anywhere in the row that no database can hold."""
    return unclean(row)


def nuggets_fault(row: Row) -> str | None:
    """Find the first nugget that is neither a text nor an object with one and a known importance."""
    nuggets = row.get("nuggets")
    if nuggets is None:
        return None
    if not isinstance(nuggets, list):
        return spelled(nuggets)
    return next(
        (f"nugget {n}: {fault}" for n, nugget in enumerate(nuggets, 1) if (fault := _nugget_fault(nugget))),
        None,
    )


def _nugget_fault(nugget: Any) -> str | None:
    text = nugget.get("text") if isinstance(nugget, dict) else nugget
    if not words(text):
        return f"no text in {spelled(nugget, 60)}"
    if isinstance(nugget, dict) and nugget.get("importance") not in (None, *IMPORTANCE):
        return f"importance {spelled(nugget['importance'], 40)}"
    return None


def criteria_fault(row: Row) -> str | None:
    """Find the first criterion without a text, a number of points other than 0, or a list of texts as tags."""
    criteria = row.get("criteria")
    if criteria is None:
        return None
    if not isinstance(criteria, list):
        return spelled(criteria)
    return next(
        (f"criterion {n}: {fault}" for n, c in enumerate(criteria, 1) if (fault := _criterion_fault(c))), None
    )


def _criterion_fault(criterion: Any) -> str | None:
    if not isinstance(criterion, dict) or words(criterion.get("text")) is None:
        return spelled(criterion, 60)
    points, tags = criterion.get("points"), criterion.get("tags")
    if not isinstance(points, int | float) or not _is_number(points) or points == 0:
        return f"points is {spelled(points, 40)}"
    sound = isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
    return None if sound else f"tags is {spelled(tags, 60)}"


def acts_fault(name: str, row: Row) -> str | None:
    """Find the first of what must be asked or raised that is no text, or whose turn is no number from 1."""
    listed = row.get(name)
    if listed is None:
        return None
    if not isinstance(listed, list):
        return spelled(listed)
    return next((f"item {n}: {fault}" for n, one in enumerate(listed, 1) if (fault := _act_fault(one))), None)


def _act_fault(act: Row) -> str | None:
    if not words(act.get("text")):
        return f"no text in {spelled(act, 60)}"
    turn = act.get("by_turn", 1)
    sound = isinstance(turn, int | float) and _is_number(turn) and turn >= 1 and float(turn).is_integer()
    return None if sound else f"by_turn is {spelled(turn, 40)}"


def contexts_fault(row: Row) -> str | None:
    """Describe what stands where a list of texts should."""
    contexts = row.get("contexts")
    sound = contexts is None or (
        isinstance(contexts, list) and all(isinstance(text, str) for text in contexts)
    )
    return None if sound else spelled(contexts, 60)


def answer_fault(row: Row) -> str | None:
    """Tell what stands where the answer should; an empty text is an answer, so are sentences, and why there is none."""
    if isinstance(row.get("answer"), str) or row.get("failed"):
        return None
    if row.get("sentences") is not None or row.get("turns") is not None:
        return None
    return seen(row.get("answer"))


_NOTHING = object()


def sentences_fault(row: Row) -> str | None:
    """Find the first sentence that is neither a text nor an object with one and a list of citations."""
    sentences = row.get("sentences")
    if sentences is None:
        return None
    if not isinstance(sentences, list):
        return spelled(sentences)
    return next(
        (f"sentence {n}: {fault}" for n, s in enumerate(sentences, 1) if (fault := _sentence_fault(s))), None
    )


def _sentence_fault(sentence: Any) -> str | None:
    if not isinstance(sentence, dict):
        return None if isinstance(sentence, str) else spelled(sentence, 60)
    if not isinstance(sentence.get("text"), str):
        return spelled(sentence, 60)
    cited = sentence.get("citations")
    if cited is None:
        return None
    if not isinstance(cited, list):
        return f"citations is {spelled(cited, 60)}"
    unnamed = next((name for name in cited if not _name(name)), _NOTHING)
    return None if unnamed is _NOTHING else f"a citation is {spelled(unnamed, 60)}"


def _name(value: Any) -> bool:
    return words(value) is not None or (isinstance(value, int | float) and not isinstance(value, bool))


def identifiers_fault(row: Row) -> str | None:
    """Describe what stands where a document's list of further identifiers should."""
    listed = row.get("identifiers")
    sound = listed is None or (isinstance(listed, list) and all(_name(name) for name in listed))
    return None if sound else spelled(listed)


def document_fault(row: Row) -> str | None:
    """Return which part of a document has no words, or that none has."""
    sections = row.get("sections")
    if not sections:
        return None if words(row.get("text")) else seen(row.get("text"))
    parts = list(sections.values()) if isinstance(sections, dict) else sections
    if not isinstance(parts, list):
        return spelled(sections)
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    wrong = next((n for n, text in enumerate(texts, 1) if not isinstance(text, str)), None)
    if wrong is not None:
        return f"section {wrong}: {spelled(parts[wrong - 1], 60)}"
    return None if any(words(text) for text in texts) else f"{len(texts)} empty sections"


def score_fault(row: Row) -> str | None:
    """Describe what stands where a number or a label should."""
    if words(row.get("label")) or _is_number(row.get("score")):
        return None
    return seen(row.get("score"))


def scale_fault(row: Row) -> str | None:
    """Return a line that says that a score lies outside the scale that its row names, or that this is no scale."""
    if row.get("scale") is None:
        return None
    scale, score = named_scale(row["scale"]), row.get("score")
    if scale is None:
        return f"scale {spelled(row['scale'], 40)}"
    return f"{score:g} on {scale}" if isinstance(score, int | float) and not scale.holds(score) else None


def label_fault(item: LabelledItem, row: Row) -> str | None:
    """Show a label of a nugget or criterion that is none of the known words; a number that is none is no label."""
    if (row.get("target") or "answer") != item:
        return None
    label = row.get("label")
    if not words(label):
        return f"no label, and score {seen(row.get('score'))}"
    return None if label_of(item, str(label)) else f"label {spelled(label, 40)}"


def seen(value: Any) -> str:
    """Show what stands where something else should."""
    return "nothing there" if value is None else spelled(value)


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False
