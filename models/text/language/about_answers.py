"""What an answer says of itself: who wrote it, what it is not for, whom to ask instead. It asserts nothing to check."""

import re

_SO = (
    r"[\W_]*(?:(?:please|and|but|also|so|remember|note|keep in mind|be aware|important(?:ly)?|caution|warning"
    r"|disclaimer)[,:]? (?:that )?)*"
)
_THIS = (
    r"(?:it|(?:this|these|the|any|all)(?: (?:above|following|ai|ai-generated|general|provided))?"
    r"(?: (?:content|text|answer|response|summary|information|material|message|output|advice|article|page|chat)s?)?"
    r"(?: above)?)"
)
_EXPERT = (
    r"(?:doctors?|physicians?|clinicians?|pharmacists?|specialists?|(?:health ?care|medical|health)[ -]"
    r"(?:professionals?|providers?|practitioners?|teams?)|professionals?|providers?)"
)
_AI = r"(?:ai\b|an ai\b|artificial intelligence|a (?:large )?language model|chatgpt|a chatbot|generative ai)"
_GENERAL = (
    r"(?:only |just )?(?:for )?(?:general|educational|informational)(?: (?:and|or|health|medical|general|educational"
    r"|informational|info(?:rmation)?|purposes|use|guidance|education)){0,5}"
)
_WHAT_TO_CHECK = (
    r"(?:all |any |the )?(?:(?:important|critical|key|clinical|medical|dosing) )*"
    r"(?:information|info|details?|facts?|doses?|recommendations?)"
)
_GRADED = (
    r"(?:(?:overall )?(?:certainty|evidence (?:level|grade|quality)|grade"
    r"|(?:level|quality|certainty|strength|class|grade) of (?:the )?(?:evidence|recommendations?)"
    r"|recommendation)\W{0,3}:\W{0,4}"
    r"(?:(?:very )?(?:low|high)|moderate|strong|weak|conditional|[A-D1-5][a-c+–-]?|[IV]{1,3}[a-c]?)"
    r"(?: to (?:very )?(?:low|high|moderate))?(?: certainty)?)"
)
_FRAME = re.compile(
    rf"{_SO}(?:"
    r"(?:your |each |every )?individual (?:circumstances?|situations?|needs?|cases?) (?:may |can |might |will |do )?"
    r"(?:vary|varies|differs?)\b"
    r"|every(?:one|body)(?:'s body)?(?:'s| is| are) (?:\w+ )?(?:different|unique)\b"
    r"|every (?:patient|person|body|case|pregnancy|child)(?:'s| is) (?:\w+ )?(?:different|unique)\b"
    r"|(?:your|everyone'?s|each person'?s) (?:own )?(?:circumstances?|situations?|case) "
    r"(?:may|can|might|will|is|are) (?:be )?(?:vary|differ(?:ent)?|unique)\b"
    rf"|{_THIS} (?:was|is|were|are|has been|have been|may have been) (?:\w+ )?(?:generated|produced|created|written"
    rf"|compiled|prepared) (?:by|with|using) {_AI}"
    rf"|(?:do not|don't|never|you should (?:not|never)) "
    rf"(?:use|rely on|treat) {_THIS} (?:\w+ ){{0,3}}?"
    r"(?:for|as|to) (?:\w+ ){0,3}?(?:diagnos\w+|self-diagnos\w+|(?:treatment|medical|clinical) decisions?"
    r"|medical advice)\b"
    r"|(?:all |any |your |final |such |the )?(?:(?:treatment|medical|clinical|dosing|medication|health) )?"
    r"decisions (?:about (?:your )?(?:treatment|care|medication) )?should "
    r"(?:always |only |ultimately )*be (?:made|discussed|taken) "
    r"(?:together |in consultation )?(?:by|with) (?:(?:a|an|your|the|own|qualified|licensed|treating)\s)+(?:\w+ )?"
    rf"{_EXPERT}\b"
    rf"|{_GRADED}(?:[;,] {_GRADED}){{0,2}}\W*$"
    r"|answer \(confidence: (?:very )?(?:high|low|moderate|medium)\)[\W_]*$"
    r"|(?:my|this) (?:answer|response|summary) (?:draws|is based|relies|builds|rests) on [^.;:]{3,60}[\W_]*$"
    r"|last (?:checked|reviewed|revised|verified|searched)(?: on)?: [\w ,./-]{4,24}[\W_]*$"
    r"|(?:(?:my|overall|answer) )?confidence(?: (?:level|score|rating))?(?: in this answer)?: "
    r"(?:(?:very )?(?:high|low)|moderate|medium|\d[\d.]*\s?%?)(?:[ /-](?:to|moderate|high|10|100)\b)*"
    r"(?:\s\([^()]{1,60}\))?[\W_]*$"
    r"|(?:i|this answer|this summary) (?:may|might|could) (?:also )?be (?:wrong|mistaken|incomplete"
    r"|outdated|out of date)\b"
    rf"|(?:it(?:'s| is) |this is |these are )?(?:{_GENERAL}(?: only)?,? ?(?:and |but )?)?not "
    r"(?:a substitute for |intended as |meant as )?(?:professional |personal |individual(?:ized)? )?"
    r"(?:medical|clinical|health|legal) advice\W*$"
    rf"|(?:always |please )*(?:verify|double-?check|confirm|check) (?:{_THIS}|{_WHAT_TO_CHECK}) with "
    r"(?:(?:an?|an?other|your|the|own|qualified|licensed|trusted|official)\s)*(?:\w+ )?"
    rf"(?:{_EXPERT}|sources?|references?|label)\W*$"
    r"|(?:always |please |do )*(?:verify|double-?check|confirm|check) (?:all |any )?(?:of )?(?:these|the|this"
    r"|all|any|my) "
    r"(?:citations?|references?|sources?|links?)\b(?! (?:says?|shows?|state))[^.;:]{0,60}\W*$"
    r"|(?:these|the|some|all|my) (?:of the(?:se)? )?(?:citations?|references?|sources?|links?) (?:are|were|come"
    r"|may|might|could)"
    r" [^.;:]{0,40}?(?:from memory|not be (?:accurate|exact|correct|real|current|complete)|be (?:wrong"
    r"|inaccurate|incorrect|outdated"
    r"|fabricated|hallucinated))\b[^.;:]{0,40}\W*$"
    r"|(?:further |full |more )?(?:references?|citations?|sources?) (?:are )?(?:available )?(?:up)?on request\W*$"
    r"|(?:date of (?:the )?search|search date|literature search(?:ed)?"
    r"|knowledge cut-?off)(?: date)?:? [\w ,./-]{4,24}\W*$"
    r"|always follow (?:the |your )?(?:doctor|physician|clinician|pharmacist|health ?care (?:provider"
    r"|professional|team)|midwife)"
    r"(?:'s|s')? (?:advice|instructions?|guidance|recommendations?|directions?)\W*$"
    r"|if (?:you(?:'re| are)? (?:experiencing|having|in|think you(?:'re| are) having|have)|this is|it is) (?:an?|any) "
    r"(?:medical |health |life-threatening )?emergency\b"
    r")",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(
    r"\d\s?(?:mg|g|ml|%|µg|mcg|kg)\b|;|:\s*\S|\b(?:but|however|because|although|whereas|in (?:patients|people|adults"
    r"|children|women|men)|with (?:severe|advanced))\b",
    re.IGNORECASE,
)


def is_about_the_answer(words: str) -> bool:
    """Tell whether words speak of the answer or its reader's case and say no more: "This was generated by AI"."""
    found = _FRAME.match(words)
    return found is not None and _SAYS_MORE.search(words, found.end()) is None
