-- A keyed hash of the repository whose files are claimed (CLAIM-7). Null for a name, and for files of any repository, as all were before.
ALTER TABLE claims ADD COLUMN repository text CHECK (repository ~ '^[0-9a-f]{32}$');
