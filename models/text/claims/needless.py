"""Claims that need no citation: definitions, and what only says again what the question takes for granted."""

import re

from medassay.models.text.word_lists import words_in

_TERM = (
    r"(?:disease|disorder|condition|syndrome|infection|medications?|medicines?|drugs?"
    r"|hormones?|vitamins?|minerals?|enzymes?|proteins?|antibiotics?|bacteri(?:um|a)|virus"
    r"(?:es)?|parasites?|fungus|procedure|operation|test|measure|antidepressants?"
    r"|antihistamines?|corticosteroids?|steroids?|inhibitors?|blockers?|agonists?|antagonists?"
    r"|antibod(?:y|ies)|vaccines?|organs?|glands?|biguanides?|statins?|opioids?|analgesics?"
    r"|tumou?r|cancer|illness|inflammation|diuretics?|class|type|form|kind|group|subtype"
    r"|family|term|abbreviation)"
)
_DEFINITION = re.compile(
    rf"^[^.;]{{2,90}}?\s(?:(?:is|are)\s(?:also |often |commonly |sometimes )?(?:defined as"
    rf"|known as|called|short for|the (?:medical |scientific |clinical )?(?:term|name"
    rf"|abbreviation) for|named)|refers to|stands for|means that|means|is the medical)\b"
    rf"|^(?!(?:if|when|it|there|this|these|that)\b)[^.;,]{{2,60}}?(?:,[^,]{{2,80}},)?\s(?:is\s(?:an?|the|one of the)"
    rf"|are\s(?:an?|the|both|all|(?:types?|forms?|kinds?) of)?|is(?=\sinflammation))\s?"
    rf"(?:(?!(?:of|to|with|for|by|when|used|able|treated)\b)[\w-]+,?\s){{0,5}}?{_TERM}\b",
    re.IGNORECASE,
)
_EVALUATES = re.compile(
    r"\d|\b(?:effective|safe|safer|safest|recommended|first-line|second-line|common|rare|risk"
    r"|risky|best|better|worse|leading|major|main|most|more|less|approved|preferred|useful"
    r"|important|serious|dangerous|associated|linked|"
    r"increas\w*|decreas\w*|reduc\w*|improv\w*|prevent\w*|cause[sd]?|not|never|may|might|can"
    r"|should|contraindicated|treatment (?:of choice|option)|side effects?|adverse)\b",
    re.IGNORECASE,
)
_ASKED_WHAT = re.compile(
    r"\b(?:what(?:'s|\s+is|\s+are|\s+does|\s+is\s+meant\s+by)|define|the (?:meaning|definition) of)\s+"
    r"(?:(?:an?|the)\s+)?(?P<term>[\w][\w' -]{2,60}?)(?:\s+mean)?\s*(?:[?.,]|\band\b|$)",
    re.IGNORECASE,
)
_NO_TERM = re.compile(
    r"\b(?:of|for|in|to|with|from|on|between|after|during|treatments?|therap(?:y|ies)|causes?|doses?|dosage|risks?|"
    r"outlook|prognosis|symptoms?|signs?|effects?|cure|rates?|role|mechanism|age|range|levels?"
    r"|chances?|purpose|answer|"
    r"best|first|most|recommended|usual|normal|typical)\b",
    re.IGNORECASE,
)
"""What is asked about with such a word is a fact about something, and no term."""
_IS_SO = (
    r"\s+(?:\w+ly\s+)?(?:\w+ed\s+(?:with|by|in|from|for|when|after|through|on|at|to)|\w+(?:able"
    r"|ible|less|ful)|fatal|deadly|"
    r"contagious|infectious|hereditary|genetic|chronic|acute|lifelong|benign|malignant)\b(?!\s+\w)"
)
"""What something is like, behind "is"; no noun follows."""
_ASKED = re.compile(
    r"^[\W_]*(?:you(?:'re| are)? (?:ask(?:ed|ing)?|want(?:ed)? to know|would like to know"
    r"|wonder(?:ing)?)|your question|the question (?:is|asks)|to answer your question"
    r"|in response to your question|regarding your question)\b",
    re.IGNORECASE,
)
_TO_YOUR_QUESTION = re.compile(
    r"^[\W_]*(?:to answer|in (?:response|answer|reply) to|regarding|as (?:to|for)) your question\b"
    r"[^,:]{0,40}[,:]\s+(?!i\b)",
    re.IGNORECASE,
)
_AUX = (
    r"(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|might|must|am|isn't|aren't|wasn't"
    r"|weren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|shouldn't|hasn't|haven't)"
)
_A_REQUEST = re.compile(
    r"\b(?:can|could|would|will|may|might)\s(?:you|i|we|someone|anyone|anybody|somebody)\s(?:please\s|kindly\s|also\s)*"
    r"(?=(?:provide|tell|explain|list|give|describe|show|help|ask|know|summari[sz]e|outline|highlight|say|share|name"
    r"|advise|suggest|discuss|clarify|find|learn)\b)",
    re.IGNORECASE,
)
"""What asks for an answer, and not for yes or no: the "Can you" of "Can you tell me why it helps?"."""
_YES_NO = re.compile(
    rf"(?:^|[.;:!?,()\n–—]|\b(?:and|or|but|so|then|also|please|doctor|hi|hello|hey|me|know|wonder(?:ing)?)\b)"
    rf"[\W_]*(?:(?:\d{{1,3}}|[a-z]|q(?:uestion)?(?:\s?\d{{1,3}})?)[.):][\W_]*)?{_AUX}\s"
    r"|\s(?:is|are|do|does|can|should)\s(?:it|there|this|that|these|those|they|i|we|you)\b"
    r"|\bwhether\b|\b(?:know|wonder(?:ing)?|see|ask(?:ing)?|tell(?:\sme)?|sure|check|say|determine|curious|clear)\s(?:as\sto\s)?if\b"
    r"|\b(?:true|right|correct|yes|no|not)\W*(?:[?？]|\Z)|\b(?:true\sor\sfalse|yes\sor\sno|is\sit\strue)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:^|[.;:!?,()\n–—]|\b(?:and|or|but|so|me|know|explain|wonder(?:ing)?|ask|understand|of|in|for|to|on|at|by|with|from)\b)[\W_]*"
    r"(?:\w{1,10}[.):]\s*)?(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"|\b(?:explain|describe|list|outline|discuss|summari[sz]e|define|name|highlight|show|give|provide|compare|identify"
    r"|reasons?\s(?:why|for)|information\s(?:on|about)|overview|(?:tell|teach)\s(?:me|us)\s(?:more\s)?about)\b",
    re.IGNORECASE,
)
"""What asks for more than yes or no; a question without it, "Metformin causes acidosis?", asks for one of them."""
_DEGREE = re.compile(
    r"\bhow\s(?!to\b|come\b|about\b|much\b|many\b|else\b|exactly\b|i\b|you\b|we\b|they\b|it\b|the\b"
    rf"|an?\b|{_AUX}\b)\w+\s",
    re.IGNORECASE,
)
"""Whoever says "X is safe" to "How safe is X?" answers with the question's own words."""
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot)\b|n't\b", re.IGNORECASE)
_SAYS_YES_OR_NO = re.compile(
    r"[\W_]*(?:yes|no|correct|true|false|right|indeed|absolutely|in (?:conclusion|summary|short))\b[\s,;:.–—]",
    re.IGNORECASE,
)
# "Which lowers the risk more, aspirin or warfarin?": whoever says one of them answers, with the question's own words.
_CHOICE = re.compile(
    r"\b(?:which|who|whose|whether)\b.{0,200}\b(?:or|than|versus|vs|more|less|better|worse|safer"
    r"|higher|lower|greater)\b"
    r"|,\s[^,?]{2,60}\sor\s[^,?]{2,60}\?|\b(?:better|safer|worse|more\s\w+|less\s\w+),?\s[^,?]{2,60}\sor\s",
    re.IGNORECASE | re.DOTALL,
)
_EMPTY_WORDS = words_in("needless_empty_words")


