-- The keys that a peer is written to with in private, as it published them: the broker hands them on, and others check them.
ALTER TABLE peers ADD COLUMN key_card jsonb;
