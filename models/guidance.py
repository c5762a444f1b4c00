"""Guidance of a question as statements: what an answer must say, what it must not say, and red flags."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from medassay.models.nli.joint_premises import words_of
from medassay.models.nuggets.by_reader import cautious
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.records import PairVerdict
from medassay.models.text.sentences.splitting import sentences

Kind = Literal["do", "dont", "red_flag", "ask", "raise"]
State = Literal["said", "turned", "missing"]

STAGE_VERSION = 1
PASSAGE_SENTENCES = 6

_HEADS = re.compile(
    r"""(?P<red_flag>red\s+flags?(?:\s+to\s+(?:name|mention))?|warnings?|safety[\s-]net(?:ting)?)
      | (?P<dont>don['’]?ts?['’]?s?|do\s+not|must\s+not|should\s+not|never|avoid|forbidden)
      | (?P<do>do['’]?s?|must(?:\s+(?:say|mention|include))?|should(?:\s+(?:say|mention|include))?|required|include)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HEAD = re.compile(
    rf"(?:(?<=^)|(?<=[\n.;!?]))[\s*#>-]*(?:{_HEADS.pattern})\s*\*{{0,2}}:\*{{0,2}}",
    re.IGNORECASE | re.VERBOSE,
)
_ANSWER = r"(?:it|(?:the\s+)?(?:answer|response|reply))\s+(?:should|must)\s+"
_OPENING = re.compile(
    rf"(?:{_ANSWER})?(?P<dont>don['’]?t|do\s+not|not|never|avoid)\b\s*(?P<rest>.*)"
    rf"|(?:{_ANSWER}|(?:do|please)\s+)(?P<do>.*)",
    re.IGNORECASE | re.DOTALL,
)
_TELLING = (
    "add|address|advise|ask|call for|caution|clarify|describe|discourage|discuss|emphasi[sz]e|encourage|explain|give|"
    "include|inform|instruct|list|make clear|mention|name|note|offer|point out|provide|reassure|recommend|refer|say|"
    "send|specify|state|stress|suggest|tell|urge|warn"
)
_IMPERATIVE = re.compile(rf"(?:clearly\s+|always\s+)?(?:{_TELLING})\b", re.IGNORECASE)
_NEXT_INSTRUCTION = re.compile(rf"(?:,\s+(?:and\s+)?|\s+and\s+)(?=(?:{_TELLING})\b)", re.IGNORECASE)
_PEELED = re.compile(
    r"(?:clearly\s+|always\s+|also\s+)?"
    r"(?:say|tell\s+(?:the\s+\w+|\w+)|explain|state|make\s+clear|mention|name|point\s+out|note|list|include|stress|"
    r"emphasi[sz]e|specify|give|inform\s+(?:the\s+\w+|\w+))"
    r"(?:\s+(?:clearly|plainly|explicitly))?(?:\s+(?:that|of|on|about|against))?"
    r"\s+(?P<said>.+?)(?:\s+(?:clearly|plainly|explicitly))?",
    re.IGNORECASE | re.DOTALL,
)
_AVOIDED = re.compile(r"^avoid\s+", re.IGNORECASE)
_BULLET = re.compile(r"^[\s>]*(?:[-*•–]|\(?\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class GuidanceStatement:
    """One instruction of a guidance, or an act that a conversation needs.

    Attributes:
        kind: `do` (must be said), `dont` (must not be said), `red_flag` (a warning that must be given); `ask` (the user
            must be asked it) and `raise` (a red flag that must be raised), which are counted over a conversation.
        words: The instruction as the guidance words it, without its "Do" or "Don't".
        statement: What is read in the answer: a text that says it keeps a Do, or breaks a Don't.
    """

    kind: Kind
    words: str
    statement: str


def guidance_statements(guidance: str | None) -> list[GuidanceStatement]:
    """Return the instructions of a guidance in its order, each once.

    Read are lists under "Do:", "Don't:", "Red flags:" and their like, and sentences that begin with "Do", "Don't",
    "Never", "Avoid", "The answer should (not)", or with a verb of telling ("Mention kidney function"). A sentence of
    another form instructs nothing that can be read in an answer and is left out.
    """
    found: dict[GuidanceStatement, None] = {}
    for kind, item in _items(guidance or ""):
        words = _BULLET.sub("", item).strip().strip("*_ ").rstrip(".;,! ").strip()
        if re.search(r"\w", words):
            found[GuidanceStatement(kind, words, statement_of(kind, words))] = None
    return list(found)


def statement_of(kind: Kind, words: str) -> str:
    """Turn an instruction into the statement that is read in an answer.

    What a Do wants said is read bare ("say that the cause must be found": "The cause must be found."), since an answer
    seldom says that it says so; other acts are read as acts ("warn of NSAIDs": "The text warns of NSAIDs."), and so is
    every Don't, since its bare words would be found in an answer that warns of them.
    """
    if kind == "dont":
        what = _AVOIDED.sub("", words)
        return f"The text {_third_person(words)}." if what == words else f"There is {what} in the text."
    peeled = _PEELED.fullmatch(words) if kind == "do" else None
    if peeled is None and kind == "do" and _IMPERATIVE.match(words):
        return f"The text {_third_person(words)}."
    said = peeled["said"] if peeled else words
    return said[0].upper() + said[1:] + "."


def _items(guidance: str) -> Iterator[tuple[Kind, str]]:
    heads = list(_HEAD.finditer(guidance))
    yield from _sentences(guidance[: heads[0].start()] if heads else guidance)
    for head, following in zip_longest(heads, heads[1:]):
        kind: Kind = "red_flag" if head["red_flag"] else "dont" if head["dont"] else "do"
        for item in _listed(guidance[head.end() : following.start() if following else None]):
            forbids = _OPENING.match(item)
            yield ("dont", _forbidden(forbids)) if forbids and forbids["dont"] else (kind, item)


def _listed(text: str) -> Iterator[str]:
    """Yield the items of a list: by line, semicolon and sentence, and before each further instruction of a sentence."""
    for line in re.split(r"[\n;]+", text):
        for span in sentences(line) or ():
            item = _BULLET.sub("", line[span.start : span.end]).strip()
            yield from _NEXT_INSTRUCTION.split(item)


def _sentences(text: str) -> Iterator[tuple[Kind, str]]:
    for line in re.split(r"[\n;]+", text):
        for span in sentences(line) or ():
            item = _BULLET.sub("", line[span.start : span.end]).strip()
            opening = _OPENING.match(item)
            if opening and opening["dont"]:
                yield "dont", _forbidden(opening)
            elif opening and opening["do"]:
                yield "do", opening["do"]
            elif _IMPERATIVE.match(item):
                yield "do", item


def _forbidden(opening: re.Match[str]) -> str:
    """Return what an opening forbids; what is to be avoided is a thing, not an act, and keeps its verb."""
    return f"avoid {opening['rest']}" if opening["dont"].lower() == "avoid" else opening["rest"]


def _third_person(words: str) -> str:
    """Put the first verb of an instruction into the third person: "play down the risk": "plays down the risk"."""
    verb, _, rest = words.partition(" ")
    verb = verb.lower()
    if verb == "be":
        verb = "is"
    elif verb.endswith(("ing", "ly")):
        return f"{'is ' if verb.endswith('ing') else ''}{words[0].lower() + words[1:]}"
    elif verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        verb += "es"
    elif verb.endswith("y") and verb[-2:-1] not in "aeiou":
        verb = verb[:-1] + "ies"
    else:
        verb += "s"
    return f"{verb} {rest}".strip()


@dataclass(frozen=True, slots=True)
class GuidanceState:
    """What an answer says of one instruction, with the sentences responsible.

    `said`: it says the statement; `turned`: it says otherwise; `missing`: neither. A Don't is kept unless it is `said`.
    """

    state: State
    score: float | None
    claim_positions: tuple[int, ...]
    reason: str


def passages_of(claims: Sequence[ClaimText]) -> list[tuple[tuple[int, ...], str]]:
    """Return an answer in passages of at most six sentences, each with the positions of its sentences.

    Sentences that assert nothing are read too: "Please see your doctor" keeps a Do.
    """
    found = []
    for start in range(0, len(claims), PASSAGE_SENTENCES):
        part = claims[start : start + PASSAGE_SENTENCES]
        found.append(
            (tuple(claim.position for claim in part), "\n".join(claim.text.strip() for claim in part))
        )
    return found


def decide_guidance(
    statement: str,
    claims: Mapping[int, str],
    read: Sequence[tuple[tuple[int, ...], PairVerdict]],
    *,
    said_at: float = 0.5,
    turned_at: float = 0.5,
) -> GuidanceState:
    """Decide what an answer says of one instruction from the verdicts on its passages.

    Args:
        statement: what was read.
        claims: the answer's sentences by position.
        read: the positions of a passage's sentences and the verdict on it, at least one.
        said_at: least probability of entailment.
        turned_at: least probability of contradiction, lowered as nuggets' are for the number of passages.
    """
    says = max(read, key=lambda row: row[1].entailment or 0.0)
    turns = max(read, key=lambda row: row[1].contradiction or 0.0)
    stated = says[1].entailment or 0.0
    turned = cautious(turns[1].contradiction or 0.0, len(read))
    if stated >= said_at and stated >= turned:
        return GuidanceState("said", stated, _nearest(statement, claims, says[0]), f"said ({stated:.2f})")
    if turned >= turned_at and turned > stated:
        return GuidanceState(
            "turned",
            turned,
            _nearest(statement, claims, turns[0]),
            f"the answer says otherwise ({turned:.2f})",
        )
    return GuidanceState("missing", stated, (), f"not said ({stated:.2f})")


def _nearest(statement: str, claims: Mapping[int, str], positions: Sequence[int]) -> tuple[int, ...]:
    """Return the sentence of a passage that shares most words with a statement."""
    wanted = words_of(statement)
    return (max(positions, key=lambda place: (len(wanted & words_of(claims[place])), -place)),)
