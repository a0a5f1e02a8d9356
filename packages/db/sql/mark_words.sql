-- Returns the text with each word that the query matches marked as «word». Guillemets in the text itself become ‹ and
-- ›, and control characters are lost. The whole text is marked, because letting ts_headline select a fragment takes
-- seconds for some texts. If no whole word matches, the words of which identifiers consist are marked. The words are
-- found in a text without accents, and their marks are copied to the text itself.
CREATE OR REPLACE FUNCTION mark_words(content text, query tsquery) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT CASE WHEN folded = plain THEN marked
           WHEN length(translate(marked, '«»', '')) = length(plain) THEN copy_marks(marked, plain)
           ELSE headline_words(plain, query) END
  FROM (SELECT plain, folded, CASE WHEN strpos(whole, '«') > 0 THEN whole
                                ELSE headline_words(cut_identifiers(folded, E'\u0001'), query) END AS marked
        FROM (SELECT plain, folded, headline_words(folded, query) AS whole
              FROM (SELECT plain, fold_accents(plain) AS folded
                    FROM (SELECT normalize(translate(content, E'«»\u0001', '‹›'), NFC) AS plain OFFSET 0) p OFFSET 0) f OFFSET 0) w OFFSET 0) m;
END;
