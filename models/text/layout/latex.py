r"""Formulas in LaTeX as a reader sees them: `$\ge 65$` is "≥ 65", `\( 1\% \)` is "1%"."""

import re

_DISPLAYED = re.compile(
    r"(?m:^)[ \t>]*\$\$[^$|]{1,400}?\$\$|\\\[(?:(?!\\\[|\n\s*\n).){1,400}?\\\]", re.DOTALL
)
_MATHS = re.compile(
    r"\$\$(?P<display>[^$]{1,400})\$\$|\\[(\[](?P<bracket>.{1,400}?)\\[)\]]"
    r"|(?<![\\$A-Za-z])\$(?!\s)(?P<inline>[^$\n]{1,200}?)(?<![\s\\])\$(?![\d$])",
    re.DOTALL,
)
_OF_MATHS = re.compile(r"\\[a-zA-Z%,;]|[\^_=<>≤≥±×+]|\A[\d\s.,–~-]+\Z|\A[A-Za-z]\Z")
_WORDS = re.compile(r"\\(?:text|mathrm|mathbf|textbf|operatorname|mathit|boxed)\s?\{([^{}]*)\}")
_FRACTION = re.compile(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\{([^{}]*)\}")
_RAISED = re.compile(r"([\^_])\{([^{}]*)\}")
_SIGNS = {
    "geq": "≥", "geqslant": "≥", "ge": "≥", "leq": "≤", "leqslant": "≤", "le": "≤", "times": "×", "cdot": "·",
    "pm": "±", "approx": "≈", "sim": "~", "neq": "≠", "ne": "≠", "gt": ">", "lt": "<", "rightarrow": "→", "to": "→",
    "Rightarrow": "⇒", "uparrow": "↑", "downarrow": "↓", "div": "÷", "mu": "µ", "alpha": "α", "beta": "β",
    "gamma": "γ", "delta": "δ", "Delta": "Δ", "kappa": "κ", "lambda": "λ", "omega": "ω", "circ": "°", "degree": "°",
    "infty": "∞", "ll": "≪", "gg": "≫", "left": "", "right": "", "quad": " ", "qquad": " ", "displaystyle": "",
}  # fmt: skip
_COMMAND = re.compile(r"\\([a-zA-Z]+)(?:\s(?=\d))?")
_ESCAPED = re.compile(r"\\([%$#&_{}])")
_SPACING = re.compile(r"\\[,;:! ]|~")
_SIMPLE = re.compile(r"[\w.°%]+\Z")


def on_one_line(text: str) -> str:
    """Put a displayed formula on one line; the text keeps its length."""
    return _DISPLAYED.sub(lambda found: re.sub(r"[\r\n]", " ", found[0]), text)


def without_latex(words: str) -> str:
    """Write the formulas in words as plain text; dollars that are prices stay."""
    if "\\" not in words and words.count("$") < 2:
        return words
    return _MATHS.sub(_plain, words)


def _plain(found: re.Match[str]) -> str:
    formula = found["display"] or found["bracket"] or found["inline"]
    if found["inline"] and not _OF_MATHS.search(formula):
        return found[0]
    formula = _SPACING.sub(" ", formula)
    formula = formula.replace("^\\circ", "°").replace("^{\\circ}", "°")
    formula = _ESCAPED.sub(r"\1", _WORDS.sub(r"\1", formula))
    formula = _RAISED.sub(lambda raised: raised[2] if raised[1] == "_" else f"^{raised[2]}", formula)
    formula = _ROOT.sub(r"√(\1)", _FRACTION.sub(lambda over: f"{_term(over[1])} / {_term(over[2])}", formula))
    formula = _COMMAND.sub(lambda name: _SIGNS.get(name[1], name[1]) + name[0][len(name[1]) + 1 :], formula)
    return re.sub(r"(?<=\w)_(?=\w)", "", formula).strip()


def _term(words: str) -> str:
    return words if _SIMPLE.match(words.strip()) else f"({words.strip()})"
