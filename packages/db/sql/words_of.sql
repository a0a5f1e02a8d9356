-- Returns the words of several texts, one text after the other, as they are indexed: without accents, and followed by
-- the words of which identifiers consist.
CREATE OR REPLACE FUNCTION words_of(VARIADIC parts text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN concat_ws(' ', words_folded(array_to_string(parts, ' ')), identifier_parts(array_to_string(parts, ' ')));
