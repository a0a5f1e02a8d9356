-- Marks each word that the query matches as «word». Control characters separate the words during the call. Any in the
-- text itself are lost.
CREATE OR REPLACE FUNCTION headline_words(content text, query tsquery) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(replace(
  ts_headline('english', words_apart(content, E'\u0001\\1\\2\u0001'), query,
              'StartSel=«, StopSel=», HighlightAll=true'),
  E'\u0001', ''), '»«', '');
