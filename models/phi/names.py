"""Names of persons, by what stands before or behind them: a title, a label, a relation, an age, a farewell.

How sure a sign is decides how much of a name must be seen. Behind a title any capitalised word is a name that is not
known to be something else; behind "this is" only one that begins with a common given name.
"""

from medassay.models.phi import name_patterns as sign
from medassay.models.phi.grammar import BEGIN, GAP, PART, PARTICLE, RUN, Rule, seen
from medassay.models.phi.name_patterns import BEFORE_A_NAME, HAN, HAN_SURNAMES, NO_HAN_NAME
from medassay.models.phi.name_validators import (
    a_small_surname,
    after_a_doctors_title,
    after_a_relative,
    after_a_sign,
    after_a_strong_sign,
    after_a_word_and_title,
    before_a_sign,
    before_a_weak_sign,
    known,
    lowercase_given_name,
    written_small,
)

_HANGUL_SURNAMES = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진나"
_ARABIC = r"[\u0621-\u064a\u064b-\u0652]{2,}"
_DEVANAGARI = r"[\u0900-\u0963\u0971-\u097f]{2,}"
_HEBREW = r"[\u05d0-\u05ea'״\"]{2,}"
_KANA_OR_HAN = rf"[\u3040-\u30ff{HAN}々]"

OTHER_SCRIPTS = (
    # 我叫李雷, 姓名：王小明; 病人张伟; 丈夫陈志强问; 张先生
    Rule(
        "name",
        rf"(?:我叫|我的名字是|姓名[:：]\s?)(?P<found>[{HAN}]{{2,8}}?)(?=[，。、,.\s]|$)",
    ),
    Rule(
        "name",
        rf"(?:病人|患者)(?P<found>[{HAN_SURNAMES}]{NO_HAN_NAME}[{HAN}]{{1,2}})(?=[，,。、；;（(\s男女\d]|$)",
    ),
    Rule(
        "name",
        rf"(?:丈夫|妻子|老公|老婆|爱人|儿子|女儿|母亲|父亲|妈妈|爸爸|哥哥|弟弟|姐姐|妹妹|其[子女妻夫父母]|家属|联系人)"
        rf"[:：]?(?P<found>[{HAN_SURNAMES}]{NO_HAN_NAME}[{HAN}]{{1,2}}?)"
        r"(?=[，,。、；;（(\s\d]|问|说|陪|患|电话|也|有|在|今年|$)",
    ),
    Rule(
        "name",
        rf"(?P<found>[{HAN_SURNAMES}]{NO_HAN_NAME}[{HAN}]{{0,2}}?)(?=先生|女士|小姐|太太)",
    ),
    # 氏名：佐藤 美咲 様; 名前は田中です; 田中さん
    Rule(
        "name",
        rf"(?:名前は|氏名[:：は]\s?)(?P<found>{_KANA_OR_HAN}{{1,5}}?[ \u3000]?{_KANA_OR_HAN}{{1,5}}?)"
        r"(?=です|と申|[，。、,.\n（(]|[ \u3000]*様|[ \u3000]{2}|$)",
    ),
    Rule("name", rf"(?P<found>(?!患者|皆|医者|先生)[{HAN}]{{2,4}})(?<![師者生医])(?=さん|様)"),
    # 저는 김민서이고; 아버지 김영호님
    Rule(
        "name",
        r"(?:제 이름은|저는|이름[은:：]|성함[은:：]|환자(?:명)?[:：]?|아버지|어머니|남편|아내|"
        r"아들|딸|동생|할머니|할아버지)\s?"
        rf"(?P<found>[{_HANGUL_SURNAMES}][가-힣]{{2}})(?=님|씨|이고|이라고|입니다|이에요|예요|라고|[,.\s]|[은는이가]\s|$)",
    ),
    # اسمي فاطمة الزهراني; اسم المريض: …
    Rule(
        "name",
        rf"(?:اسمي|اسم المريضة?\s?[:：]?)\s(?P<found>{_ARABIC}(?:\s(?!و|عمري|من\b|في\b){_ARABIC}){{0,2}})",
    ),
    # मेरा नाम सुनीता शर्मा है; मेरे पति राजेश को
    Rule(
        "name",
        rf"(?:नाम)\s?:?\s?(?P<found>(?!है){_DEVANAGARI}(?:\s(?!है|हूँ){_DEVANAGARI}){{0,2}})(?=\s(?:है|हूँ)|[,।\n]|$)",
    ),
    Rule(
        "name",
        rf"मेर[ेीा]\s(?:पति|पत्नी|बेटे|बेटी|बेटा|माँ|माता|पिता|भाई|बहन)\s(?P<found>(?!को|ने|की|का|के){_DEVANAGARI})"
        r"(?=\s(?:को|ने|की|का|के)(?:\s|$))",
    ),
    # שמי יעל כהן
    Rule("name", rf"(?<![\u05d0-\u05ea])(?:שמי|קוראים לי)\s(?P<found>{_HEBREW}(?:\s{_HEBREW})?)(?=[,.\n]|$)"),
)


