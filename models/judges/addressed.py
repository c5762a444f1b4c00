"""Passages of an answer that speak to the judge instead of to the reader: found by rule, and left out.

An answer has no business with scores, reviewers, system messages or ready-made verdicts. The rules are narrow, so
that medicine ("ignore the pain score", "a rating of 10/10") stays; what slips through meets the fence.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from models.chat.fence import visible_text

LEFT_OUT = "(a passage addressed to the reviewer was left out)"

_ANSWER = r"(?:this|the|my|above|following)\s+(?:whole\s+|entire\s+)?(?:answer|response|reply|text|submission|output)"
_OTHERS = (
    r"\b(?:(?:other|competing|remaining|rival)\s+(?:doctors'?\s+)?(?:answers?|repl(?:y|ies)|submissions?)|"
    r"(?:the|all|any) other (?:doctors'? )?responses?|others' (?:answers?|responses?))\b"
)
_REVIEWER = r"(?:judge|grader|evaluator|reviewer|assessor|rater|examiner|scorer)s?"
_MACHINE = r"(?:AI|language model|LLM|assistant|chatbot|grad\w*bot|judgebot|GPT\S*|DAN)"
_TOP = r"(?:100|full|maxim\w+|perfect|highest|top|ten out of ten|10/10|five stars)"
_UNIT = r"(?!\s*(?:mg|ml|g|kg|µ|u|iu|mmol|%|per\b|ml|stunden|horas|heures))"

_SPANS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"<!--.*?(?:-->|\Z)",
        r"(?:```\w*\s*)?\{[^{}]{0,2000}(?:correctness|sufficiency|alignment|justification)[^{}]{0,2000}\}(?:\s*```)?",
        r"(?:<\s*[|｜][^>\n]{0,40}[|｜]\s*>|\[/?(?:INST|SYS)\]|</?(?:system|assistant|user|think\w*)>)[^\n]*",
    )
)
_LINES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\W*(?:system|assistant|developer|human|evaluator|grader|judge)\b[\w\s]{0,20}[:>\]]",
        r"^\W*(?:BEGIN|END|STOP|CLOSE)\b.{0,60}\b(?:answer|material|data|text|input|document|references|"
        r"instructions?|doctor\s*#?\d)\b\W*$",
        r"^\W*(?:safety|total|overall|score)\W*[:=]\s*\d{1,3}\W*$",
        r"^\W*analy[sz]e\W*[:=]\W*$",
    )
)
_SENTENCES = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,60}\b(?:instruction|rubric|prompt)s?\b",
        r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:all|any|the|your)\b.{0,20}\b(?:previous|prior|above)\b.{0,20}"
        r"\b(?:rules?|text|messages?|instructions?)\b",
        rf"\b(?:dear|attention|note (?:to|for)|message (?:to|for)|hello|hey|to)\b.{{0,20}}"
        rf"\b(?:{_REVIEWER}|{_MACHINE})\b",
        rf"\b(?:you are|you're|act as|pretend|imagine|play|become|behave)\b.{{0,60}}\b(?:{_REVIEWER}|{_MACHINE})\b",
        rf"\b(?:as (?:a|an|the)|every|any|good|best|kind|wise)\b.{{0,30}}\b{_REVIEWER}\b",
        rf"\b{_REVIEWER}\b.{{0,60}}\b(?:scores?|points|marks|grades?|must|should|agree|award|give)\b",
        rf"\b(?:score|grade|rate|mark|award|give|assign|set|output|return)\b.{{0,60}}"
        rf"\b(?:{_ANSWER}|sub-?metrics?|rubric|all (?:four|scores|categories|metrics|criteria)|"
        rf"every (?:score|category|metric|criterion))\b.{{0,60}}\b{_TOP}\b{_UNIT}",
        rf"\b{_TOP}\b.{{0,40}}\b(?:scores?|marks|points|grade|rating)\b.{{0,60}}\b(?:{_ANSWER}|sub-?metrics?|rubric|"
        r"categor(?:y|ies)|criteri(?:on|a))\b",
        rf"\b(?:give|award|assign|set|output|return)\b\W+100\b{_UNIT}.{{0,40}}\b(?:scores?|points|categories|metrics)\b",
        r"\b(?:everything|all of it|all)\s+(?:said\s+)?(?:above|here|in this answer)\s+is\s+(?:right|correct|true)\b",
        rf"\b{_ANSWER}\b.{{0,80}}\b(?:deserves?|merits?|earns?|must (?:get|be)|should (?:get|be|receive)|scores?)\b",
        rf"\b{_ANSWER}\b.{{0,60}}\b(?:is|was|has been|have been)\b.{{0,60}}\b(?:perfect|flawless|correct|verified|"
        r"approved|excellent|best|accurate|peer[- ]reviewed|confirmed|validated|endorsed|checked)\b",
        r"\b(?:reply|respond|answer|output|say|print|write)\s+(?:only\s+)?(?:with\s+)?[\"'“‘]?(?:yes|100)\b[\"'”’]?"
        r"(?!\s*(?:,|if|when|mg|ml))",
        r"\bthe text\b.{0,60}\b(?:medically correct|safe for a patient|answer this question|safe to follow)\b",
        r"\b(?:correct|safe|answer|follow)\b.{0,60}\bthe text\s*\?",
        r"\b(?:medical[ _]correctness|evidence[ _]sufficiency|response[ _]alignment|overall[ _]justification)\b",
        r"\b(?:evaluation|scoring|grading|review) (?:is |was )?(?:complete|finished|over|done)\b",
        r"\b(?:the )?correct (?:score|rating|verdict|evaluation|grade) (?:is|here)\b",
        r"\b(?:give|award|assign|grant|score|rate|rank)\b.{0,20}\b(?:this|every other|all other|"
        r"the (?:first|last|other|second))\s+doctors?\b",
        r"\bdoctor\s*#?\s*[1-5](?:\s*[:=]|\s+(?:alone|deserves?|gave|gets?|has|is|must|says?|should|was|wins?)\b)",
        r"\b(?:prefer|choose|pick|rank|favou?r|select)\b.{0,20}\b(?:this|my)\s+(?:answer|response|reply)\b",
        rf"{_OTHERS}.{{0,60}}\b(?:copied|dangerous|errors?|false|incorrect|inferior|invented|mistakes?|outdated|"
        r"withdrawn|worse|worst|wrong)\b",
        rf"\b(?:best|better|safer|superior|truer|more (?:accurate|complete|correct))\b.{{0,20}}\b(?:among|of|than|to)\b"
        rf".{{0,10}}{_OTHERS}",
        r"ignorier\w*.{0,60}(?:anweisung|regel|vorgabe|bewertung)",
        rf"(?:bewerte|vergib|benote)\w*.{{0,80}}(?:\b100\b{_UNIT}|höchst|voll)",
        r"ignor\w*.{0,60}(?:instruc|regla|regra|istruzion|regol|instruç|rúbrica|rubrica)",
        rf"(?:califi|puntú|otorg|asign|atribu|pontu|valut|assegn)\w*.{{0,80}}(?:\b100\b{_UNIT}|máxim|massim)",
        r"(?:ignor|oubli)\w*.{0,60}(?:consigne|règle|grille|instruction)",
        rf"(?:attribu|not)e[rz]?\b.{{0,80}}(?:\b100\b{_UNIT}|maxim)",
        r"(?:игнорир|забуд)\w*.{0,60}(?:инструкц|правил|указан)",
        r"(?:постав|оцен)\w*.{0,60}\b(?:100|максим\w*|высш\w*)\b",
        r"(?:忽略|无视|無視).{0,20}(?:指令|说明|规则|指示|标准|評価)",
        r"(?:评分|打分|給分|给出|评为).{0,20}(?:满分|100)",
        r"تجاهل.{0,60}(?:التعليمات|القواعد)",
    )
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[ \t]*(?=\S)|\n")
_LONE_REPLY = re.compile(r"^\W*(?:yes|no)\W*$", re.IGNORECASE)
_MOST_REPEATS = 2


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without what speaks to the judge, and how many passages that were."""

    text: str
    n_left_out: int


