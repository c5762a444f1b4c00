"""Pages on which people decide cases of a judge's training, each behind a link of their own.

Experts double check its data; a jury decides the corrections on which evaluators did not agree.
"""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from medassay.flows.serve.access import annotator_key, form_key, one
from medassay.models.report import browse
from medassay.models.usage import UsageError
from medassay.tasks.judge_training.browser_checks import CheckedData
from medassay.tasks.judge_training.jury_votes import Jury

CASES = "cases/"
Given = Mapping[str, Sequence[str]]


def jury_path(training: str, iteration: int | str) -> str:
    """Return the part of an address behind a juror's own that leads to the cases of an iteration."""
    return f"jury/{quote(training, safe='')}/{iteration}/"


def page(data: CheckedData | Jury, key: str, person: str, given: Given) -> str:
    """Show the case that was asked for, else the first that is not decided."""
    work = data.work_of(person)
    item = one(given, "item") or work.next_open or next(iter(work.items))
    if item not in work.items:
        raise UsageError(f"case {item} is not one of these")
    own = form_key(annotator_key(key, person))
    if isinstance(data, Jury):
        return browse.jury_page(work, item, data.waiting[item], person, data.agreement(), own)
    return browse.case_page(work, item, person, data.agreement(), own)


def score(data: CheckedData | Jury, person: str, given: Given) -> str:
    """Save the answers that a form gives, at once; return how far the person is, as JSON."""
    said = {one(given, "aspect"): one(given, "score")} if given.get("aspect") else {
        name: one(given, name) for name in given if name not in ("form_key", "run", "item")
    }  # fmt: skip
    for aspect, answer in said.items():
        data.check(person, one(given, "item"), aspect, answer)
    work = data.work_of(person)
    return json.dumps({"done": work.n_done, "of": len(work.items)})
