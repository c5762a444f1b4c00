"""Words for relatives, in languages where such a word stands right before the relative's name."""

import re

RELATIVES = (
    # English
    "husband wife son daughter mother father mum mom mommy dad daddy brother sister partner grandmother grandfather "
    "grandson granddaughter granny grandma grandpa aunt auntie uncle niece nephew friend boyfriend girlfriend fiancé "
    "fiancée cousin neighbour neighbor spouse stepson stepdaughter stepmother stepfather twin carer caregiver guardian "
    # German, Dutch, Swedish, Danish, Norwegian
    "mann frau ehemann ehefrau sohn tochter mutter vater bruder schwester oma opa enkel enkelin tante onkel "
    "lebensgefährte lebensgefährtin vrouw echtgenoot echtgenote zoon dochter moeder vader broer zus fru make maka "
    "sonen son dotter dottern mamma pappa bror syster sambo hustru søn datter mand kone søster mormor farfar "
    # French, Spanish, Portuguese, Italian, Romanian
    "mari femme époux épouse fils fille mère père frère sœur soeur compagnon compagne conjoint conjointe neveu nièce "
    "marido esposo esposa mujer hijo hija madre padre hermano hermana abuelo abuela tío tía sobrino sobrina pareja "
    "filho filha mãe pai irmão irmã avô avó mulher companheiro companheira "
    "marito moglie figlio figlia mamma papà fratello sorella nonno nonna compagno compagna zio zia "
    "soțul soția fiul fiica mama tata fratele sora "
    # Polish, Czech, Turkish, Vietnamese, Greek, Russian, Ukrainian
    "mąż żona syn córka matka ojciec brat siostra babcia dziadek manžel manželka dcera otec bratr sestra "
    "eşim annem babam oğlum kızım kardeşim ablam abim annesi babası "
    "chồng vợ trai gái mẹ bố cha chị "
    "γιος κόρη σύζυγος άντρας γυναίκα μητέρα πατέρας αδελφός αδελφή μου "
    "муж мужу жена жене сын сыну дочь дочери мать мама маме отец папа брат сестра бабушка дедушка внук внучка "
    "чоловік дружина син сину донька мати батько"
)
"""Words for a relative or a companion, without a possessive, in small letters."""
_GERMAN = (
    "mann frau ehemann ehefrau sohn tochter mutter vater bruder schwester oma opa enkel enkelin tante onkel "
    "lebensgefährte lebensgefährtin partner mama"
)
"""Before these a capital says little: every noun has one."""
BEFORE_A_NAME = frozenset(RELATIVES.split()) - frozenset(_GERMAN.split()) - {"partner"}
_BEFORE = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(set(RELATIVES.split()), key=len, reverse=True))})"
    r"(?: (?:is|named|called|heißt|s'appelle|se llama|si chiama))?[,:]?[ \t(]{1,2}$",
    re.IGNORECASE,
)


def ends_with_relative(text: str) -> bool:
    """Tell whether a text ends with a word for a relative, as before the relative's name."""
    return _BEFORE.search(text[-40:]) is not None
