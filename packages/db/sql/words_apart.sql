-- PostgreSQL's own parser keeps what stands together as one word (src/auth/login.ts, and in the locale C also “deploy”), and
-- does not part scripts that are written without spaces. Here words are letters and digits, a sign of those scripts is one by
-- itself, and everything else stands between words, on every server alike. `written` says how: \1 is what stands between,
-- \2 a sign.
CREATE OR REPLACE FUNCTION words_apart(content text, written text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(content,
  '([\u0001-/:-@[-`{-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2000-\u2BFF\u2E00-\u2E7F\u3000-\u3004'
  '\u3008-\u3020\u3030\uE000-\uF8FF\uFE00-\uFE6F\uFF00-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFF0-\uFFFF'
  '\U0001F000-\U0001FAFF]+)|([\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF])',
  written, 'g');
