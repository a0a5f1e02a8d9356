-- As mark_words, of the part of a long text in which `near`, a pattern for how the words begin, is found first: marking takes
-- time with the text's length. Where that pattern misleads, all of it is marked after all.
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
