"""Closing offers of chat products: "If you'd like, I can compare the two classes." They assert nothing."""

import re

_SO = r"^[\W_]*(?:(?:and|but|so|also|or|then|finally|lastly|alternatively|otherwise),? )*"
_I_CAN = (
    r"i(?: can| could|'ll| will|(?: am|'m|(?:'d|'ll| would| will) be) (?:more than )?(?:happy|glad|able) to)"
    r"(?: (?:also|then|certainly|gladly|easily|even|just|always|happily|definitely|quickly|additionally))*"
)
_IF_YOU_LIKE = (
    r"if (?:you(?:'d| would)? (?:like|want|wish|prefer)(?: me to)?|you(?:'re| are) (?:interested|curious)"
    r"|(?:it|this|that)(?:'s| is|'d be| would be)? (?:helps?|helpful|useful|of (?:use|interest))"
    r"|(?:it|this|that)(?:'d| would) help|useful|helpful|desired|of interest)"
)
_TELL_ME = r"(?:(?:tell|give|send) me|let me know|share|upload|paste|specify|(?:describe|list) your)"
_A_PAGE = (
    r"(?:you|one|this|that|it|them|(?:an?|some|the) (?:[\w-]+ ){0,4}?(?:table|list|chart|handout|schedule|plan"
    r"|checklist|sheet|summary|version|guide|comparison|calendar|template|letter|diagram|timeline|question)s?)"
)
_HELP = (
    r"(?:compare|contrast|summari[sz]e|list|tailor|explain|outline|elaborate|expand|go (?:deeper|into|over|through)"
    r"|walk you|break (?:this|it|that|these|them|down)|draft|put together|provide|share|point you|refine|narrow"
    r"|customi[sz]e|personali[sz]e|rephrase|simplify|translate|dig|dive|clarify|lay out|map out|help"
    r"|be more (?:specific|precise|exact|helpful|concrete)|turn (?:this|that|it|these|them)|(?:give|show|send|find) you"
    rf"|(?:make|create|build|prepare|generate|write|produce|format) {_A_PAGE})\b"
)
_OFFER = re.compile(
    rf"{_SO}(?:(?:{_IF_YOU_LIKE}|if you (?:can |could |just )?{_TELL_ME}\b[^.;:]{{0,200}}?),? {_I_CAN} \w"
    rf"|(?:{_IF_YOU_LIKE}|if you(?:'d| would)? (?:like|want|need) [^.;:]{{1,80}}?),? (?:please )?(?:just )?"
    r"(?:let me know|tell me|say so|ask)\W*$"
    rf"|(?:if [^.;:]{{1,160}}?, )?{_I_CAN} {_HELP}"
    rf"|{_I_CAN} [^.;:]{{1,200}}? {_IF_YOU_LIKE}\W*$"
    rf"|(?:just |please )?{_TELL_ME}\b[^.;:]{{1,200}}?(?:,| and| so| and then| so that) i(?: can|'ll| will| could) "
    r"|(?:just )?say the word\W*$|just (?:ask\W*$|say so\b|let me know\b|tell me\b)"
    rf"|(?:more than |always |also )?(?:happy|glad) to (?:also )?{_HELP})",
    re.IGNORECASE,
)
_BULLET = "[-*+•‣◦▪●–—]"
_OFFERS_LIST = re.compile(
    rf"{_SO}(?:(?:if [^.;:]{{1,160}}?, |{_IF_YOU_LIKE} |(?!i'll|i will)){_I_CAN}(?: (?:{_HELP}|do)[^.;:]{{0,60}})?"
    rf"|(?:would you like|do you want|let me know if you(?:'d like| would like| want))\b[^.;:]{{0,60}}"
    r"|(?:if you (?:can |just )?|please |just )?(?:(?:tell|give|send) me|let me know|share (?:with me|a few|more))\b"
    rf"[^.;:]{{0,60}}):[*_ ]*(?:$|{_BULLET} )",
    re.IGNORECASE,
)
_OFFERED_ITEM = re.compile(rf"{_BULLET} [*_]*(?!help|provide|share|explain|list|find){_HELP}", re.IGNORECASE)
_SAYS_MORE = re.compile(
    r";|:\s*\S|\b(?:but|however|because|although|whereas)\b"
    r"|\b(?:tell|show|add|say|explain|share|provide|clarify|confirm)(?: you)? that\b(?! (?:list|for|if|in)\b)",
    re.IGNORECASE,
)


def offers_a_list(words: str) -> bool:
    """Tell whether words lead to a list of what the writer could do or wants to know: "If you'd like, I can also:"."""
    return _OFFERS_LIST.match(words[:600].replace("’", "'")) is not None


def is_offer(words: str) -> bool:
    """Tell whether words offer help and say no more; "I can compare doses, but lithium is toxic" does say more."""
    whole = _OFFERS_LIST.match(words) or _OFFERED_ITEM.match(words)
    return bool(whole or (_OFFER.match(words) and not _SAYS_MORE.search(words)))
