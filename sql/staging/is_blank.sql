-- Whether a text shows nothing: blanks of every kind, line ends, and signs without width.
create or replace macro is_blank(words) as (not regexp_matches(words, '[^\p{Z}\p{Cc}\p{Cf}]'));