def needs_no_citation(words: str, question: str) -> str | None:
    """Return why a claim needs no citation: a definition or a restatement of the question; None if it needs one."""
    head, asked = words[:600].replace("’", "'"), question[:2000].replace("’", "'")
    if lead := _TO_YOUR_QUESTION.match(head):
        head = head[lead.end() :]
    if _ASKED.match(head):
        return "restates the question"
    if _restates(head, asked, 2) and _answers(head, asked):
        return None
    if (_DEFINITION.match(head) or _says_what_it_is(head, asked)) and not _EVALUATES.search(head):
        return "a definition"
    return "restates the question" if _restates(head, asked, 3) else None


def _answers(words: str, question: str) -> bool:
    """Tell whether words of the question alone answer it: it asks for yes or no, a choice or a degree."""
    asked = _A_REQUEST.sub("", question)
    marked = " ".join(re.findall(r"[^.?!;\n]+[?？]", asked)) or asked
    return bool(
        _SAYS_YES_OR_NO.match(words)
        or _YES_NO.search(asked)
        or _CHOICE.search(asked)
        or _DEGREE.search(asked)
        or not _OPEN.search(marked)
        or (_NEGATION.search(words) and not _NEGATION.search(asked))
    )


def _says_what_it_is(words: str, question: str) -> bool:
    """Tell whether a claim says what something is that the question asks the meaning of: "What is X?", "X is …"."""
    asked = _ASKED_WHAT.search(question[:500].replace("’", "'"))
    if asked is None or _NO_TERM.search(asked["term"]):
        return False
    term = _one_spelling(asked["term"].strip())
    return bool(
        re.match(
            rf"(?:(?:an?|the)\s+)?{re.escape(term)}s?(?:\s*\([^)]*\))?\s+(?:is|are)\b(?!{_IS_SO})",
            _one_spelling(words),
        )
    )


def _one_spelling(words: str) -> str:
    return words.casefold().replace("ae", "e").replace("oe", "e").lstrip("\"'“‘*_ ")


def _restates(words: str, question: str, fewest: int) -> bool:
    """Tell whether at least 90 % of the content words were in the question, of so many at least."""
    asked = {w[:5] for w in _content(question)}
    said = _content(words)
    return len(said) >= fewest and sum(w[:5] in asked for w in said) >= 0.9 * len(said)


def _content(words: str) -> list[str]:
    """List the words that say something, among them the A of "vitamin A" and "hepatitis A"."""
    found = re.findall(r"[^\W_]+", words)
    return [
        word.casefold()
        for at, word in enumerate(found)
        if word.casefold() not in _EMPTY_WORDS or (at and word in ("A", "I"))
    ]
