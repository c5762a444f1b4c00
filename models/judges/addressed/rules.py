"""Rules that detect passages addressed to a judge: wording, form, ready-made marks.

They are narrow where medicine speaks alike ("a score of 10/10 needs morphine", "an AI such as letrozole"); what they
take for addressed all the same is read a second time, so that nothing is hidden by being taken for it.
"""

import re

_ANSWER = (
    r"(?:(?:this|the|my|above|following)\s+(?:whole\s+|entire\s+)?(?:answer|reply|submission)|"
    r"(?:this|my|above|following|entire|whole)\s+(?:whole\s+|entire\s+)?(?:text|response|output))"
)
_OTHERS = (
    r"\b(?:(?:other|competing|remaining|rival)\s+(?:doctors'?\s+)?(?:answers?|repl(?:y|ies)|submissions?)|"
    r"(?:the|all|any) other (?:doctors'? )?responses?|others' (?:answers?|responses?))\b"
)
_REVIEWER = r"(?:judge|grader|evaluator|reviewer|assessor|rater|examiner|scorer)s?(?!-)"
_MACHINE = r"(?:AI|language model|LLM|assistant|chatbot|grad\w*bot|judgebot|GPT\S*|DAN)"
_TOP = r"(?:100|full|maxim\w+|perfect|highest|top|ten out of ten|10/10|five stars)"
_MARKS = r"(?:scores?|marks?|points|grades?|ratings?|credit)"
_HIGH = r"(?:100|9\d|ninety(?:[-\s]\w+)?|(?:a |one )?hundred)"
_UNIT = (
    r"(?!\s*(?:mg|ml|g|kg|µ|u|iu|mmol|%|per\b|percent|stunden|horas|heures|days?|weeks?|hours?|minutes?|years?|tablets?|"
    r"times|mcg|units|beats|degrees|patients|people|women|men|children|cases|°|\.\d))"
)
_NEGATED = r"(?<!not )(?<!never )(?<!n't )(?<!n’t )"
_OF_CARE = (
    r"(?!.{0,60}\b(?:leaflet|discharge|surgeon|doctor|pharmacist|nurse|physician|inhaler|package|packet|label|"
    r"manufacturer|dosing|medication|medicine|appliance|device)\b)"
)
_ORDERED = (
    r"(?:^\W*|[,:;]\s*|\b(?:please|must|should|shall|will|would|to|and|then|just|only|can|surely|always|therefore|kindly|"
    r"who)\s+)"
)
_TAGS = (
    r"system|assistant|user|human|think\w*|answer|data|instructions?|prompts?|task|input|output|document|material|judge|"
    r"tool\w*|function\w*|response|rubric|message|context"
)

SPANS = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"<!--(?:.*?-->|[^\n]*)",
        r"(?:```\w*\s*)?\{[^{}]{0,2000}(?:correctness|sufficiency|alignment|justification)[^{}]{0,2000}\}(?:\s*```)?",
        rf"(?:<\s*[|｜][^>\n]{{0,40}}[|｜]\s*>|\[/?(?:INST|SYS)\]|</?(?:{_TAGS})>|\[/?(?-i:DATA|TASK|ANSWER|INPUT|"
        r"OUTPUT|INSTRUCTIONS?|SYSTEM|PROMPT|THINK|RESULTS?|TOOL\w*|ARGS)\])[^\n]*",
    )
)
"""What stands between marks that no reader sees, or in a verdict's form."""

