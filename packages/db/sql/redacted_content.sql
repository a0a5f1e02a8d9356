-- What a message's content becomes when it is redacted, as canonical JSON: what kind it was of, and for a private one how
-- long it was, since both stand in its entry.
CREATE OR REPLACE FUNCTION redacted_content(type text, kind text, content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN type = 'chat' AND content LIKE '{"private":true,"sealed":"%' THEN
      '{"bytes":' || char_length(split_part(content::json ->> 'sealed', '.', 4)) * 3 / 4 || ',"private":true,"redacted":true}'
    WHEN kind IS NULL THEN '{"redacted":true}'
    ELSE '{' || CASE type WHEN 'system' THEN '"event":' ELSE '"kind":' END || to_json(kind) || ',"redacted":true}'
  END
$$;
