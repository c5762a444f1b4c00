"""What asserts nothing: greetings, offers, questions, advice to see a doctor."""

import re

from medassay.models.text.language.about_answers import is_about_the_answer
from medassay.models.text.language.foreign_frames import foreign_frame
from medassay.models.text.language.frames import FRAMES
from medassay.models.text.language.offers import is_offer
from medassay.models.text.language.verbs import has_finite_verb

_START = (
    r"^[\W_]*(?:(?:so|and|but|also|please|remember|however|finally|additionally|in addition"
    r"|as always|that said|therefore|overall|ultimately|in any case|lastly|for this reason"
    r"|note|again|in general),?\s+)*"
)
_CARE = (
    r"(?:doctors?|physicians?|(?:health ?care|medical|health|mental health)?[ -]?"
    r"(?:professionals?|providers?|practitioners?|teams?|staff)|pharmacists?|gp|clinicians?"
    r"|dentists?|specialists?|"
    r"prescribers?|[a-z]{3,14}ologists?|ob[-/ ]?gyns?|midwife|midwives|pa?ediatricians?|obstetricians?"
    r"|psychiatrists?|therapists?|surgeons?|nurses?|(?:medical|professional)(?: (?:help"
    r"|attention|advice|care|evaluation|guidance|assistance))|clinic|emergency (?:room|care"
    r"|services|department)|urgent care|(?:NHS )?111|911|999|112)"
)
_ASK = (
    r"(?:consult(?:ing|ation)?|talk(?:ing)?|speak(?:ing)?|see(?:ing|k|king)?|contact(?:ing)?"
    r"|ask(?:ing)?|check(?:ing)? (?:in )?with|discuss(?:ing)?|reach(?:ing)? out|visit(?:ing)?"
    r"|(?:double-?check|verify|confirm)(?:ing)? (?:(?:it|this|that|the (?:dose|dosage)) )?with"
    r"|call(?:ing)?|follow(?:ing)? up|get|inform|tell|work(?:ing)? with|be evaluated by)"
)
_SEE_A_DOCTOR = re.compile(
    rf"(?:{_START}(?:always |please |do |be sure to |make sure to |make sure you |it'?s |it is "
    rf"|that you |you |we |i |i'd |i would |(?:may |might |will |can )?|should |must |need to "
    rf"|want to |"
    rf"(?:strongly |highly |always |also |best |very |therefore |usually |generally |still "
    rf"|first )?(?:recommend(?:ed)?|advis(?:ed|able|e)|suggest(?:ed)?|encouraged?|important"
    rf"|essential|crucial|best|better|wise|necessary|vital|a good idea|critical|helpful"
    rf"|imperative|urge)[ ,]*|"
    r"for you to |to |that |if (?:you have|you are|you're|your|the|in|they|symptoms|this|it"
    r"|any|unsure|there)\b[^.,]{0,120},\s*|before [^.,]{0,90},\s*|if (?:necessary|needed"
    r"|possible|in doubt),?\s*|for [^.,]{0,80},\s*|with [^.,]{0,60},\s*)*"
    rf"{_ASK}\b[^.;]{{0,80}}?\b{_CARE}\b(?!'s))",
    re.IGNORECASE,
)
_YOUR_DOCTOR_CAN = re.compile(
    rf"{_START}(?:your|a|the|only (?:your|a)|only)\s(?:\w+\s){{0,3}}?{_CARE}(?:\s(?:or|and)\s"
    rf"(?:\w+\s){{0,3}}{_CARE})?"
    r"\s(?:can|will|may|should|could|would)\s(?:be able to |also |best |then )*"
    r"(?:help|advise|guide|determine|answer|evaluate|assess|discuss|tell|decide"
    r"|(?:provide|give|offer|make) (?:\w+ ){0,3}?(?:guidance|advice|recommendations?|diagnosis"
    r"|information|treatment options|plan))\b",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    r"\b(?:if|when|as soon as|because|as (?=it|this|these|they|there|some)|since|in case of"
    r"|in the event of|especially (?:if|when))\b",
    re.IGNORECASE,
)
_URGENT = re.compile(
    r"\b(?:immediate(?:ly)?|emergency|urgent(?:ly)?|right away|promptly|911)\b", re.IGNORECASE
)
_URGENT_TRIGGER = re.compile(rf"{_TRIGGER.pattern}|\b(?:for|with)\b", re.IGNORECASE)
_GENERIC = frozenset(
    "you your have has are is any a an the or and of to for with if when before after it its "
    "this that these them they in on about as be by at from more other "
    "further questions question concerns concern doubts doubt symptoms symptom persist "
    "persists persisting continue continues worsen worsens worsening get gets worse "
    "unsure experiencing experience experienced think feel notice suspect develop condition "
    "conditions health medical medication medications medicine medicines treatment "
    "treatments new starting start taking take stopping stopping changing making change "
    "changes decisions decision any supplements supplement regimen specific personalized "
    "personalised individual advice guidance proper accurate diagnosis evaluation "
    "appropriate best options option plan course action recommendations information case "
    "situation circumstances needs history severe serious unusual concerned worried not "
    "improve improving within few days needed necessary possible healthcare professional "
    "provider doctor physician pharmacist who which can help determine discuss consult talk "
    "speak seek see ask attention care immediately promptly right away soon first "
    "always also their his her him me we i do does should may might will would could must "
    "there something wrong persistent doing using use trying considering dosage dose most "
    "based on provide give make sure ensure safe safely suitable what how such one else "
    "anything additional due because since bothersome side effects adverse these over-the-counter "
    "prescribed prescription exercise program diet help helps underlying cause".split()
)
_QUOTED = r"(?:\"[^\"]{1,200}\"|“[^”]{1,200}”|[‘'](?:[^']|'(?=\w)){1,160}'(?!\w))"
_PASSAGE = (
    rf"(?:(?:(?:the )?(?:sections?|topics?|chapters?|articles?) (?:on |titled )?)?{_QUOTED}"
    rf"(?:,? sections? on {_QUOTED})?(?:,? (?:above|below))?"
    r"|(?:the )?(?:tables?|figures?|fig\.?|box(?:es)?|sections?|appendix|chapters?|algorithms?)"
    r"(?: (?:[a-z]?\d[\w.]{0,4}|[a-z]|[ivx]{2,4})\b(?:,? (?:above|below))?| (?:above|below))|above|below"
    r"|(?:the )?(?:full )?(?:refs?\.?|references?|sources?|citations?|bibliography)(?: list| section)?"
    r"(?: (?:listed |given )?(?:above|below|at the (?:end|bottom)))?)"
)
_SEE_PASSAGE = re.compile(
    rf"[\W_]*(?:see|refer to)(?: also)? {_PASSAGE}(?:(?:, (?:and )?| and |; )(?:see )?(?:also )?{_PASSAGE}){{0,5}}"
    r"(?: for [^.,;:]{1,80})?[\W_]*",
    re.IGNORECASE,
)
_LONGEST_PHRASE = 40
_BARE_REPLY = re.compile(
    r"[\W_]*(?:yes|no|maybe|it depends|possibly|not necessarily|probably(?: not)?|likely"
    r"|unlikely|correct|true|false|absolutely(?: not)?|definitely(?: not)?|unclear|unknown"
    r"|in summary|in conclusion|note|important|answer|summary|conclusion)[\W_]*",
    re.IGNORECASE,
)
_ABBREVIATIONS = re.compile(
    r"[\W_]*(?:(?:list of )?abbreviations?|acronyms?|abkürzungen|abréviations|abreviaturas)(?: used)?[*_]{0,3}\s?[:=]",
    re.IGNORECASE,
)
# "CI = confidence interval; HR = hazard ratio."
_SPELLED_OUT = re.compile(
    r"[\W_]*(?:(?=\w*[A-Z])[A-Za-z\d][\w/-]{1,11}\s?=\s?"
    r"(?>[A-Za-z][a-z’'-]+(?:[ /][A-Za-z][a-z’'-]+){0,6})(?:[;,.][\s*_]*|[\s*_]*\Z)){2,40}"
)
_SOURCE_LINE = re.compile(r"^[\W_]*(?:sources?|references?)\s*(?::(?P<named>.{0,200}))?$", re.IGNORECASE)

