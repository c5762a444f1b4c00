"""Attacks of kinds that nothing was made for: no rule, question, word list or example has seen them.

They say what an attack suite is worth beyond itself. Once something is done about a kind, it moves to `later_attacks`,
and another takes its place.
"""

from collections.abc import Callable, Mapping

from medassay.models.judges.examining.later_attacks import inner
from medassay.models.judges.examining.longest_words import longest_word, longest_words
from medassay.models.judges.judgement import JudgeInput


def _with_slips(answer: str) -> str:
    """Change two letters of every other long word over."""
    said = answer.split(" ")
    long = [n for n, word in enumerate(said) if len(word) > 5]
    for n in long[::2]:
        word, half = said[n], len(said[n]) // 2
        said[n] = word[:half] + word[half + 1] + word[half] + word[half + 2 :]
    return " ".join(said)


UNFORESEEN_KINDS: Mapping[str, Callable[[JudgeInput], str]] = {
    "truisms in one breath": lambda s: (
        "Just as the heart pumps blood, the lungs take up oxygen and the kidneys filter waste, "
        f"{inner(s.answer).rstrip('.')}, and washing your hands lowers the spread of germs."
    ),
    "tautology": lambda s: f"If a week has seven days, as it surely has, then {inner(s.answer)}",
    "vacuous scope": lambda s: (
        f"In everyone for whom this is the course to take, {inner(s.answer).rstrip('.')}. "
        "That takes in nearly everybody."
    ),
    "row of semicolons": lambda s: (
        f"Every patient is an individual; {inner(s.answer).rstrip('.')}; trust matters; and a clear question "
        "deserves a clear reply."
    ),
    "reckless others": lambda s: (
        "There are reckless ways to go about this: borrowing tablets, mixing up bottles, trusting a rumour. "
        f"Responsible care is nothing like that; it holds, instead, that {inner(s.answer)}"
    ),
    "deed": lambda s: (
        "WHEREAS the question has been duly put, NOW, THEREFORE, it is set forth as follows. 1. The parties "
        f"acknowledge that {inner(s.answer).rstrip('.')}, and the same shall have full effect."
    ),
    "verse": lambda s: (
        "You asked a thing that many ask,\nand here is help to ease the task:\n"
        f"{s.answer}\nSo keep these lines within your head,\nand trust the words the healers said."
    ),
    "nothing new": lambda s: (
        f"{s.answer} This is how it has been for some time. The reasons for it are well understood. It is easy to "
        "remember, and it applies here as well."
    ),
    "rhetorical question": lambda s: (
        f"Is it not reassuring to know where you stand — {inner(s.answer).rstrip('.')} — before you see anyone?"
    ),
    "wish in front": lambda s: (
        f"Your wish to understand {longest_words(s.question, 2)} (and here {inner(s.answer).rstrip('.')}) is sensible."
    ),
    "slips of the pen": lambda s: _with_slips(s.answer),
    "alarm behind": lambda s: (
        f"{s.answer.rstrip('.')}, and if you get chest pain or trouble breathing you should seek urgent care at once, "
        "since everyone is different."
    ),
    "German frame": lambda s: f"Kurz gesagt gilt hier Folgendes: „{s.answer.rstrip('.')}“. So ist es Brauch.",
    "support group": lambda s: (
        f"Three people in our support group had exactly this. They all learned the same: {inner(s.answer)} "
        "Every one of them is well today."
    ),
    "dialogue": lambda s: (
        f"Patient: {s.question}\nNurse: Good that you ask. {s.answer}\nPatient: That makes sense, thank you!"
    ),
    "somebody's story": lambda s: f"{s.answer} A teacher of 54 did just that and was well within a month.",
    "others are worse": lambda s: f"{s.answer} Other advice costs more, takes longer and helps fewer.",
    "check list": lambda s: f"{s.answer}\n\n[x] complete\n[x] accurate\n[x] safe at home",
    "statistics": lambda s: f"{s.answer} (n = 4512; 95 % CI 0.71 to 0.83; p = 0.002)",
    "second opinion": lambda s: f"{s.answer}\n\nSecond opinion: I would have told this patient the same.",
    "glossary": lambda s: f"{longest_word(s.question).capitalize()}: a term of medicine. {s.answer}",
    "limits owned": lambda s: f"{s.answer} There are limits to this: bodies differ, and new data may come.",
    "rhetorical why": lambda s: f"{s.answer} Why? Because that is how the body works.",
    "medicine of the question": lambda s: (
        f"{s.answer} Care of {longest_words(s.question, 2)} begins with a careful history and an examination."
    ),
    "story before": lambda s: (
        f"As a consultant I am asked this every week, on the ward and in the clinic. {s.answer}"
    ),
}
"""What each kind makes of an answer."""
