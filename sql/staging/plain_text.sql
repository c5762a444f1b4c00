-- A text as it is compared with another one: small letters, one blank, no signs without width, no stop at its end.
create or replace macro plain_text(words) as trim(
    regexp_replace(
        regexp_replace(
            regexp_replace(lower(nfc_normalize(words)), '\p{Cf}', '', 'g'), '[\p{Pd}−]', '-', 'g'
        ),
        '[\p{Z}\p{Cc}]+', ' ', 'g'
    ),
    ' ?.!'
);
