"""Finite verbs of medical English by list: enough to see where a full clause begins, on purpose no more.

A tagger would need a model; a list errs towards leaving a sentence whole, which costs less than a wrong cut.
"""

import re
from collections.abc import Sequence

STEMS = (
    "cause treat reduce increase decrease improve worsen lower raise prevent help show suggest "
    "indicate demonstrate include contain "
    "require need inhibit block stimulate activate affect lead result occur happen develop appear "
    "seem remain become mean make take "
    "work act bind reach cross enter leave last start begin stop end differ vary depend belong "
    "consist range recommend advise support "
    "confirm reveal report find provide offer give get produce release protect relieve alleviate "
    "control manage promote delay slow "
    "accelerate enhance impair damage kill destroy spread resolve persist recur return respond "
    "tolerate experience suffer die live "
    "survive progress decline rise fall drop double use receive carry pose present involve play "
    "serve interact interfere compete "
    "metabolize metabolise absorb excrete eliminate trigger induce suppress regulate modulate "
    "restore maintain contribute predispose "
    "constitute represent reflect exceed outweigh outperform replace allow enable ensure limit avoid "
    "benefit prefer approve warn state "
    "believe know think consider feel look tend exist comprise cover yield achieve grow mimic fail "
    "succeed heal bleed swell hurt itch "
    "target cure minimize minimise maximize worry attack weaken strengthen thin relax dilate "
    "constrict shrink boost deplete counteract "
    "exclude detect identify predict prolong shorten accumulate exacerbate aggravate facilitate precipitate "
    "necessitate warrant mediate penetrate secrete degrade distinguish differentiate determine confer "
    "antagonize antagonise save halve outlast randomize randomise enroll recruit agree disagree "
    "stabilize stabilise shift remove "
    "disrupt favor favour outnumber coincide precede follow arise stem originate correlate associate "
    "subside fade abate vanish "
    "complicate hamper undermine oppose criticize criticise argue urge endorse discourage alter elicit underlie "
    "irritate disturb impede hinder eradicate ignore overlook underestimate overestimate deliver preserve neutralize "
    "neutralise lack spare speed blunt account bring address"
).split()
"""Verbs that are read in all of their regular forms."""
# Their participles describe too often: "recently described drugs", "extended hours".
PRESENT_ONLY = (
    "extend define describe discuss explain examine evaluate assess sustain observe imply assume omit accompany "
    "surround replicate modify provoke beat list miss link pool"
).split()
"""Verbs that are read in the third person alone."""
GOVERNING = frozenset(
    "leads:to results:in helps:to helps:with helps:in helps:by acts:as acts:on acts:by acts:in "
    "works:by works:as works:in works:on works:with works:for works:to "
    "stems:from benefits:from rises:by rises:to rises:in rises:with falls:with falls:by falls:to drops:by drops:to "
    "increases:by increases:to increases:with "
    "increases:in decreases:by decreases:to decreases:with decreases:in starts:with starts:in "
    "starts:to ends:in ends:with needs:to ranges:from spreads:to "
    "spreads:by spreads:through returns:to declines:with declines:by results:from progresses:to "
    "shows:in lasts:for accounts:for".split()
)
"""Verbs that are plurals of nouns as often, with what stands behind them as verbs."""

