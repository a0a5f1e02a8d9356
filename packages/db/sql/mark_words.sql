-- Returns the text with each word that the query matches marked as «word». Guillemets in the text itself
-- become ‹ and ›. The whole text is marked, because letting ts_headline select a fragment takes seconds for
-- some texts. Control characters separate the words during the call. Any in the text itself are lost.
CREATE OR REPLACE FUNCTION mark_words(content text, query tsquery) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(replace(
  ts_headline('english', words_apart(translate(content, '«»', '‹›'), E'\u0001\\1\\2\u0001'), query,
              'StartSel=«, StopSel=», HighlightAll=true'),
  E'\u0001', ''), '»«', '');
