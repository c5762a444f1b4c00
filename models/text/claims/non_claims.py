"""What asserts nothing: greetings, offers, questions, refusals, disclaimers, advice to see a doctor."""

import re

from medassay.models.text.verbs import has_finite_verb

_SO = (
    r"^[\W_]*(?:(?:and|but|so|also|or|then|now|finally|however|unfortunately|please|remember|note"
    r"|okay|ok|first)[,:]?\s)*"
)
_I_CAN = (
    r"i(?: can| could|['’]ll| will|(?: am|['’]m|(?:['’]d| would|['’]ll) be) (?:more than )?(?:happy|glad|able) to)"
    r"(?: (?:also|then|certainly|gladly|easily|provide|help|always))*"
)
_HELP = (
    r"(?:compare|summari[sz]e|list|tailor|explain|outline|elaborate|expand|go (?:deeper|into|over)"
    r"|walk you|break|draft|put together"
    r"|provide|share|point you|refine|help|be more specific|give you|show you|find you|make you"
    r"|create|clarify|answer|more|further)\b"
)
_DOCTOR_ELSEWHERE = (
    r"(?:ärzt\w*|\w*arzt\b|apotheker\w*|médecins?|pharmacien\w*|médic[oa]s?|farmacéutic[oa]s?"
    r"|profesional(?:es)? de la salud|professionnels? de (?:la )?santé)"
)
_FRAMES = (
    ("a heading", r"^[\W_]*(?:Table|Figure|Fig\.|Box)\s\d{1,2}[.:]?[\W_]*$"),
    (
        "greeting",
        r"^[\W_]*(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)|greetings|welcome|hallo"
        r"|guten (?:tag|morgen)|sehr geehrte\w*|bonjour"
        r"|hola|buen[oa]s (?:días|tardes))\b[^.]{0,60}[.!,:]*$",
    ),
    (
        "thanks",
        r"^[\W_]*(?:thank you|thanks|many thanks|vielen dank|danke|merci|(?:muchas )?gracias)\b(?! "
        r"(?:to|an?|d\w*)\b)",
    ),
    (
        "a phrase of courtesy",
        r"^[\W_]*(?:(?:sure|certainly|of course|absolutely|(?:great|good|excellent) question"
        r"|that['’]?s a (?:great|good|very good|excellent) question"
        r"|happy to help|glad you asked|best regards|kind regards|sincerely|best wishes|stay safe"
        r"|feel better(?: soon)?|take care(?! (?:of|not|to|when)\b)"
        r"|good luck|get well soon|wishing you|i wish you|i hope (?:this|that|it|these|you)|hope "
        r"(?:this|that (?:helps|was)|it|these)|you['’]?re welcome"
        r"|i['’]?m (?:glad|happy) |mit freundlichen grüßen|gute besserung|ich hoffe|j['’]espère"
        r"|espero (?:que|haber))\b|(?:regards|cheers|best|warmly)\W*$)",
    ),
    (
        "sympathy",
        r"^[\W_]*(?:i(?:['’]m| am) (?:so |very |really )?sorry (?:to hear|that you|for your|you)|i "
        r"(?:can )?understand (?:your|that you|how)"
        r"|don['’]?t worry\W*$|you(?:['’]re| are) not alone\W*$|it(?:['’]s| is) (?:great|good"
        r"|understandable|natural|normal) (?:that|to (?:feel|be|worry)) )",
    ),
    (
        "a refusal",
        r"^[\W_]*(?:(?:answer:|however|but|also),? |as an? (?:\w+ ){1,4}?(?:expert|professional|model"
        r"|assistant|doctor|ai|chatbot),? )?"
        r"(?:i(?:['’]m| am) sorry,? (?:but )?i\b|(?:sorry,? )?i (?:(?:cannot|can['’]?t|can not)"
        r"(?! recommend (?!an?\b|any|specific))|(?:do not|don['’]?t|may not) have "
        r"(?:access|enough|the ability|sufficient|the latest|current information)|don['’]?t know|"
        r"(?:could not|couldn['’]?t|did not|was (?:not able|unable) to) find )"
        r"|i(?:['’]m| am) (?:not able|unable) to|unfortunately,? (?:i (?:cannot|can['’]?t|am)\b|there "
        r"(?:is|are) no (?:relevant |specific )?(?:snippets|documents|information|context))"
        r"|(?:the |these )?(?:provided |given |retrieved )?(?:context|documents?|snippets|passages"
        r"|sources) (?:does|do) not (?:provide|contain|mention|include)"
        r"|the (?:question|query) asks\b.{0,200}\bdoes not (?:provide|contain|mention|include)"
        r"|(?:there (?:is|was) )?no (?:answer|information) (?:was )?(?:found|available|provided)\b"
        r"|很抱歉|抱歉，|对不起|申し訳(?:ありません|ございません)|lo siento,? (?:pero )?no puedo|no puedo (?:responder"
        r"|contestar|ayudar)\b|désolée?,? |je ne (?:peux|suis) pas "
        r"|(?:es )?tut mir leid,? |(?:ich kann|dazu kann ich) (?:diese frage |ihnen |das )?(?:leider )?nicht)",
    ),
    (
        "a disclaimer",
        r"^[\W_]*(?:(?:please )?(?:note|remember|keep in mind|be aware)[,:]?(?: that)? )?"
        r"(?:disclaimer\b|as an ai\b|i(?:['’]m| am|['’]ve been| have been) "
        r"(?:not a|an ai|a (?:large )?language|just an|trained (?:on|to)|a chatbot)\b|(?:ai"
        r"|ai[- ]generated|chatgpt|gemini|copilot)(?: responses?| answers?)? (?:can|may|might) "
        r"|(?:this|that|the|these|all|any)(?: (?:above|following|general|provided|ai))?(?: "
        r"(?:information|answer|response|content|advice|summary|text|material))?(?: provided)?(?: here"
        r"| above)? ?"
        r"(?:is|are|should|does|do|cannot|may)(?:n['’]t| not)? (?:\w+ ){0,2}?(?:a substitute"
        r"|a replacement|substitute|replace|medical advice|intended (?:for|as|to)|constitute"
        r"|considered|professional medical"
        r"|for (?:general |educational |informational )|general (?:information|in nature)|not "
        r"(?:a substitute|medical advice|intended|replace))"
        r"|it(?:['’]s| is) not (?:a substitute for )?(?:professional )?medical advice|individual "
        r"(?:circumstances?|needs|cases?|results) (?:may |can |might )?(?:vary|differ)\b"
        r"|(?:dies\w*|die|diese) \w+ (?:ersetz(?:t|en)|stell(?:t|en))\b|(?:cette|ces) \w+ ne "
        r"(?:remplace|constitue)|esta \w+ no (?:sustituye|reemplaza|constituye))",
    ),
    (
        "an offer to help",
        _SO + r"(?:feel free|don['’]?t hesitate|do not hesitate|let (?:me|us) know|reach out to me"
        r"|would you like|if you (?:have|need|would like|want|['’]d like) "
        r"(?:any |more |further |other |additional |me )*(?:questions?|information|help|details"
        r"|assistance|clarification|further|more|to know more|me to)\b"
        rf"|i(?:['’]m| am) here to|happy to (?:provide|answer|help)|(?:if [^.;:]{{1,160}}?, )?"
        rf"(?:please )?(?:{_I_CAN} {_HELP}|(?:tell|give|send) me\b)|(?:just )?(?:say the word|ask"
        rf"|let me know)\W*$"
        r"|(?:wenn|falls|sollten) sie (?:noch |weitere |mehr )*(?:fragen|möchten)|zögern sie nicht"
        r"|n['’]hésitez pas|si vous avez d['’]autres questions|si tienes? (?:más|otras?)"
        r"|no dudes? en\b)",
    ),
    (
        "a pointer to reading",
        r"^[\W_]*(?:for (?:more|further|additional|detailed) (?:information|details"
        r"|reading)\b.{0,300}$|further reading\b(?! (?:of|from) )"
        r"|(?:see|read|learn|click|visit|find out|refer to|go to)(?: also| more| the following"
        r"| here)*\s*(?:at|on|about|here|in|https?:|www\.|:|$)(?:[^.]|\.(?=\S)){0,200}[.:]?$"
        r"|(?:see|refer to)(?: also)? (?:the )?(?:[\"“][^\"”]+[\"”]|tables?|figures?|sections?"
        r"|references?|sources?|above|below)[^.;:]{0,60}\W*$"
        r"|(?:last )?(?:accessed|retrieved|updated|reviewed)\b(?: on)?:? [\w ,]{2,20}\d{4}.{0,20}$)",
    ),
    (
        "an announcement",
        r"^[\W_]*(?:(?:with that said|that said|now|so),? )?(?:(?:here|below|following)(?:['’]s| is"
        r"| are)\b(?![^:\n]{0,60}:\s+(?:\S+\s+){2})|let['’]?s |let us |let me (?!know\b)"
        r"|i(?:['’]ll| will) (?:explain|outline|summari[sz]e|describe|list|give|provide)\b|this "
        r"(?:answer|section|response|summary) (?:will )?(?:explains?|covers?|summari[sz]es?|outlines?"
        r"|describes?)"
        r"|(?:the|this) (?:following )?(?:table|list|section|chart|figure) (?:below )?(?:summari[sz]es"
        r"|shows|lists|gives|compares|outlines)\b(?! that\b)[^.;]{0,80}:?\W*$"
        r"|based on (?:the |your )?(?:provided |given |retrieved |available )?(?:documents?|context"
        r"|sources|information|question|search results)[^,]{0,30}[,:]?\s*(?:here|the following|i)\b)",
    ),
    (
        "advice to see a doctor",
        rf"^[\W_]*(?:bitte |veuillez |por favor |il est \w+ de )?(?:wenden sie sich|(?:be)?sprechen sie"
        rf"|konsultieren sie|fragen sie|consult(?:ez|er|e|ar)|parlez|demandez|pregunte|hable)\b(?!.*\b"
        rf"(?:wenn|falls|si|bei)\b)[^.]*\b{_DOCTOR_ELSEWHERE}",
    ),
)
FRAMES = tuple((reason, re.compile(pattern, re.IGNORECASE)) for reason, pattern in _FRAMES)
"""What asserts nothing, by how it begins, in the order in which it is looked for."""