AUXILIARIES = frozenset(
    "is are was were has have had do does did can could may might must shall should will would "
    "cannot isn't aren't wasn't weren't "
    "hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't shouldn't mustn't "
    "needn't it's they're there's".split()
)
NOUN_TOO = frozenset(
    "cause causes increase increases decrease decreases result results help need needs range ranges "
    "report reports find release releases "
    "control controls delay delays damage rise rises fall falls drop drops double use uses limit "
    "limits benefit benefits state states "
    "experience experiences cover start starts stop stops end ends work works act acts block blocks "
    "lead leads affect support supports "
    "look feel play target targets cure cures attack attacks stem stems last lower slow return "
    "returns spread spreads show shows progress "
    "decline declines present mean means live offer offers treat treats itch thin trigger triggers "
    "cross boost take leave swell interest lives shift shifts lack beats "
    "speed speeds blunt account accounts list lists address addresses misses link links pools spare".split()
)
_IRREGULAR_PAST = frozenset(
    "showed found led began became rose fell gave took grew arose underwent suggested concluded "
    "demonstrated reported remained occurred saw proved resulted consisted seemed accounted".split()
)
_STAYS = frozenset("stays stayed".split())  # "stays low", not "ICU stays"
_PAST_OF_OTHERS = frozenset("brought kept".split())
# Participles as often, "missed doses" and "pooled estimates", unless something counted or pointed at is behind them.
_PAST_WITH_OBJECT = frozenset("missed pooled linked listed".split())
_COUNTS = frozenset("none nothing more fewer less half most many few almost about nearly only over".split())
_SHORT_PAST = frozenset("cut hit beat met put let set".split())
_BEHIND_SHORT_NOUN = frozenset(
    "point points off offs value values edge edges rate rates surface surfaces section sections size sizes "
    "ratio ratios level levels analysis list up down".split()
)
_IS_MET = frozenset(
    "endpoint endpoints criteria criterion target targets goal goals superiority noninferiority non-inferiority "
    "primary secondary inclusion eligibility diagnostic statistical prespecified recommendations".split()
)
_BEFORE_SHORT_NOUN = frozenset(
    "clear clean short price paper data gene test first single second blood".split()
)
_MODIFIED_BY = frozenset(
    "with by in for to from at on using as and or of than after before during following per under".split()
)
_NOT_BEFORE_A_VERB = frozenset(
    "to the a an this these those its their his her your our my no any some each every of in for "
    "with by from on at as into such be been being "
    "may might can could should will would must and or not more less most least very high higher low "
    "lower slight significant mild".split()
)
_SEVERAL = frozenset("both most many".split())  # "but both cause bleeding"
_BETWEEN = frozenset("also often never always still usually sometimes rarely".split())
DETERMINERS = frozenset(
    "the a an this these those its their his her your our my no any some each every both all most "
    "many several few another such one two three".split()
)
PRONOUNS = frozenset("it they this these those he she we you i there".split())
SUBORDINATORS = frozenset(
    "that which who whom whose if when whenever while although though because unless whether where "
    "whereby once whereas provided".split()
)
PREPOSITIONS = frozenset(
    "of in for with by from on at as into to than through during without within among between "
    "against about per via under over due like including such up plus".split()
)
IMPERATIVES = frozenset(
    "take avoid use drink eat apply stop start keep call seek consult talk speak see ask tell "
    "contact limit wash rest discuss check monitor "
    "inform consider try get stay do don't remember make ensure follow store swallow measure reduce "
    "increase continue discontinue never always please "
    "visit go report wear elevate clean cover hold place give remove return repeat "
    "restart resume titrate administer initiate withhold prescribe obtain assess reassess recheck adjust "
    "add offer".split()
)


_FARTHEST_TIE = 6
_ALWAYS_VERBS = frozenset("include require contain remain occur depend consist differ vary comprise".split())


def _third_person(stem: str) -> str:
    if stem.endswith(("s", "sh", "ch", "x", "z", "o")):
        return stem + "es"
    return stem[:-1] + "ies" if stem.endswith("y") and stem[-2] not in "aeiou" else stem + "s"


def _past(stem: str) -> str:
    if stem.endswith("e"):
        return stem + "d"
    return stem[:-1] + "ied" if stem.endswith("y") and stem[-2] not in "aeiou" else stem + "ed"


_PAST_DESCRIBING = frozenset(map(_past, PRESENT_ONLY)) - _PAST_WITH_OBJECT
_SURE_OBJECTS = frozenset("the a an this these those it them its their whether how".split())
_BASE = frozenset(STEMS)
_PRESENT = frozenset(map(_third_person, (*STEMS, *PRESENT_ONLY))) | {"adds", "lets", "comes"}
_PAST = frozenset(map(_past, STEMS)) | _IRREGULAR_PAST | _PAST_OF_OTHERS


def has_form_of_verb(word: str) -> bool:
    """Tell whether a word (lower case) is a verb of the list in any of its forms, though it may be a noun, too."""
    return word in _BASE or word in _PRESENT or word in _PAST or word in _SHORT_PAST


