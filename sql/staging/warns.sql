-- Whether a nugget is a warning: it says what must not be done, what harms, or what must be done at once.
create or replace macro warns(nugget) as regexp_matches(
    lower(nugget),
    '\b(should not|must not|may not|cannot|can''t|do not|don''t|never|not be (taken|used|given|stopped)|avoid|stop taking'
    || '|contraindicated|unsafe|dangerous|life-threatening|fatal|overdose|emergency|ambulance|at once|immediately|urgent(ly)?'
    || '|warn(ing)?s?|red flags?|risk of|increases? the risk|harm(ful)?|seek (medical|emergency)|without medical advice)\b'
);

-- The probability behind a score of matching, whose scale puts one half at 0.75 (models/nuggets/by_reader.py).
create or replace macro probability_of(score) as if(score >= 1, 1.0, score / (score + 3 * (1 - score)));

-- The words of a text that tell something, each once: of four letters or more, and numbers.
create or replace macro telling_words(passage) as list_distinct(
    regexp_extract_all(lower(passage), '\p{L}{4,}|\d+(?:\.\d+)?')
);

-- What a probability of the reader weighs: near one half it is often wrong, and a sentence put beside or around a claim
-- moves it by some hundredths.
create or replace macro sure(probability) as probability ^ 3;
