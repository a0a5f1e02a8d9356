-- Separates the words of a text in the same way on every server. PostgreSQL's own parser treats some strings
-- as one word (src/auth/login.ts, and in locale C also “deploy”), and it does not split scripts written
-- without spaces. Here a word consists of letters and digits, and everything else is a separator. Each character
-- of those scripts is a separate word, and so is each syllable of Korean, whose words end in particles: 서버
-- finds 서버를. `written` is the replacement pattern: \1 is the separator, \2 the character.
CREATE OR REPLACE FUNCTION words_apart(content text, written text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(content,
  '([\u0001-/:-@[-`{-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2000-\u2BFF\u2E00-\u2E7F\u3000-\u3004'
  '\u3008-\u3020\u3030\uE000-\uF8FF\uFE00-\uFE6F\uFF00-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFF0-\uFFFF'
  '\U0001F000-\U0001FAFF]+)|([\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\U00020000-\U0003FFFF])',
  written, 'g');