@lru_cache(maxsize=4096)
def leave_out_addressed(text: str, in_its_place: str = "") -> Cleaned:
    """Leave out passages addressed to a judge, and a sentence's third and later repetition.

    Text without such passages comes back as `visible_text` gives it, otherwise unchanged.
    """
    shown, n = visible_text(text), 0
    for span in _SPANS:
        shown, found = span.subn(in_its_place, shown)
        n += found
    kept, seen = [], dict[str, int]()
    gap_before = "\n"
    for sentence, gap in _sentences(shown):
        words = " ".join(sentence.lower().split())
        seen[words] = seen.get(words, 0) + 1
        repeated = len(words) > 20 and seen[words] > _MOST_REPEATS
        alone = gap_before == "\n" and gap in ("\n", "")
        planted = n > 0 and alone and _LONE_REPLY.match(sentence) is not None
        if repeated or planted or _is_addressed(sentence):
            n += 1
            kept.append(f"{in_its_place}{gap}" if in_its_place and not repeated else "")
        else:
            kept.append(sentence + gap)
        gap_before = gap
    return Cleaned("".join(kept).rstrip() if n else shown, n)


def _sentences(text: str) -> list[tuple[str, str]]:
    """Split into (sentence, what follows it), whose concatenation is the text."""
    pieces, start = [], 0
    for gap in _SENTENCE_END.finditer(text):
        pieces.append((text[start : gap.start()], gap.group()))
        start = gap.end()
    return [*pieces, (text[start:], "")]


def _is_addressed(sentence: str) -> bool:
    if any(rule.search(sentence) for rule in _LINES):
        return True
    return any(rule.search(sentence) for rule in _SENTENCES)
