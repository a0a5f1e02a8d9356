-- Returns the words of several texts, one text after the other.
CREATE OR REPLACE FUNCTION words_of(VARIADIC parts text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN words_apart(array_to_string(parts, ' '), ' \2 ');
