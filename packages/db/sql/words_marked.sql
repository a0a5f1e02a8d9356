-- Does the same as mark_words, for the part of a long text around the first match of `near`, a pattern for
-- the beginnings of the words. Marking takes time in proportion to the text's length. If that part contains
-- no marked word, the whole text is marked.
CREATE OR REPLACE FUNCTION words_marked(content text, query tsquery, near text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT CASE WHEN strpos(marked, '«') > 0 OR length(content) <= 8000
           THEN CASE WHEN start > 1 THEN '…' ELSE '' END || marked || CASE WHEN length(content) >= start + 8000 THEN '…' ELSE '' END
           ELSE mark_words(content, query) END
  FROM (SELECT start, mark_words(substr(content, start, 8000), query) AS marked
        FROM (SELECT CASE WHEN length(content) <= 8000 THEN 1
                     ELSE greatest(1, regexp_instr(content, near, 1, 1, 0, 'i') - 1000) END AS start OFFSET 0) s OFFSET 0) m;
END;
