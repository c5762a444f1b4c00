"""Headings that stand in a line of text: dull ones that introduce nothing, those before a paragraph, captions."""

import re

from medassay.models.records import Span
from medassay.models.text.language.verbs import has_finite_verb

# In French, German and Spanish.
_DULL_ELSEWHERE = (
    r"(?:voici )?(?:les |quelques |l['’])?(?:principaux |essentiels? )?(?:points?|éléments|faits) (?:clés?|importants?"
    r"|essentiels?|à retenir)|voici (?:un |le )?(?:résumé|aperçu)|en (?:résumé|bref)|résumé"
    r"|(?:hier (?:sind |ist )?)?(?:die |eine |das )?(?:wichtigste[nr]?|kurze|zentrale[nr]?) (?:punkte|fakten"
    r"|informationen|zusammenfassung|übersicht|aussagen)(?: (?:im überblick|auf einen blick|zusammengefasst))?"
    r"|(?:hier (?:sind |ist )?(?:die |eine )?)?(?:zusammenfassung|übersicht|überblick)|fazit"
    r"|(?:aquí (?:están|tienes?|hay) )?(?:los |unos |un |el )?(?:puntos (?:clave|importantes|principales)|resumen)"
    r"|en resumen|wichtig|achtung|hinweise?|bitte beachten|important|attention|à noter|importante|atención|nota"
)
_DULL = re.compile(
    r"[\W\d_]*(?:summary|overview|introduction|background|conclusions?|key (?:points|takeaways"
    r"|facts|findings)|details|answer|recommendations|notes?|bottom line|in short|tl;?dr"
    r"|important|please note|remember|caution|heads up"
    r"|takeaways?|main points|(?:an? )?(?:few |some |important )?caveats?"
    rf"|{_DULL_ELSEWHERE}"
    r"|(?:[^:.]{1,60}, )?(?:here(?:['’]s| is| are)|below (?:is|are))(?: (?:an?|the|my|your|some|more|quick|brief|short"
    r"|simple|detailed|clear|general|concise|structured|full|few|main|key))*"
    r" (?:breakdown|summary|overview|rundown|answer|details|points|facts|takeaways|list|outline"
    r"|what (?:i (?:found|know)|we know|(?:the )?(?:evidence|research|sources?) sa(?:ys?|id)"
    r"|you (?:need|should|have) (?:to )?know|to know))"
    r"(?: (?:for you|below|of it))?)[\W_]*",
    re.IGNORECASE,
)
_RUN_IN = re.compile(r"[ \t]*(\*{1,3}|_{1,3})[^*_\n]{1,80}[.:]?\1[.:]?[ \t]*")
CAPTION = re.compile(
    r"[*_]{0,3}(?:Table|Tab\.|Tabelle|Figure|Fig\.|Abbildung|Abb\.|Box)"
    r"\s(?:\d{1,2}|[IVX]{1,4})[.:]?[*_]{0,3}[.:]?(?=\s)"
)
"""What the caption of a table or figure begins with."""
_LONGEST = 8
_LONGEST_IN_ITALICS = 3


def introduces(words: str) -> bool:
    """Tell whether a heading says what the fragments below it are about, unlike "Summary"."""
    return bool(words) and not _DULL.fullmatch(words)


def is_run_in_heading(text: str, span: Span, words: str) -> bool:
    """Tell whether a sentence is a heading in bold type or italics: "**Diagnosis.** Ferritin is low."."""
    whole = _RUN_IN.fullmatch(text, span.start, span.end)
    if whole is None:
        return False
    longest = _LONGEST if len(whole[1]) > 1 else _LONGEST_IN_ITALICS
    return len(words.split()) <= longest and not has_finite_verb(words)