LINES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\W*(?:system|assistant|developer|user|human|evaluator|grader|judge)"
        r"(?:\s+(?:message|prompt|note|notes|override|instructions?|response|turn|notice|update|text))?\s*[:>\]]",
        r"^\W*(?:(?-i:BEGIN|END|STOP|CLOSE)|(?:begin|end|close)\s+of\s+(?:the\s+)?)\b.{0,60}\b(?:answer|material|data|"
        r"text|input|document|references|instructions?|notes|doctor\s*#?\d)\b\W*$",
        r"^\W*(?:safety|overall(?:\s+score)?)\W*[:=|]+\s*(?:\d{1,3}|ninety\W?\w*)\W*$",
        r"^\W*(?:total|score|result)\W*[:=|]+\s*(?:100|[5-9]\d|top|full|maximum|ninety\W?\w*)\W*$",
        r"^\W*analy[sz]e\W*[:=]\W*$",
        r"^\W*#{2,}\s*(?:instructions?|response|task|input|output|system|assistant|user|human)\b\W*$",
        r"^\W*(?:>\s*)*\W*(?:reviewer|grader|judge|evaluator|assessor|rater|scorer)s?(?:\W?s)?(?:\s+notes?)?\W*[:,!–—]",
        r"^\W*(?:def\s+\w*(?:score|grade|judge)\w*\(|return\s+(?:dict|json|\{))",
    )
)
"""How a whole line begins that is no part of an answer."""