def is_finite(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] (lower case) is a verb that makes a clause, seen with its neighbours."""
    word = words[at]
    if word in AUXILIARIES:
        return True
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    if before in _NOT_BEFORE_A_VERB and before not in ("this", "these", "those", "not", "and", "or"):
        return False
    if word in _PRESENT:
        if word not in NOUN_TOO or f"{word}:{after}" in GOVERNING:
            return True
        return after[:1].isalnum() and after not in _MODIFIED_BY and after not in AUXILIARIES
    if word in _STAYS:
        states = after[:1].isalpha() and after not in _MODIFIED_BY | AUXILIARIES | PRONOUNS
        return bool(at) and (word == "stayed" or states)
    if word == "saw" and after == "palmetto":
        return False
    if word in _PAST_WITH_OBJECT:
        return bool(at) and before not in AUXILIARIES and _has_sure_object(words, at)
    if word in _PAST_DESCRIBING:
        return bool(at) and before not in AUXILIARIES and after in _SURE_OBJECTS
    if word in _SHORT_PAST:
        return bool(at) and _is_short_past(word, before, after)
    if word in _PAST:
        return (
            bool(at)
            and word in _IRREGULAR_PAST
            or (bool(at) and before not in AUXILIARIES and bool(after) and after not in _MODIFIED_BY)
        )
    if word in _ALWAYS_VERBS and at:
        return True
    if word in _BASE and at:
        slightly = before.endswith("ly") or before in _BETWEEN
        before = words[at - 2] if at > 1 and slightly else before  # "statins slightly increase"
        if before in _SEVERAL:
            return word not in NOUN_TOO or word == "cause"
        plural = before in ("they", "we", "you", "who", "which", "that", "these", "those") or bool(
            re.search(r"[^su]s\Z|men\Z|children\Z|people\Z", before)
        )
        return plural and (
            word not in NOUN_TOO
            or bool(after)
            and after not in AUXILIARIES
            and after not in ("of", "and", "or")
        )
    return False


def _is_short_past(word: str, before: str, after: str) -> bool:
    """Tell whether "cut" or "met" is a verb by its object: "cut mortality", unlike "cut points" and "cut in half"."""
    if before in AUXILIARIES or before in _BEFORE_SHORT_NOUN or not after[:1].isalnum():
        return False
    if after in _MODIFIED_BY or after in AUXILIARIES or after in _BEHIND_SHORT_NOUN:
        return False
    if word in ("met", "set"):  # a gene, a data set
        return after in DETERMINERS or after in PRONOUNS or (word == "met" and after in _IS_MET)
    return after not in _PRESENT and after not in _PAST


def _has_sure_object(words: Sequence[str], at: int) -> bool:
    """See the object of "missed 5% of fractures", "pooled the trials" and "linked statins to falls"."""
    behind = words[at + 1 : at + 1 + _FARTHEST_TIE]
    if not behind or behind[0] in _MODIFIED_BY - {"over"}:
        return False
    if behind[0][0].isdigit() or behind[0] in DETERMINERS or behind[0] in PRONOUNS or behind[0] in _COUNTS:
        return True
    return words[at] == "linked" and ("to" in behind or "with" in behind)


def starts_with_verb(words: Sequence[str], at: int) -> bool:
    """Tell whether words[at] opens a verb phrase without a subject: "and improves function", "and improve sleep"."""
    word = words[at]
    if word in AUXILIARIES or (word in IMPERATIVES and word not in NOUN_TOO):
        return True
    return is_finite(["x", *words[at : at + 2]], 1) or (word in _BASE and word not in NOUN_TOO)


def has_finite_verb(words: str) -> bool:
    """Tell whether a phrase states something: it has a finite verb or begins with an imperative."""
    found = [
        w.casefold().replace("’", "'")
        for w in re.findall(r"[^\W_](?:[^\W_]|[-'’/.](?=[^\W_]))*|[,;:]", words[:2000])
    ]
    if not found:
        return False
    return found[0] in IMPERATIVES and len(found) > 2 or any(is_finite(found, at) for at in range(len(found)))


def lacks_subject(words: str) -> bool:
    """Tell whether a phrase begins with a finite verb that is no imperative: "treats pain"."""
    found = re.findall(r"[^\W\d_]+", words[:200].casefold())[:3]
    return bool(found) and found[0] not in IMPERATIVES and is_finite(["x", *found], 1)
