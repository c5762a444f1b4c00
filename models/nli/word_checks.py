"""Checks of words beside the network: drug names that differ, and claims that stand verbatim in a passage.

What a passage says of one drug says nothing of another, however alike the sentences are. Stems: World Health
Organization, The use of stems in the selection of International Nonproprietary Names for pharmaceutical substances.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_STEMS = (
    "mab|(?<!int)ercept|atacept|kinra|tinib|anib|enib|lisib|parib|ciclib|zomib|degib|limus|platin|taxel|rubicin|tecan|mustine"
    "|trexate|trexed|citabine|vastatin|pril|sartan|olol|azosin|dipine|semide|thiazide|grel|parin|xaban|gatran|gliptin"
    "|gliflozin|glutide|natide|glitazone|glinide|formin|prazole|(?<!his)(?<!cy)tidine|setron|cillin|penem|bactam|mycin|oxacin"
    "|cycline|conazole|nidazole|fungin|vir|quine|triptan|oxetine|traline|talopram|triptyline|pramine|giline|peridone|apine|azepam"
    "|zolam|barbital|profen|coxib|fenac|fentanil|fentanyl|caine|curonium|asone|isone|solone|onide|meterol|moterol"
    "|buterol|tropium|lukast|enafil|alafil|sentan|xostat|listat|dronate|relin|imibe|micin|teplase|faxine|peridol|steride|pramide"
    "|renone"
)
_WITHOUT_STEM = (
    "warfarin aspirin paracetamol epinephrine levarterenol dopamine dobutamine vasopressin terlipressin milrinone "
    "levodopa carbidopa lithium digoxin amiodarone dronedarone verapamil diltiazem insulin tamoxifen letrozole "
    "anastrozole exemestane morphine oxycodone hydrocodone codeine tramadol methadone buprenorphine naloxone "
    "naltrexone ketamine propofol dexmedetomidine gabapentin pregabalin phenytoin valproate carbamazepine "
    "oxcarbazepine lamotrigine levetiracetam topiramate zonisamide lacosamide cyclophosphamide theophylline "
    "colchicine allopurinol isoniazid rifampicin rifaximin ethambutol pyrazinamide linezolid trimethoprim "
    "nitrofurantoin spironolactone hydralazine minoxidil nitroglycerin andexanet protamine bupropion trazodone "
    "clonidine levothyroxine liothyronine melatonin sulfasalazine mesalazine azathioprine mercaptopurine "
    "hydroxycarbamide lenalidomide thalidomide pomalidomide bleomycin memantine donepezil rivastigmine "
    "galantamine baclofen tizanidine dantrolene riluzole misoprostol mifepristone oxytocin carboprost "
    "progesterone testosterone aripiprazole chlorpromazine deferoxamine deferasirox cholestyramine lactulose "
    "domperidone ranolazine ivabradine sacubitril methimazole carbimazole propylthiouracil isotretinoin "
    "salbutamol suxamethonium pethidine"
)
_ALIASES = {
    "noradrenaline": "levarterenol", "norepinephrine": "levarterenol", "adrenaline": "epinephrine",
    "acetaminophen": "paracetamol", "acetylsalicylic acid": "aspirin", "rifampin": "rifampicin",
    "glyceryl trinitrate": "nitroglycerin", "nitroglycerine": "nitroglycerin", "mesalamine": "mesalazine",
    "valproic acid": "valproate", "divalproex": "valproate", "hydroxyurea": "hydroxycarbamide",
    "succinylcholine": "suxamethonium", "meperidine": "pethidine", "albuterol": "salbutamol",
    "levosalbutamol": "salbutamol", "desferrioxamine": "deferoxamine", "thiamazole": "methimazole",
    "colestyramine": "cholestyramine",
}  # fmt: skip
"""Other names of one drug; noradrenaline gets one in which adrenaline does not stand."""
_ALIAS = re.compile(rf"\b(?:{'|'.join(_ALIASES)})\b")
_NAME = re.compile(rf"\b(?:[a-z]{{3,}}(?:{_STEMS})|{_WITHOUT_STEM.replace(' ', '|')})\b")
_HEPARINS = re.compile(r"\blmwhs?\b|\bheparins\b|molecular[ -]weight heparin")
_SPELLINGS = (("ph", "f"), ("th", "t"), ("oe", "e"), ("y", "i"), ("frus", "furos"), ("ligno", "lido"))
"""British and American spellings of one name: acyclovir, frusemide, lignocaine, cyclosporine."""

_TOKEN = re.compile(r"[^\W_]+|[<>≤≥=±%+]|[-−–](?=\d)")
_LEAST = 4
_OPENS = re.compile(r"\A\W*\Z|[;—]\s*\Z|\A\W*(?P<label>[^.;:!?]{1,60}):\W*\Z")
_UNSURE = re.compile(
    r"myth|false|wrong|incorrect|hypothes|question|aim|objective|purpose|goal|claim|not\b|if\b", re.I
)
_CLOSES = re.compile(
    r"\W*\Z|[\s*_”’)\"]*[;—.]|[\s*_”’)\"]*,\s*(?:because|since|so|as|which|while|whereas|and)\b", re.I
)


def names_other_drugs_only(passage: str, claim: str) -> bool:
    """Return whether both name drugs, and the passage none of the claim's.

    A name within another (omeprazole, esomeprazole) is not told apart from it.
    """
    claimed = _drugs(_plain(claim))
    if not claimed:
        return False
    plain = _plain(passage)
    text = _spelt(plain)
    if any(name in text or name.endswith("parin") and _HEPARINS.search(plain) for name in claimed):
        return False
    named = _drugs(plain)
    return bool(named) and not any(other in name for name in claimed for other in named)


def _plain(text: str) -> str:
    """Put a drug's common name for its others."""
    return _ALIAS.sub(lambda found: _ALIASES[found[0]], text.lower())


def _drugs(plain: str) -> frozenset[str]:
    return frozenset(_spelt(name) for name in _NAME.findall(plain))


def _spelt(text: str) -> str:
    for written, common in _SPELLINGS:
        text = text.replace(written, common)
    return text


def stands_in(sentence: str, claim: str) -> bool:
    """Return whether a sentence is the claim, or holds it as a whole clause of its own, in the same words and order.

    Case, punctuation and a label before it ("Doses: …") do not matter; an exception behind it ("…, except in
    pregnancy") does, and so does a question mark, or a label that takes it back ("Myth: …").
    """
    if sentence.rstrip().endswith("?"):
        return False
    wanted = _folded_tokens(claim)
    if len(wanted) < _LEAST or not _may_hold(sentence.casefold(), wanted):
        return False
    return any(_is_a_clause(sentence, start, end) for start, end in _places(sentence, wanted))


@lru_cache(256)
def _folded_tokens(claim: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(claim)]


def _may_hold(said: str, wanted: list[str]) -> bool:
    """Look for the last words first: sentences about the same begin alike."""
    return all(token in said for token in reversed(wanted))


def _places(sentence: str, wanted: list[str]) -> Iterator[tuple[int, int]]:
    found = list(_TOKEN.finditer(sentence))
    said = [token[0].casefold() for token in found]
    for at in range(len(said) - len(wanted) + 1):
        if said[at : at + len(wanted)] == wanted:
            yield found[at].start(), found[at + len(wanted) - 1].end()


def _is_a_clause(sentence: str, start: int, end: int) -> bool:
    opening = _OPENS.search(sentence[:start])
    if opening is None or (opening["label"] and _UNSURE.search(opening["label"])):
        return False
    return _CLOSES.match(sentence, end) is not None
