-- Marks a text in the same places as another text of the same length.
CREATE OR REPLACE FUNCTION copy_marks(marked text, content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT string_agg(substr(content, start::int, length(part[1])) || part[2], '' ORDER BY place)
  FROM (SELECT part, place, 1 + coalesce(sum(length(part[1])) OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS start
        FROM regexp_matches(marked, '([^«»]*)([«»]|$)', 'g') WITH ORDINALITY AS m (part, place)) p);
