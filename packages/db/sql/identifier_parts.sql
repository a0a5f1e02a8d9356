-- Returns the words of all identifiers in a text that consist of several words. Longer strings of letters and digits
-- are no identifiers but encoded data, whose parts would only fill the index.
CREATE OR REPLACE FUNCTION identifier_parts(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN content ~ '[a-z0-9][A-Z]|[A-Z][A-Z][a-z]' THEN (
  SELECT string_agg(cut_identifiers(found[1], ' '), ' ')
  FROM regexp_matches(content, '[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z][A-Z][a-z])[A-Za-z0-9]*', 'g') AS found
  WHERE length(found[1]) <= 64) END;
