-- Clients that a member let in by OAuth. The token is a row of tokens like every other, so that it is listed, revoked and ended
-- with its member alike; here stands what it is good for, and what its code may be redeemed by.
ALTER TABLE tokens
  DROP CONSTRAINT tokens_kind_check,
  ADD CONSTRAINT tokens_kind_check CHECK (kind IN ('bearer', 'browser', 'sign_in', 'ticket', 'observer', 'client'));
--> statement-breakpoint
CREATE TABLE client_grants (
  mesh_id         uuid NOT NULL,
  number          integer NOT NULL,
  -- The one team that it acts as, in the one session that there is for it.
  session_id      uuid NOT NULL,
  team_id         uuid NOT NULL,
  -- The client's registration is sealed in its id, which only it holds.
  client_hash     bytea NOT NULL CHECK (octet_length(client_hash) = 32),
  redirect_uri    text NOT NULL,
  resource        text NOT NULL,
  challenge       text NOT NULL CHECK (challenge ~ '^[A-Za-z0-9_-]{43}$'),
  code_hash       bytea NOT NULL UNIQUE CHECK (octet_length(code_hash) = 32),
  code_expires_at timestamptz(3) NOT NULL,
  -- When the code was presented, rightly or wrongly: it is good once, and a second time ends the token.
  code_used_at    timestamptz(3),
  PRIMARY KEY (mesh_id, number),
  FOREIGN KEY (mesh_id, number) REFERENCES tokens ON DELETE CASCADE,
  FOREIGN KEY (session_id, team_id) REFERENCES teams
);