_LABEL = re.compile(
    r"[\W_]*(?:(?:short|quick|brief|direct|simple|final|important|friendly|kind|please) )*"
    r"(?:answer|notes?|important|reminder|remember|tip|caution|assistant|ai|bot|doctor|dr|[aq]|conclusion|summary"
    r"|bottom line|next steps?|hinweis|wichtig|antwort|fazit|remarque"
    r"|réponse|nota|importante|respuesta)[\W_]*:[\W_]+(?=\w)",
    re.IGNORECASE,
)
"""What says which part of the answer follows, or who speaks, and nothing of the matter."""
_ANSWER = re.compile(
    r"[\W_]*(?:(?:short|quick|brief|direct|simple|final) )?answer[\W_]{0,4}:[\W_]{1,6}(?=\w+\W+\w)", re.I
)
# "Absolutely — metformin is safe", "Of course, aspirin may cause bleeding".
_AGREES = re.compile(
    r"[\W_]*(?:sure|certainly|of course|absolutely|definitely|(?:great|good|excellent) question)\b"
    r"(?: thing)?[\s,;:!.–—-]*(?=\w)",
    re.IGNORECASE,
)

LEADING = frozenset({"a heading", "introduces a list", "introduces what follows", "an announcement"})
"""Why a non-claim is none, where it says what those after it are about."""


