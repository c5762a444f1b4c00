"""Reader behind an OpenAI-compatible server: log probabilities of the first token.

The prompt is that of the embedded reader, as the one message of a conversation, around which the server puts its chat
template; or as a text that is continued, for a model that was trained on it. A server that gives no log-probabilities,
or a model that thinks before it replies, cannot be read so.
"""

import math
from dataclasses import dataclass
from typing import Any

from medassay.models.chat.conversation import Message, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import neutralise
from medassay.models.chat.reply import read_alternatives
from medassay.models.nli.choosing import address_of, is_continued
from medassay.models.nli.language_model.prompt import LETTERS, PASSAGE, QUESTION, STATEMENT, in_one_notation
from medassay.models.records import PairVerdict

STAGE_VERSION = 1
ALTERNATIVES = 20
"""The most that common servers list."""
SMALLEST_MASS = 0.5
"""The probability that the three letters have together at least in a reply that can be read."""


def describe_served(spec: str) -> dict[str, Any]:
    """Name everything that a verdict of a served reader depends on.

    Raises:
        SpecError: for a spec that cannot be read.
    """
    from medassay.models.nli.chat import PREMISE_CHARACTERS

    endpoint: Endpoint | None = address_of(spec)
    assert endpoint is not None
    return {
        "model": endpoint.model,
        "base_url": endpoint.base_url,
        "prompt": PASSAGE + "{passage}" + STATEMENT + "{statement}" + QUESTION,
        "continued": is_continued(spec),
        "letters": [ALTERNATIVES, SMALLEST_MASS],
        "temperature": 0.0,
        "material": "neutralised",
        "reading": {"caution": 0.0, "premise_characters": PREMISE_CHARACTERS},
        "stage_version": STAGE_VERSION,
    }


@dataclass(frozen=True, slots=True)
class LetterCheck:
    """One passage beside one statement; `continued` as in `Request`."""

    premise: str
    hypothesis: str
    continued: bool = False

    def request(self, item_key: str) -> Request[PairVerdict]:
        """Ask about it; neither text can look like a control sign, or hold what nobody sees."""
        passage, statement = (
            in_one_notation(neutralise(text).strip()) for text in (self.premise, self.hypothesis)
        )
        return Request(
            item_key=item_key,
            messages=(Message("user", PASSAGE + passage + STATEMENT + statement + QUESTION),),
            read=self.read,
            max_tokens=1,
            top_logprobs=ALTERNATIVES,
            continued=self.continued,
        )

    def read(self, text: str) -> PairVerdict:
        """Read the first token's alternatives as a verdict, spaces aside; letters that are not among them count as 0.

        Raises:
            Complaint: when the reply holds no token probabilities.
        """
        from medassay.models.folding import folded
        from medassay.models.nli.language_model.reader import nearest_sentence

        alternatives = read_alternatives(text)
        shares = [
            sum(
                math.exp(logprob)
                for token, logprob in alternatives.items()
                if token.strip() == letter.strip()
            )
            for letter in LETTERS
        ]
        mass = sum(shares)
        if not SMALLEST_MASS <= mass <= 1.01:
            why = f"A, B and C have a probability of {mass:.2f} together among the model's first tokens"
            return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=why)
        says, otherwise, neither = (share / mass for share in shares)
        return PairVerdict(
            entailment=says,
            neutral=neither,
            contradiction=otherwise,
            sentence=nearest_sentence(folded(self.premise), self.hypothesis),
        )
