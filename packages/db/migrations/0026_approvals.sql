-- Permissions that agents' clients have asked for, relayed to the agent's own person. What is asked about never changes: the
-- hash that an answer names, and that stands in the feed, is of exactly this.
ALTER TABLE meshes ADD COLUMN last_approval integer NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE TABLE approvals (
  mesh_id    uuid NOT NULL REFERENCES meshes,
  number     integer NOT NULL CHECK (number > 0),
  session_id uuid NOT NULL REFERENCES sessions,
  peer_id    uuid NOT NULL,
  -- The asking peer's name, as others are shown it.
  asked_by   text NOT NULL,
  -- Who may see and answer it, and with which of the person's credentials: none of them lies where the agent could read it.
  person_id  uuid NOT NULL,
  devices    text[] NOT NULL CHECK (cardinality(devices) BETWEEN 1 AND 5),
  tool       text NOT NULL CHECK (char_length(tool) BETWEEN 1 AND 200),
  input      text NOT NULL,
  folder     text NOT NULL,
  salt       text NOT NULL CHECK (salt ~ '^[0-9a-f]{64}$'),
  hash       text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'allowed', 'denied', 'left', 'withdrawn')),
  -- What the person said to the agent with the answer.
  words      text,
  asked_at   timestamptz(3) NOT NULL DEFAULT now(),
  -- Renewed by who waits for the answer. Later nobody would take one, and none is given.
  expires_at timestamptz(3) NOT NULL,
  ended_at   timestamptz(3),
  PRIMARY KEY (mesh_id, number),
  FOREIGN KEY (mesh_id, person_id) REFERENCES persons,
  FOREIGN KEY (session_id, peer_id) REFERENCES peers,
  CONSTRAINT approvals_end_once CHECK ((state = 'waiting') = (ended_at IS NULL)),
  -- The salt is the asker's: used twice, one answer could be taken for another.
  UNIQUE (session_id, peer_id, salt)
);
--> statement-breakpoint
CREATE INDEX approvals_by_person ON approvals (mesh_id, person_id, number);
--> statement-breakpoint
CREATE INDEX approvals_waiting ON approvals (session_id, peer_id) WHERE state = 'waiting';
