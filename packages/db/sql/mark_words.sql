-- A text with each word that a query looks for as «word»; such marks of its own become ‹ and ›. All of it is marked, since
-- choosing a part would take ts_headline seconds for some texts. Control characters part the words meanwhile; any that the
-- text has itself are left out.
CREATE OR REPLACE FUNCTION mark_words(content text, query tsquery) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(replace(
  ts_headline('english', words_apart(translate(content, '«»', '‹›'), E'\u0001\\1\\2\u0001'), query,
              'StartSel=«, StopSel=», HighlightAll=true'),
  E'\u0001', ''), '»«', '');