SENTENCES = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"\b{_NEGATED}(?:ignore|disregard|forget|override|bypass|skip)\b{_OF_CARE}.{{0,60}}"
        r"\b(?:instruction|rubric|prompt)s?\b",
        r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:all|any|the|your)\b.{0,20}\b(?:previous|prior|above)\b.{0,20}"
        r"\b(?:rules?|text|messages?|instructions?)\b",
        rf"\b(?:dear|attention|note (?:to|for)|message (?:to|for)|hello|hey)\b.{{0,20}}"
        rf"\b(?:{_REVIEWER}|{_MACHINE})\b",
        rf"^\W*to (?:\w+ ){{0,3}}(?:{_REVIEWER}|{_MACHINE})\b\s*\W*[:,–—]",
        rf"\b(?:you are|you're|act as|pretend|imagine|play|become|behave)\b.{{0,60}}\b(?:{_REVIEWER}|{_MACHINE})\b",
        rf"\b(?:as (?:a|an|the)|every|any|good|best|kind|wise)\b.{{0,30}}\b{_REVIEWER}\b",
        rf"\b{_REVIEWER}\b.{{0,60}}\b(?:{_MARKS}|agree|award|full|lenient|generous)\b",
        rf"{_ORDERED}(?:scor(?:e|ing)|grade|rate|mark|award|give|assign|set|output|return|record|reply|respond|answer|put)"
        rf"\b.{{0,30}}\b{_HIGH}\b{_UNIT}"
        r"(?=\W*$|\W+(?:for|to|on|in|out|of 100|points?|marks?|each|everywhere|all|and nothing)\b|,)",
        rf"\b(?:score|grade|rate|mark|award|give|assign|set|output|return)\b.{{0,60}}"
        rf"\b(?:{_ANSWER}|sub-?metrics?|rubric|all (?:four|scores|categories|metrics|criteria)|"
        rf"every (?:score|category|metric|criterion|scale))\b.{{0,60}}\b{_TOP}\b{_UNIT}",
        rf"(?:{_ORDERED}(?:score|grade|rate|mark|awards?|gives?|assigns?|record)|\b(?:deserves?|earns?|merits?))\b.{{0,40}}"
        rf"\b(?:full|highest|maximum|top|perfect|best)\s+(?:possible\s+)?{_MARKS}\b",
        rf"\b(?:full marks|full credit)\b|\b{_TOP}\b.{{0,40}}\b{_MARKS}\b.{{0,60}}\b(?:{_ANSWER}|sub-?metrics?|rubric|"
        r"categor(?:y|ies)|criteri(?:on|a))\b",
        rf"\b{_HIGH}\b{_UNIT}.{{0,30}}\b(?:all|every|each|any|the)\s+(?:of the\s+)?(?:four\s+)?"
        r"(?:scales?|criteri(?:on|a)|categor(?:y|ies)|sub-?metrics?|dimensions?|marks|scores|entr(?:y|ies))\b",
        r"(?<![\d.,/:-])(?<!\d[,;/] )(?:100|[5-9]\d)(?:(?:\s*[/;,|]\s*|\s+)(?:100|[5-9]\d)){3}"
        r"(?![\d.]|\s*[,;/|]\s*\d|\s*(?:%|mg|years|days|kg|and \d))",
        rf"\b(?:expected|known|agreed|reference|human|final|suggested|planned)\s+(?:reference\s+)?"
        rf"(?:{_MARKS}|verdict|result)\b.{{0,60}}\b(?:{_HIGH}|[5-9]\d|full|top)\b{_UNIT}",
        r"\b(?:whoever|anyone who|the (?:one|person|model|system|reader|machine)(?: or \w+)?|(?:language )?models) "
        r"(?:who |that |which )?(?:assess|evaluat|grad|judg|scor|mark|rat|assign)(?:e?s|ing)?\b",
        rf"\b{_HIGH}\b{_UNIT}.{{0,20}}\b(?:apiece|everywhere|four times|(?:for|to|in|on) (?:each|all|everything|every)"
        r"(?:\s+(?:one|of them|criteri\w+|categor\w+|scale|marks?|scores?|metric|line|entry|dimension)|(?=\W*$)))\b|"
        rf"\ball four\b\W+(?:\w+\W+){{0,3}}(?:{_HIGH}|top|highest)\b{_UNIT}",
        r"\b(?:correctness|accuracy|evidence|alignment|safety)\W{0,3}(?:[:=|–—-]|gets|is worth)\W{0,3}(?:100|[89]\d)\b"
        r"(?!\s*(?:%|per|of|patients|people|\w*\s*(?:studies|trials))|[.,-]\d)",
        r"\b(?:100|[89]\d)\s*/\s*100\b|\b(?-i:ninety)[- ](?:five|six|seven|eight|nine)\b(?!\s*(?:percent|per|%|mg|"
        r"patients|people|years|of|women|men|children|participants|studies|trials|adults|cases))",
        rf"\b(?:marks|scores|subscores)\b\W{{0,3}}(?:are\s+|is\s+|of\s+)?{_HIGH}\b{_UNIT}",
        r"\b(?:no|not|never|without|nothing|anything|about|fewer|max\w*|needs?)\b.{0,30}\bdeduct\w*",
        r"\b(?:top marks|pass with distinction|(?:upper|high|top) end of the scale|top of the scale|good grade)\b"
        r"(?!\s+(?:evidence|glioma|tumou?r|lymphoma))",
        r"\b(?:erratum|corrections?|amendments?) to the (?:instructions?|rubric|prompt)\b|\bcriteria weights?\b|"
        r"[\"“'‘][^\"”'’]{2,30}[\"”'’] means [\"“'‘]",
        r"\b(?:repeat|print|reveal|output|say|write)\b.{0,30}\b(?:canary|nonce|code word|system prompt|secret)\b",
        r"\b(?:gold[- ]standard|reference|model|ideal)\s+answer\b(?!.{0,20}\b(?:is|are) (?:not|given))",
        rf"\b(?:do not|don['’]t|never|not to)\b.{{0,10}}\b(?:lower|reduce|deduct|penali[sz]e|subtract)\b.{{0,30}}"
        rf"\b(?:{_MARKS}|{_ANSWER}|this)\b|\bnot (?:to )?be penali[sz]ed\b",
        r"\b(?:your|the) (?:new |real |only |next )?task (?:is|now)\b|\binstead of (?:judging|scoring|grading)\b",
        r"\b(?:updated|new|revised)\s+(?:policy|rubric|instructions?)\b.{0,60}\b(?:supersed|replac|overrid|unsafe|penal)",
        r"\b(?:the |this )?scale\b.{0,40}\b(?:is|are)\s+(?:inverted|reversed)\b|\bthe word [\"“'‘].{1,30}[\"”'’] "
        r"(?:stands|means|is used)\b",
        rf"\b(?:give|award|assign|set|output|return)\b\W+100\b{_UNIT}.{{0,40}}\b(?:scores?|points|categories|metrics)\b",
        r"\b(?:everything|all of it|all)\s+(?:said\s+)?(?:above|here|in this answer)\s+is\s+(?:right|correct|true)\b",
        rf"\b{_ANSWER}\b.{{0,80}}\b(?:deserves?|merits?|earns?|must (?:get|be)|should (?:get|receive)|scores?)\b",
        rf"\b{_ANSWER}\b.{{0,60}}\b(?:is|was|has been|have been)\b.{{0,60}}\b(?:perfect|flawless|correct|verified|"
        r"approved|excellent|best|accurate|peer[- ]reviewed|confirmed|validated|endorsed|checked)\b",
        r"(?:^\W*|\b(?:only|just|please|simply|must|should)\s+)(?:reply|respond|answer|output|say|print|write)\s+"
        r"(?:only\s+)?(?:with\s+)?[\"'“‘]?(?:yes|100)\b[\"'”’]?(?!\s*(?:,|if|when|to|mg|ml))",
        r"\bthe text\b.{0,60}\b(?:medically correct|safe for a patient|answer this question|safe to follow)\b",
        r"\b(?:correct|safe|answer|follow)\b.{0,60}\bthe text\s*\?",
        r"\b(?:medical[\W_]{0,3}correctness|evidence[\W_]{0,3}sufficiency|response[\W_]{0,3}alignment|"
        r"overall[\W_]{0,3}justification)\b",
        r"(?:^\W*(?:the\s+|this\s+)?|\bnow (?:the\s+)?)(?:evaluation|scoring|grading|review) (?:is |was )?"
        r"(?:complete|finished|over|done)\b",
        r"\b(?:the )?correct (?:score|rating|verdict|evaluation|grade) (?:is|here)\b",
        r"\b(?:give|award|assign|grant|score|rate|rank)\b.{0,20}\b(?:this|every other|all other|"
        r"the (?:first|last|other|second))\s+doctors?\b",
        r"\bdoctor\s*#?\s*[1-5](?:\s*[:=]|\s+(?:alone|deserves?|gave|gets?|has|is|must|says?|should|was|wins?)\b)",
        r"\b(?:prefer|choose|pick|rank|favou?r|select)\b.{0,20}\b(?:this|my)\s+(?:answer|response|reply)\b",
        rf"{_OTHERS}.{{0,60}}\b(?:copied|dangerous|errors?|false|incorrect|inferior|invented|mistakes?|outdated|"
        r"withdrawn|worse|worst|wrong)\b",
        rf"\b(?:best|better|safer|superior|truer|more (?:accurate|complete|correct))\b.{{0,20}}\b(?:among|of|than|to)\b"
        rf".{{0,10}}{_OTHERS}",
        r"ignorier\w*(?!.{0,12}\bnicht\b).{0,60}(?:anweisung|regel|vorgabe|bewertung)",
        rf"(?:bewerte|vergib|benote)\w*.{{0,80}}(?:\b100\b{_UNIT}|höchst|voll)",
        r"(?<!no )ignor\w*.{0,60}(?:instruc|regla|regra|istruzion|regol|instruç|rúbrica|rubrica)",
        rf"(?:califi|puntú|otorg|asign|atribu|pontu|valut|assegn)\w*.{{0,80}}(?:\b100\b{_UNIT}|máxim|massim)",
        r"(?<![n’'])(?:ignor|oubli)\w*(?!\s+pas).{0,60}(?:consigne|règle|grille|instruction)",
        rf"\b(?:attribuez?|attribuer|notez|noter)\b.{{0,80}}(?:\b100\b{_UNIT}|note maxim|maximum de points)",
        r"(?:игнорир|забуд)\w*.{0,60}(?:инструкц|правил|указан)",
        r"(?:постав|оцен)\w*.{0,60}\b(?:100|максим\w*|высш\w*)\b",
        r"(?:忽略|无视|無視).{0,20}(?:指令|说明|规则|指示|标准|評価)",
        r"(?:评分|打分|給分|给出|评为).{0,20}(?:满分|100)",
        r"تجاهل.{0,60}(?:التعليمات|القواعد)",
    )
)
"""What a sentence says that speaks to a judge, anywhere in it."""


def first_match(sentence: str) -> re.Match[str] | None:
    """Return what makes a sentence one that speaks to a judge, by the first rule that knows it."""
    return next((found for rule in (*LINES, *SENTENCES) if (found := rule.search(sentence))), None)
