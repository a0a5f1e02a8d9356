-- Returns the content of a redacted message as canonical JSON. The message's kind is kept, and for a private
-- message its length, because the record's entry includes both.
CREATE OR REPLACE FUNCTION redacted_content(type text, kind text, content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN type = 'chat' AND content LIKE '{"private":true,"sealed":"%' THEN
      '{"bytes":' || char_length(split_part(content::json ->> 'sealed', '.', 4)) * 3 / 4 || ',"private":true,"redacted":true}'
    WHEN kind IS NULL THEN '{"redacted":true}'
    ELSE '{' || CASE type WHEN 'system' THEN '"event":' ELSE '"kind":' END || to_json(kind) || ',"redacted":true}'
  END
$$;
