-- A person whom nobody vouches for is a guest: it may speak, and has no power over agents. Those of members are vouched for by
-- the member's key; the others that there are become guests until they use a link once.
ALTER TABLE persons ADD COLUMN verified_at timestamptz(3);
--> statement-breakpoint
ALTER TABLE teams
  DROP CONSTRAINT teams_kind_check,
  DROP CONSTRAINT teams_of_persons_are_human,
  ADD CONSTRAINT teams_kind_check CHECK (kind IN ('agent', 'human', 'guest')),
  ADD CONSTRAINT teams_of_persons_are_human CHECK (person_id IS NULL OR kind <> 'agent');
--> statement-breakpoint
UPDATE teams t SET kind = 'guest'
FROM persons p WHERE p.person_id = t.person_id AND p.member_id IS NULL;
--> statement-breakpoint
-- Links that verify a person, each good once.
CREATE TABLE verification_codes (
  secret_hash bytea PRIMARY KEY CHECK (octet_length(secret_hash) = 32),
  expires_at  timestamptz(3) NOT NULL
);
