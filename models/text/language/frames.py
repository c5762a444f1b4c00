"""Greetings, offers, refusals, disclaimers and announcements, by how they begin: each with why it asserts nothing."""

import re

FRAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a heading",
        re.compile(
            r"^[\W_]*(?:Treatment|Management|Diagnosis|Overview|Summary|Prevention|Evaluation|Work-?up) of "
            r"(?:(?!(?:is|are|was|were|has|have|can|may|should|must|will|requires?|includes?|involves?|depends?|takes?"
            r"|remains?|reduces?|lowers?|improves?|consists?|starts?|begins?)\b)[\w'’-]+\.?\s?){1,6}\.?[\W_]*$"
        ),
    ),
    ("a heading", re.compile(r"^[\W_]*(?:Table|Figure|Fig\.|Box|Tabelle|Abbildung)\s\d{1,2}[.:]?[\W_]*$")),
    (
        "greeting",
        re.compile(
            r"^[\W_]*(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)|greetings"
            r"|welcome)\b[^.]{0,60}[.!,:]*$",
            re.IGNORECASE,
        ),
    ),
    ("thanks", re.compile(r"^[\W_]*(?:thank you|thanks|many thanks)\b(?! to)", re.IGNORECASE)),
    (
        "a phrase of courtesy",
        re.compile(
            r"^[\W_]*(?:sure|certainly|of course|absolutely|great question|good question|that'?s a "
            r"(?:great|good|very good|excellent) question|happy to help|glad you asked|best regards"
            r"|kind regards|sincerely|best wishes|"
            r"(?:stay (?:safe|well|healthy|strong)|feel better(?: soon)?|be well|have a speedy recovery)\b"
            r"(?=(?:,? (?:and )?(?:stay (?:safe|well|healthy)|everyone|all|out there|soon))*\W*$)|"
            r"(?:warmly|with care|all the best|yours (?:truly|sincerely)|cheers|best|regards|take good care)(?=[\W]*$)|"
            r"(?:Dr|Prof(?:essor)?)\.? (?:[A-Z][\w'’-]+ ?){1,3}(?:, (?:MD|PhD|RN|PharmD|MBBS))?(?=\W*$)|"
            r"take care|good luck|get well soon|wishing you|i wish you|i hope (?:this|that|it|these"
            r"|you|your)|hope (?:this|that (?:helps|was)|it|these|you)"
            r"|you'?re welcome|congratulations|i'?m your (?:[\w-]+ ){0,3}(?:assistant|bot|chatbot|guide)\b"
            r"|i'?m (?:glad|happy) |your (?:[\w-]+ ){0,4}(?:team|[\w-]*bot)(?=\W*$))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "sympathy",
        re.compile(
            r"^[\W_]*(?:i(?:'m| am) (?:so |very |really )?sorry (?:to hear|that you|for your|you)|i "
            r"(?:can )?understand (?:your|that you|how)|i know (?:this|that|how)|don'?t worry[\W]*$"
            r"|you(?:'re| are) not alone(?:,? (?:and|but) (?:you(?:'re| are) doing|help is)[^.\d]{0,60})?[\W]*$"
            r"|(?:this|it)(?:'s| is)(?: definitely| absolutely)? not your fault[\W]*$|"
            r"it(?:'s| is) (?:great|good|understandable|completely understandable|natural|normal) "
            r"(?:that|to (?:hear|feel|be|worry)) )",
            re.IGNORECASE,
        ),
    ),
    (
        "an offer to help",
        re.compile(
            r"^[\W_]*(?:(?:please )?(?:feel free|don'?t hesitate|do not hesitate|let me know"
            r"|let us know|reach out to me)|would you like|if you (?:have|need|would like|want"
            r"|'d like) (?:any |more |further |other |additional |me )?"
            r"(?:questions?|other questions?|information|help|details|assistance|clarification|further"
            r"|more|to know more|me to)\b|if you (?:have|can share|share)\b.{0,80}\bplease (?:share"
            r"|provide)|i(?:'m| am) here to|i can (?:also )?help|happy to (?:provide|answer|help))",
            re.IGNORECASE,
        ),
    ),
    (
        "a refusal",
        re.compile(
            r"^[\W_]*(?:(?:however|but|also),? |as an? (?:\w+ ){1,4}?(?:expert|professional|model|assistant"
            r"|doctor|ai|chatbot),? )?(?:i(?:'m| am) sorry,? (?:but )?i\b|i (?:(?:cannot|can'?t|can not)"
            r"(?! recommend (?!an?\b|any|specific))|(?:do not|don'?t|may not|might not) have (?:access|enough"
            r"|the ability|sufficient|the (?:latest|most recent)|up[- ]to[- ]date|current information)|don'?t know)"
            r"|i(?:'m| am) (?:not able|unable) to|i want to be (?:upfront|clear|honest|transparent)\b.{0,40}\bi\b"
            r"|(?:it(?:'s| is) )?(?:hard|difficult|impossible|not possible) (?:for me )?to (?:say|know|tell|give|be)\b"
            r".{0,40}\bwithout (?:knowing (?:your|more)|more (?:about|information|details)|(?:seeing|examining) you)"
            r"|unfortunately,? i (?:cannot"
            r"|can'?t|am)\b|unfortunately,? there (?:is|are) no (?:relevant |specific )?(?:snippets|documents"
            r"|information|context|sources|passages)\b|the (?:question"
            r"|query) asks\b.{0,200}\bdoes not (?:provide|contain|mention|include)|(?:the |these )?"
            r"(?:provided |given |retrieved )?(?:context|documents?|snippets|passages|sources) (?:does"
            r"|do) not (?:provide|contain|mention|include)|(?:there (?:is|was) )?no (?:answer"
            r"|information) (?:was )?(?:found|available|provided)\b"
            r"|(?:sorry,? )?i (?:could not|couldn'?t|can ?not|did not|didn'?t|was (?:not able|unable) to) find "
            r"(?:this|that|it|an(?:y|swer)?|the)\b.{0,60}\b(?:context|documents?|passages|sources|snippets|texts?)\b"
            r"|(?:很抱歉|抱歉|对不起|對不起)[，,]?\s?我?(?:无法|不能|無法)(?:回答|提供|帮助|回應)"
            r"|(?:申し訳(?:ありません|ございません)).{0,20}(?:お答え|回答)(?:でき|する(?:こと|の)(?:は|が)でき))",
            re.IGNORECASE,
        ),
    ),
    (
        "a disclaimer",
        re.compile(
            r"^[\W_]*(?:disclaimer\b|(?:please )?(?:note|remember|keep in mind|be aware)[,:]?"
            r"(?: that)? (?:i(?:'m| am)|this (?:information|answer|response|is not|is for|is general"
            r"|does not|should not))|as an ai\b|i(?:'m| am|'ve been| have been) "
            r"(?:not a|an ai|a (?:large )?language|just an|trained (?:on|to)|a chatbot)\b|"
            r"generative ai is experimental\W*$|(?:ai|ai[- ]generated|chatgpt|gemini|copilot|this (?:ai|chatbot))"
            r"(?: (?:responses?|answers?))? (?:can|may|might) (?:make|include|contain) (?:mistakes|errors)\b"
            r"|(?:this|the|these)(?: \w+){0,2}? ?(?:is|are|does|should)n'?t (?:be )?(?:(?:meant|intended) as "
            r"|considered )?"
            r"(?:a substitute|a replacement|medical advice|intended|replace|constitute|professional)"
            r"|(?:this|the|all|these|any)(?: above)?(?: \w+){0,2}? (?:information|answer|response"
            r"|content|advice|summary|text)?(?: provided)?(?: here| above)? ?(?:is|are|should|does"
            r"|cannot|may) (?:\w+ ){0,3}?(?:not (?:be )?(?:a substitute|medical advice|intended"
            r"|replace|constitute|considered|used as|taken as|professional)|"
            r"substitute|replace|for (?:general )?(?:informational|education(?:al)?|information)|intended "
            r"(?:for|as)|general (?:information|in nature)))",
            re.IGNORECASE,
        ),
    ),
    (
        "a pointer to reading",
        re.compile(
            r"^[\W_]*(?:for (?:more|further|additional|detailed) (?:information|details"
            r"|reading)\b.{0,300}$|further reading\b(?! (?:of|from) )"
            r"|(?:see|read|learn|click|visit|find out|refer to)(?: also| more| the following"
            r"| here)*\s*(?:at|on|about|here|in|https?:|www\.|:|$)"
            r"(?:[^.]|\.(?=\S)){0,200}[.:]?$|(?:last )?(?:accessed|retrieved"
            r"|updated|reviewed)\b(?: on)?:? (?:\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
            r" (?:\d{1,2}, )?\d{4}).{0,40}$"
            r"|(?:sources?|references?|links?|citations?|information|content|evidence|literature|guidelines?)"
            r" (?:last )?(?:checked|accessed|retrieved|reviewed|updated|verified|searched|current)\b"
            r"(?: on| as of| through| to)?:? [^.]{0,20}\d{4}\W*$)",
            re.IGNORECASE,
        ),
    ),
    (
        "a myth, named to be put right",
        re.compile(
            r"^[\W_]*(?:(?:common|popular) )?(?:myth|misconception|false belief|mythos|irrtum|mythe|idée reçue|mito)"
            r"(?: ?#?\d{1,2})?\s?[:–—]\s(?!.*\b(?:facts?|truth|reality|fakt|tatsache|réalité|realidad)\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "an announcement",
        re.compile(
            r"^[\W_]*(?:(?:if (?:not|so)|now|otherwise|with that said|that said), )?"
            r"(?:you (?:may|might) (?:also )?be wondering\b"
            r"|(?:(?:per|for|as per|to answer) your (?:question|request|query),? )?i(?:'ve| have)? "
            r"(?:reviewed|searched|checked|looked (?:at|through)|consulted|read) [^.,;:]{0,60}\W*$"
            r"|(?:the|this) (?:following )?(?:table|list|section|chart|figure) (?:below )?(?:summari[sz]es"
            r"|shows|lists|gives"
            r"|compares|outlines)\b(?! that\b)[^.;]{0,80}:?\W*$|below,? i (?:outline|list|summari[sz]e|describe"
            r"|explain|give)\b[^.;]{0,80}\W*$"
            r"|(?:a |here is a )?(?:quick|brief|short) (?:summary|overview|note|rundown|recap) (?:on|of"
            r"|about) [^.:;]{3,80}\W*$"
            r"|(?:here|below|following)(?:'s| is| are)\b(?![^:\n]{0,60}:\s+(?:\S+\s+){2})"
            r"|(?:here|below) (?:you(?:'ll| will)"
            r"|we)\b|(?:let'?s|let us|i(?:'ll| will)|we(?:'ll| will)|this (?:answer|section|response"
            r"|summary) (?:will )?(?:explains?|covers?|summari[sz]es?|outlines?|describes?))\b|"
            r"based on (?:the |your )?(?:provided |given |retrieved |available )?(?:documents?|context"
            r"|sources|information|question|search results)[^,]{0,30}[,:]?\s*(?:here|the following"
            r"|i)\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "thinking aloud",
        re.compile(
            r"^[\W_]*(?:(?:okay|ok|alright|right|hmm+|wait|so|now|first),? )*(?:let me (?!know\b)"
            r"|the user (?:is|was|wants|asks|asked|would|needs|has)\b"
            r"|i (?:should|need to|must|have to|want to) (?:also |first |probably )?(?:cite|mention|check|look"
            r"|think|recall|verify|explain|note|answer|search|respond|reply|include|address|be careful)\b)"
            r"(?!.*(?:\bthat\b|\bbecause\b|[:;]\s*\S))",
            re.IGNORECASE,
        ),
    ),
)
