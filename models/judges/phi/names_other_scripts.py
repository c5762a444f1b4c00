"""Names in scripts without capitals, by the word before them: an introduction, a label, a relative."""

from medassay.models.judges.phi.grammar import Rule
from medassay.models.judges.phi.name_signs import HAN, HAN_SURNAMES, NO_HAN_NAME

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
