"""Drugs that a claim and a passage name, known by the stems of their international non-proprietary names, or by heart.

What a passage says of one drug says nothing of another, however alike the sentences are. Stems: World Health
Organization, The use of stems in the selection of International Nonproprietary Names for pharmaceutical substances.
"""

import re

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


def names_other_drugs_only(passage: str, claim: str) -> bool:
    """Say whether both name drugs, and the passage none of the claim's.

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