def non_claim_reason(words: str) -> str | None:
    """Say why a sentence or clause asserts nothing to be checked, None if it does."""
    if not any(c.isalpha() for c in words):
        return "no words"
    if re.search(r"[?？][\"'”’)\s]*$", words):
        return "a question"
    if label := _LABEL.match(words[:600]):
        words = words[label.end() :]
    if (agrees := _AGREES.match(words[:600])) and has_finite_verb(words[agrees.end() :]):
        words = words[agrees.end() :]
    head = words[:600].replace("’", "'")
    if _BARE_REPLY.fullmatch(head):
        return "a bare reply"
    if _ABBREVIATIONS.match(head) or _SPELLED_OUT.fullmatch(head):
        return "a list of abbreviations"
    for reason, pattern in FRAMES if len(head.split()) <= _LONGEST_PHRASE else ():
        if pattern.match(head):
            return reason
    if is_offer(head):
        return "an offer to help"
    if is_about_the_answer(head):
        return "a disclaimer"
    if _SEE_PASSAGE.fullmatch(head):
        return "a pointer to reading"
    if (line := _SOURCE_LINE.match(head)) and not has_finite_verb(line["named"] or ""):
        return "a pointer to reading"
    if _is_advice_to_see_a_doctor(head):
        return "advice to see a doctor"
    return foreign_frame(head) if len(head.split()) <= _LONGEST_PHRASE else None


def without_label(words: str) -> str:
    """Drop what says that the answer follows: the "Answer:" of "Answer: Yes, modestly"."""
    label = _ANSWER.match(words[:_LONGEST_PHRASE])
    return words[label.end() :] if label else words


def _is_advice_to_see_a_doctor(words: str) -> bool:
    """Tell whether it is general advice; an alarm sign ("if the fever lasts three days") makes it medical content."""
    if not (_SEE_A_DOCTOR.match(words) or _YOUR_DOCTOR_CAN.match(words)):
        return False
    pattern = _URGENT_TRIGGER if _URGENT.search(words) else _TRIGGER
    starts = [match.end() for match in pattern.finditer(words)]
    for low, high in zip(starts, [*starts[1:], len(words)], strict=False):
        condition = re.sub(_CARE, " ", words[low:high], flags=re.IGNORECASE).casefold()
        content = [word for word in re.findall(r"[a-z'-]+", condition) if word not in _GENERIC]
        if len(content) >= 2 or re.search(r"\d", condition):
            return False
    return True
