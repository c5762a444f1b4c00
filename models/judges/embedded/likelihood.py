"""How likely the judge's model would have been to say a statement, had it been asked the question.

A small model that calls "three times a year" as correct as "three times a week" would still say the one and not the
other. What counts is the least likely stretch of a statement, so that nothing added around it makes it likelier, and
long statements and short ones are read alike. It is read of what is tied to the question: what speaks of something else
is no reply to it.
"""

import json
import math
from collections.abc import Sequence

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.fence import neutralise
from medassay.models.chat.reply import Complaint
from medassay.models.judges.embedded.weakest import CORRECTNESS
from medassay.models.judges.judgement import JudgeInput
from medassay.models.judges.prompt_files import load_prompt
from medassay.models.judges.statements.on_topic import Statements
from medassay.models.judges.statements.views import as_said, is_beside

PROMPT = "likelihood_system"
STRETCH = 12
"""Tokens. Over so many, the least likely stretch is as likely in a long statement as in a short one; over fewer, long
ones have more chances of an unlikely one, over more, one wrong word is lost in the mean."""
LEAST = -25.0
"""What a token counts at least, in natural logarithms: servers send huge numbers for what cannot be."""


def likelihood_requests(
    judge_input: JudgeInput, said: Statements, sample_no: int = 0, *, of_all: bool = False
) -> list[Request[float]]:
    """Build the requests that read how likely each tied statement is, appeals aside, behind the question.

    With `of_all` those beside the question are among them: which are tied takes an embedder to say.
    """
    return [
        Request(
            item_key=f"{judge_input.input_key}/{CORRECTNESS}/{as_said(view)}",
            messages=behind_the_question(judge_input),
            read=least_likely_stretch,
            max_tokens=len(text.encode()) + 1,
            spelled=text,
            sample_no=sample_no,
        )
        for view in said.texts
        if of_all or not is_beside(view)
        for text in [list(said.read_at_once(view).values())[-1]]
        if text
    ]


def behind_the_question(judge_input: JudgeInput) -> tuple[Message, ...]:
    """Return what stands before a statement that is spelled."""
    asked = neutralise(judge_input.question).strip()
    return Message("system", load_prompt(PROMPT)), Message("user", asked)


def least_likely_stretch(text: str) -> float:
    """Return the lowest mean log-probability of twelve tokens in a row; of all of them where there are fewer.

    Args:
        text: JSON, `[[token, natural logarithm of its probability], …]`.

    Raises:
        Complaint: when it holds no log-probabilities.
    """
    try:
        spelled = [float(logprob) for _, logprob in json.loads(text)]
    except (ValueError, TypeError) as error:
        raise Complaint("the reply holds no token probabilities") from error
    if not spelled or any(map(math.isnan, spelled)):
        raise Complaint("the reply holds no token probabilities")
    return min(map(_mean, _stretches([max(LEAST, min(0.0, logprob)) for logprob in spelled])))


def _stretches(spelled: Sequence[float]) -> list[Sequence[float]]:
    return [spelled[start : start + STRETCH] for start in range(max(1, len(spelled) - STRETCH + 1))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