_NAME = rf"(?:{PARTICLE}{GAP}){{0,3}}{RUN}"
_LAST_FIRST = rf"{PART}(?:{GAP}{PART}){{0,2}},{GAP}?{PART}(?:{GAP}{PART}){{0,2}}(?![ \t]?[:=])"
_ENTRY = rf"{_LAST_FIRST}|{_NAME}"
"""What is filled in behind a label: also "Garcia, Maria Elena"."""
_AFTER_A_LABEL = rf"{sign.COLON}{sign.MORE_TITLES}"
_WEAK_LABEL = rf"{sign.NO_WORD_BEFORE}(?i:{sign.WEAK_LABELS}){_AFTER_A_LABEL}"
_THANKS = rf"(?<!\w)(?i:{sign.THANKS})"
_OF_A_PATIENT = rf"(?<!\w)(?i:{sign.PATIENT}){GAP}(?:is{GAP})?"

TITLED = (
    # Mrs. Gladys Okonkwo, Mr.Smith, Mr. de la Cruz; Miss Lee; Dr Priya Venkatesh
    Rule(
        "name",
        rf"(?<![\w-])(?:{sign.TITLES})\b{sign.AFTER_A_TITLE}{sign.MORE_TITLES}{seen(_NAME)}",
        after_a_strong_sign,
    ),
    Rule("name", rf"(?<!\w)MR\.?{GAP}{seen(RUN)}", known(1)),
    Rule("name", rf"{sign.NOT_MISSED}Miss{GAP}{seen(RUN)}", after_a_strong_sign),
    Rule(
        "name",
        rf"(?<![\w-])(?:{sign.DOCTORS_TITLES})\b{sign.AFTER_A_TITLE}{sign.MORE_TITLES}{seen(_NAME)}",
        after_a_doctors_title,
    ),
    # seen by dr patel
    Rule(
        "name", rf"(?<![\w-]){sign.NOBODYS}(?:dr|prof)\.?{GAP}{seen(sign.IN_SMALL_LETTERS)}", a_small_surname
    ),
    # Fru Hansen, M. Bernard, 62 ans; D. Antonio Martín, DNI
    Rule(
        "name", rf"(?<![\w-])(?<!\d )(?:{sign.WORDS_AND_TITLES})\b\.?{GAP}{seen(RUN)}", after_a_word_and_title
    ),
    Rule("name", rf"(?<![\w-])M\.{GAP}{seen(RUN, sign.FRENCH_VERB)}", after_a_doctors_title),
    Rule("name", rf"(?<![\w-])D\.{GAP}{seen(RUN, sign.SPANISH_FACT)}", known(2)),
)
INTRODUCED = (
    # my name is Ada Example; her daughter's name is Emily; my name is john smith
    Rule(
        "name",
        rf"(?<!\w)(?i:{sign.INTRODUCTIONS})[ \t]{{0,3}}[:,]?\s{{0,3}}{sign.MORE_TITLES}{seen(_NAME)}",
        after_a_strong_sign,
    ),
    Rule(
        "name",
        rf"(?<!\w)(?i:my name is|my name['’]s|i am called) {seen(sign.IN_SMALL_LETTERS)}",
        written_small,
    ),
    # hi its kevin murphy here; this is sophie bennett
    Rule(
        "name",
        rf"(?<!\w)(?i:this is|it['’]s|(?:hi|hello|hey),? its|i['’]?m|i am) {sign.SAID_FIRST}"
        rf"{seen(sign.IN_SMALL_LETTERS)}",
        lowercase_given_name(2),
    ),
    # this is Kevin Wong; I'm Sarah; ich bin Eva Muster, ; I, Hannah Goldberg, ; Dear John; Hello, Kevin Wong here.
    Rule("name", rf"(?<!\w)(?i:{sign.I_AM}){GAP}{sign.NOT_AN_ASSISTANT}{seen(RUN)}", known(1)),
    Rule(
        "name",
        rf"(?<!\w)(?i:{sign.I_AM_SURELY}){GAP}{sign.NOT_AN_ASSISTANT}{seen(RUN, sign.AND_GOES_ON)}",
        after_a_sign,
    ),
    Rule("name", rf"(?<!\w)I,{GAP}{seen(RUN, ',')}", known(2)),
    Rule("name", rf"(?<!\w)(?i:{sign.GREETINGS}){GAP}{seen(RUN)}", known(1)),
    Rule("name", rf"(?<!\w)(?:[Hh]ello|[Hh]i|[Hh]ey),{GAP}{seen(RUN, ' here[,.!]')}", known(1)),
)
LABELLED = (
    # Patient's name: Garcia, Maria Elena; Surname: Patel; Nom : Dupont, Prénom; Patient: J. Doe
    Rule("name", rf"(?<!\w)(?i:{sign.LABELS}){_AFTER_A_LABEL}{seen(_ENTRY)}", after_a_strong_sign),
    Rule("name", rf"{_WEAK_LABEL}{seen(_NAME, sign.ANOTHER_LABEL)}", after_a_strong_sign),
    Rule("name", rf"{_WEAK_LABEL}{seen(_ENTRY)}", after_a_sign),
    # Pat. Schmidt, Klaus; patient Maria Gonzalez; Patient Thandiwe Mbeki was
    Rule("name", rf"(?<!\w)Pat\.{GAP}{seen(rf'{PART},{GAP}{PART}', sign.FIELD_ENDS)}", after_a_sign),
    Rule("name", rf"(?<!\w)(?:Pat|Pt)\.{GAP}{seen(RUN)}", known(2)),
    Rule("name", rf"{_OF_A_PATIENT}{seen(RUN)}", known(2)),
    Rule("name", rf"{_OF_A_PATIENT}{seen(RUN, sign.AS_A_PATIENT_DOES)}", after_a_sign),
)
_RELATIVE = (
    rf"(?<![\w-])(?i:{'|'.join(sorted(BEFORE_A_NAME, key=len, reverse=True))})(?:,|:| \()?{GAP}?(?<=[\s(])"
)
RELATED = (
    # my husband Robert Jones; my wife, Mei-Ling Chen; S/o Mohan Lal
    Rule("name", rf"{_RELATIVE}{seen(RUN)}", after_a_sign),
    Rule("name", rf"(?<!\w)[SDWsdw]/[Oo]\.?:? {sign.MORE_TITLES}{seen(RUN)}", after_a_sign),
)
OWN_RELATIVES = (
    # brother Viktor; hermana Itziar: in a patient's own text alone, where no family tree of a study stands
    Rule("name", rf"{_RELATIVE}{seen(RUN)}", after_a_relative),
)
SIGNED = (
    # Kind regards, Tom; Thanks, and on the next line Sarah Miller; Thank you, Priya Sharma
    Rule(
        "name",
        rf"(?<!\w)(?i:{sign.FAREWELLS}){sign.SENT_OFF}{sign.MORE_TITLES}{seen(RUN, sign.CLOSES)}",
        after_a_strong_sign,
    ),
    Rule("name", rf"{_THANKS}{sign.NEW_LINE}{sign.MORE_TITLES}{seen(RUN, sign.CLOSES)}", after_a_strong_sign),
    Rule("name", rf"{_THANKS},{GAP}{sign.MORE_TITLES}{seen(RUN, sign.CLOSES)}", after_a_sign),
)
DESCRIBED = (
    # Ada Example, born 1961; Jennifer Liu (72F); Robert Johnson is a 58-year-old man; 58M Robert Johnson
    Rule("name", rf"{BEGIN}(?P<found>{RUN})(?:{sign.BEHIND_A_NAME})", before_a_sign),
    Rule("name", rf"(?<!\w){sign.PERSON_OF_AGE},?{GAP}{seen(RUN)}", known(2)),
    # Harold Peterson (83); Alan Grant, MD; Linda's iPhone
    Rule(
        "name", rf"{BEGIN}(?P<found>{RUN})(?:[ \t]\(\d{{2}}\)(?!,? \d)|, {sign.DEGREES})", before_a_weak_sign
    ),
    Rule("name", rf"{BEGIN}(?P<found>{RUN}){sign.POSSESSIONS}", known(1)),
)
NAMES = (*TITLED, *INTRODUCED, *LABELLED, *RELATED, *SIGNED, *DESCRIBED, *OTHER_SCRIPTS)
