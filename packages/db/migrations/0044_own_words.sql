-- The peer's launch and the devices whose text its agent takes as its user's words, as the agent published them (OWN-2). The
-- agent itself checks the signatures against what its own machine has stored.
ALTER TABLE peers ADD COLUMN own_words jsonb;
