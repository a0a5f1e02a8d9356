-- Returns the text with accented letters replaced by their base letters, so that “resume” finds “résumé”. Letters of
-- Latin and Greek lose every accent, and ё becomes е. Other scripts stay as they are, because their marks distinguish
-- letters (й, が). The result depends on nothing but the text, so every server indexes the same words.
CREATE OR REPLACE FUNCTION fold_accents(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN content ~ '[^\u0001-\u007F]' THEN
  translate(
    normalize(regexp_replace(normalize(content, NFD), '([A-Za-z\u0370-\u03FF\u0415\u0435])[\u0300-\u036F]+', '\1', 'g'), NFC),
    'ØøŁłĐđĦħŦŧı', 'OoLlDdHhTti')
  ELSE content END;
