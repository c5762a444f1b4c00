"""What asserts nothing in German, French or Spanish: greetings, offers, disclaimers, advice to see a doctor."""

import re

_SO = (
    r"^[\W_]*(?:(?:und|also|bitte(?: beachten sie(?:,? dass|:))?|et|veuillez noter(?: que|:)|y|por favor|recuerde que"
    r"|bei (?:\w+ )?(?:fragen|zweifeln|unsicherheit(?:en)?)),? )*"
)
_DOCTOR = (
    r"(?:ärzt\w*|\w*arzt|\w+olog(?:e|en|in)|apotheker\w*|\w*fachperson\w*|\w*fachkr\w+|médecins?|docteurs?"
    r"|pharmacien\w*|spécialistes?"
    r"|professionnels? de (?:la )?santé|médic[oa]s?|doctora?|farmacéutic[oa]s?|especialistas?"
    r"|profesional(?:es)? (?:de la salud|sanitarios?|médicos?))"
)
_OF_ANSWER = (
    r"(?:dies\w*|die|der|das|meine?|alle|ces?|cette|les|la|mes|ma|est[aeo]s?|los|mis?)(?: \w+){0,2}? "
    r"(?:informationen?|angaben|antworte?n?|auskünfte?|auskunft|hinweise?|inhalte?|texte?|zusammenfassung"
    r"|informations?|réponses?|conseils?|contenus?|información|informaciones|respuestas?|contenidos?|textos?)\b"
)
_PATTERNS = {
    "greeting": (
        r"(?:hallo|guten (?:tag|morgen|abend)|sehr geehrte\w*|bonjour|bonsoir|salut|ch(?:er|ère)s?"
        r"|hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]s?)\b[^.:]{0,60}[\s.!,:]*$"
    ),
    "thanks": (
        r"(?:(?:vielen |herzlichen |besten )?dank(?:e|eschön)?\b(?! d(?:er|es|em)\b)|merci\b"
        r"|(?:muchas )?gracias\b(?! a (?:la|los|las|el|su)\b))"
    ),
    "a phrase of courtesy": (
        r"(?:(?:sehr )?gerne?|natürlich|selbstverständlich|bien sûr|volontiers|claro|por supuesto)[\s!.]*$"
        r"|(?:mit freundlichen|(?:viele|beste|freundliche|liebe|herzliche)) grüßen?\b"
        r"|(?:das ist |c'est |es |une |una |eine )*(?:sehr |très |muy )?(?:gute|wichtige|bonne|excellente|buena"
        r"|excelente) (?:frage|question|pregunta)\b|gute besserung|alles gute|ich (?:hoffe|wünsche)\b|j'espère\b"
        r"|espero (?:que|haber)\b|cordialement|bien à vous|prenez soin de vous|bon rétablissement"
        r"|(?:un )?(?:cordial )?saludos?\b|atentamente"
    ),
    "an offer to help": (
        r"(?:wenn|falls) (?:sie|du) (?:es )?(?:möchten|möchtest|wünschen|wollen|willst|mögen|magst)\b[^.]*\bich\b"
        r"|(?:wenn|falls|sollten) sie (?:noch |weitere |mehr |zusätzliche )*(?:fragen|informationen|hilfe|details)\b"
        r"|gerne? \w+ ich (?:ihnen|dir|euch|auch|noch|die|das|den|eine?n?)\b"
        r"|ich kann (?:ihnen|dir)\b|zögern sie nicht|lassen sie (?:es )?mich wissen"
        r"|sagen sie (?:mir )?bescheid|n'hésite[zs]? pas\b|si vous avez (?:d'autres|des|la moindre) questions?\b"
        r"|si (?:vous|tu) (?:le )?(?:souhaite[zs]|voule[zs]|veux|désire[zs])\b[^.]*\bje\b"
        r"|je (?:peux|reste|suis)\b[^.]*\b(?:vous|disposition)\b|no dudes? en\b"
        r"|si (?:lo )?(?:quieres?|deseas?|prefieres?)\b[^.]*\bpuedo\b"
        r"|si (?:tienes?|necesitas?) (?:más|otras?|alguna)\b|(?:avísame|hazme saber|estoy aquí para)\b"
    ),
    "a refusal": (
        r"(?:lo siento,? (?:pero )?)?no puedo (?:responder|contestar|ayudar|proporcionar)\b"
        r"|(?:désolée?,? (?:mais )?)?je ne (?:peux|suis) pas (?:répondre|vous aider|fournir|en mesure de)\b"
        r"|(?:(?:es )?tut mir leid,? (?:aber )?)?(?:(?:ich kann|kann ich) (?:diese frage|das|ihnen|darauf)? ?"
        r"(?:leider )?nicht (?:beantworten|helfen|antworten)|dazu kann ich (?:leider )?(?:nichts|keine)\b)"
        r"|(?:desculpe,? (?:mas )?)?não posso (?:responder|ajudar|fornecer)\b"
    ),
    "a disclaimer": (
        rf"{_OF_ANSWER}[^.]*\b(?:ersetz(?:t|en)\b[^.]*\b(?:kein|nicht)|stell(?:t|en)\b[^.]*\bkein\w*\b[^.]*\bdar\b"
        r"|dien(?:t|en) (?:nur|lediglich|ausschließlich)|ne (?:remplace|constitue|se substitue)(?:nt)?"
        r"|no (?:sustituyen?|reemplazan?|constituyen?))"
        rf"|(?:ich bin kein|je ne suis pas|no soy)(?:e|er|une?)? (?:\w+ ){{0,2}}?(?:{_DOCTOR}|ki|ia)\b"
    ),
    "advice to see a doctor": (
        r"(?:(?:il est \w+ de|es \w+|se recomienda|sie sollten|veuillez|debe) )*"
        r"(?:(?:wenden sie sich|(?:be)?sprechen sie|konsultieren sie|fragen sie|kontaktieren sie|suchen sie"
        r"|parlez|demandez"
        rf"|consult(?:e[rz]?|ar?)|contacte[zr]?|adressez-vous|habl[ea]|pregunt[ea]|acud[ae])\b[^.]*\b{_DOCTOR}\b)"
    ),
}
_FRAMES = {reason: re.compile(rf"{_SO}(?:{pattern})", re.IGNORECASE) for reason, pattern in _PATTERNS.items()}
_SAYS_MORE = re.compile(
    r";|:\s*\S|\b(?:aber|jedoch|sondern|weil|mais|car|parce|cependant|pero|porque|sino)\b|\d", re.IGNORECASE
)
_IN_DOUBT = re.compile(
    r"\b(?:(?:si|en cas de|en caso de|wenn|falls) (?:(?:usted |sie |vous |tiene[sn]?|hay|ave[zs]|avez|haben|noch"
    r"|weitere|alguna?s?|más|otras?|des|d'autres|une?|l[ea] moindre) ?)*(?:dudas?|preguntas?|doutes?|questions?|fragen"
    r"|zweifel|unsicher))\b",
    re.IGNORECASE,
)
_ALARM = re.compile(
    r"\b(?:wenn|falls|sobald|bei(?! (?:\w+ )?(?:fragen|zweifel|unsicherheit|bedarf|beschwerden|symptomen))"
    r"|sofort|umgehend|si|cuando|quand"
    r"|lorsque|dès|en caso?)\b",
    re.IGNORECASE,
)


def foreign_frame(words: str) -> str | None:
    """Say why words in German, French or Spanish assert nothing, None if they do or are of another language.

    Advice to see a doctor that names an alarm sign asserts what it is one of.
    """
    for reason, pattern in _FRAMES.items():
        found = pattern.match(words)
        if found is None or _SAYS_MORE.search(words, found.end()):
            continue
        if reason != "advice to see a doctor" or not _ALARM.search(_IN_DOUBT.sub("", words)):
            return reason
    return None