_SAYS_MORE = re.compile(
    r";|:\s*\S|\b(?:but|however|because|although|whereas|in (?:patients|people|adults|children))\b"
    r"|\d\s?(?:mg|g|ml|%|kg)\b",
    re.IGNORECASE,
)
_ONE_THING = ("an offer to help",)
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
_LONGEST_PHRASE = 40
_BARE_REPLY = re.compile(
    r"[\W_]*(?:yes|no|maybe|it depends|possibly|not necessarily|probably(?: not)?|likely|unlikely|correct|true|false"
    r"|absolutely(?: not)?|definitely(?: not)?|unclear|unknown|in summary|in conclusion|note"
    r"|important|answer|summary|conclusion)[\W_]*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[\W_]*(?:(?:short|quick|brief|direct|simple|final|important|please) )*"
    r"(?:answer|notes?|important|reminder|remember|tip|caution|assistant|[aq]|conclusion|summary"
    r"|bottom line|next steps?)[\W_]*:[\W_]+(?=\w)",
    re.IGNORECASE,
)
"""What says which part of the answer follows, or who speaks, and nothing of the matter."""
_ANSWER = re.compile(
    r"[\W_]*(?:(?:short|quick|brief|direct|simple|final) )?answer[\W_]{0,4}:[\W_]{1,6}(?=\w+\W+\w)",
    re.IGNORECASE,
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
    """Return why a sentence or clause asserts nothing to be checked, None if it does."""
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
    for reason, pattern in FRAMES if len(head.split()) <= _LONGEST_PHRASE else ():
        found = pattern.match(head)
        if found and not (reason in _ONE_THING and _SAYS_MORE.search(head, found.end())):
            return reason
    return "advice to see a doctor" if _is_advice_to_see_a_doctor(head) else None


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
