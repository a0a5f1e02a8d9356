-- Returns the words of a text without their accents. Queries are read with it.
CREATE OR REPLACE FUNCTION words_folded(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN words_apart(fold_accents(content), ' \2 ');
