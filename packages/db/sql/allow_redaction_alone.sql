-- Keeps feeds and document histories append-only, except for redaction. A redaction replaces the content with
-- its redacted form, stores the content's hash and removes the salt. Every other change is refused.
CREATE OR REPLACE FUNCTION allow_redaction_alone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  redacted record := OLD;
BEGIN
  IF OLD.salt IS NOT NULL THEN
    redacted.content := CASE TG_TABLE_NAME
      WHEN 'messages' THEN redacted_content(to_jsonb(OLD) ->> 'type', to_jsonb(OLD) ->> 'kind', OLD.content) END;
    redacted.content_hash := sha256(OLD.salt || convert_to(OLD.content, 'UTF8'));
    redacted.salt := NULL;
    IF NEW IS NOT DISTINCT FROM redacted THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% is append-only: a row of it can be redacted, and not changed', TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
