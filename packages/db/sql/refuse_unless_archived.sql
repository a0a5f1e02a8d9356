-- Refuses to delete from feeds and document histories, unless the rows are in an archive.
CREATE OR REPLACE FUNCTION refuse_unless_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM archives WHERE session_id = OLD.session_id AND state IN ('leaving', 'away')) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
