-- Numbers that people type are counted in each mesh.
ALTER TABLE meshes
  ADD COLUMN last_invite integer NOT NULL DEFAULT 0,
  ADD COLUMN last_token  integer NOT NULL DEFAULT 0;
--> statement-breakpoint
-- Who belongs to a mesh: whoever holds the private half of this key. A revoked member stays, so that what it did keeps its
-- author, and so that the key is never taken again.
CREATE TABLE members (
  mesh_id    uuid NOT NULL REFERENCES meshes,
  member_id  uuid NOT NULL,
  name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 120),
  role       text NOT NULL CHECK (role IN ('admin', 'member')),
  public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
  -- By which invite it came; null for one that was taken over from another mesh of its own.
  invite     integer,
  joined_at  timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  revoked_by text,
  PRIMARY KEY (mesh_id, member_id),
  UNIQUE (mesh_id, public_key),
  CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);
--> statement-breakpoint
-- A hello names its member by key alone.
CREATE INDEX members_by_key ON members (public_key);
--> statement-breakpoint
-- Of the secret and of the spoken code only hashes are here.
CREATE TABLE invites (
  mesh_id         uuid NOT NULL REFERENCES meshes,
  number          integer NOT NULL,
  secret_hash     bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  role            text NOT NULL CHECK (role IN ('admin', 'member')),
  session_id      uuid REFERENCES sessions,
  -- Null for the broker's own, which brings the first admin.
  invited_by      uuid,
  inviter         text NOT NULL,
  created_at      timestamptz(3) NOT NULL,
  expires_at      timestamptz(3) NOT NULL,
  uses_max        integer NOT NULL CHECK (uses_max > 0),
  uses            integer NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND uses_max),
  revoked_at      timestamptz(3),
  code_hash       bytea CHECK (octet_length(code_hash) = 32),
  code_expires_at timestamptz(3),
  code_tries_left integer NOT NULL DEFAULT 0 CHECK (code_tries_left >= 0),
  PRIMARY KEY (mesh_id, number),
  FOREIGN KEY (mesh_id, invited_by) REFERENCES members,
  CHECK ((code_hash IS NULL) = (code_expires_at IS NULL))
);
--> statement-breakpoint
-- What lets somebody in over HTTP: a member's bearer token, a browser's cookie, a link that signs a browser in, a ticket for
-- one WebSocket, and a link for who may only look on in one session.
CREATE TABLE tokens (
  mesh_id      uuid NOT NULL REFERENCES meshes,
  number       integer NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('bearer', 'browser', 'sign_in', 'ticket', 'observer')),
  secret_hash  bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  -- Whom it lets in; null for who only looks on.
  member_id    uuid,
  -- Where who only looks on may do so.
  session_id   uuid REFERENCES sessions,
  -- Of what was got by another one: revoking that ends this.
  parent       integer,
  label        text,
  created_by   uuid,
  created_at   timestamptz(3) NOT NULL,
  expires_at   timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  revoked_at   timestamptz(3),
  PRIMARY KEY (mesh_id, number),
  FOREIGN KEY (mesh_id, member_id) REFERENCES members,
  FOREIGN KEY (mesh_id, created_by) REFERENCES members,
  CHECK ((member_id IS NULL) = (session_id IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX tokens_by_member ON tokens (mesh_id, member_id);
--> statement-breakpoint
-- The person that a member is, on whatever machine and in whatever browser.
ALTER TABLE persons
  ADD COLUMN member_id uuid,
  ADD FOREIGN KEY (mesh_id, member_id) REFERENCES members;
--> statement-breakpoint
CREATE UNIQUE INDEX persons_by_member ON persons (mesh_id, member_id) WHERE member_id IS NOT NULL;
--> statement-breakpoint
-- The member whose team it is; null where it was made while everybody was let in. Its mesh is its session's.
ALTER TABLE teams ADD COLUMN member_id uuid;
--> statement-breakpoint
CREATE INDEX teams_by_member ON teams (member_id) WHERE member_id IS NOT NULL;
--> statement-breakpoint
-- Further credentials of the same team or person: each machine and browser of a member holds one of its own. The scope is
-- the team's session, or the person's mesh.
CREATE TABLE further_secrets (
  scope_id    uuid NOT NULL,
  id          uuid NOT NULL,
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  created_at  timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (scope_id, id, secret_hash)
);
