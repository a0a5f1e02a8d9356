-- Counters of a session: the number of its last task, and of its last claim on a thing.
ALTER TABLE sessions
  ADD COLUMN last_task  integer NOT NULL DEFAULT 0,
  ADD COLUMN last_claim integer NOT NULL DEFAULT 0;
--> statement-breakpoint
-- What there is to do in a session. A task is claimed by at most one peer: the columns of the claim are its own, so that no
-- statement can give it to two. Done and cancelled are final: whether a task waits for another can only change to no, and who
-- claims by an older picture of that errs on the side of waiting.
CREATE TABLE tasks (
  session_id       uuid NOT NULL REFERENCES sessions,
  number           integer NOT NULL CHECK (number > 0),
  title            text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
  text             text NOT NULL,
  state            text NOT NULL CHECK (state IN ('open', 'claimed', 'in_review', 'done', 'cancelled')),
  blocked_by       integer[] NOT NULL DEFAULT '{}',
  labels           text[] NOT NULL DEFAULT '{}',
  -- [{"message": 12} or {"section": "Decisions"}]
  links            jsonb NOT NULL DEFAULT '[]',
  -- How it is proved done: {"command": …} or {"reviewer": …}; null where saying so is enough.
  "check"          jsonb,
  -- Whom it is meant for: a team, or one peer of it; null for whoever takes it.
  assignee         text,
  assignee_team_id uuid,
  assignee_peer_id uuid,
  created_by         text NOT NULL,
  created_by_peer_id uuid NOT NULL,
  created_at       timestamptz(3) NOT NULL DEFAULT now(),
  updated_at       timestamptz(3) NOT NULL DEFAULT now(),
  -- The number of its last claim. Who writes by an earlier one is refused.
  fence            integer NOT NULL DEFAULT 0,
  -- Who has claimed it; of one that is done, who did it.
  holder           text,
  holder_peer_id   uuid,
  claimed_at       timestamptz(3),
  -- When the holder was last known to be there.
  renewed_at       timestamptz(3),
  -- Since when it is open because its holder was gone; null once it is claimed again.
  handed_back_at   timestamptz(3),
  result           text,
  -- What the check came to, as the holder says: {"exit_code", "tail"}.
  proof            jsonb,
  PRIMARY KEY (session_id, number),
  FOREIGN KEY (session_id, holder_peer_id) REFERENCES peers,
  CONSTRAINT tasks_are_held_as_they_stand CHECK (
    CASE WHEN state IN ('claimed', 'in_review') THEN holder_peer_id IS NOT NULL
         WHEN state = 'open' THEN holder_peer_id IS NULL ELSE true END),
  CONSTRAINT tasks_are_held_whole CHECK (
    num_nonnulls(holder, holder_peer_id, claimed_at, renewed_at) IN (0, 4)),
  CONSTRAINT tasks_are_assigned_whole CHECK (
    (assignee IS NULL) = (assignee_team_id IS NULL) AND (assignee_peer_id IS NULL OR assignee IS NOT NULL))
);
--> statement-breakpoint
-- The next to claim is the first of the first two. No index holds a column that a renewal changes.
CREATE INDEX tasks_open ON tasks (session_id, number) WHERE state = 'open';
--> statement-breakpoint
CREATE INDEX tasks_assigned ON tasks (session_id, assignee_team_id, number) WHERE state = 'open' AND assignee_team_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX tasks_held ON tasks (session_id, holder_peer_id) WHERE state IN ('claimed', 'in_review');
--> statement-breakpoint
CREATE INDEX tasks_blocking ON tasks USING gin (blocked_by) WHERE state = 'open';
--> statement-breakpoint
-- Claims on things: files of the repository by a pattern, an issue, or anything that has a name.
CREATE TABLE claims (
  session_id uuid NOT NULL REFERENCES sessions,
  number     integer NOT NULL CHECK (number > 0),
  scope      text NOT NULL CHECK (char_length(scope) BETWEEN 1 AND 300),
  shared     boolean NOT NULL,
  reason     text,
  holder     text NOT NULL,
  peer_id    uuid NOT NULL,
  claimed_at timestamptz(3) NOT NULL DEFAULT now(),
  renewed_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When it ends by itself, as its holder wanted.
  expires_at timestamptz(3),
  -- When it was handed back because its holder was gone. It is kept for a day, as something for people to look at.
  handed_back_at timestamptz(3),
  PRIMARY KEY (session_id, number),
  FOREIGN KEY (session_id, peer_id) REFERENCES peers
);
--> statement-breakpoint
CREATE UNIQUE INDEX claims_once ON claims (session_id, peer_id, scope) WHERE handed_back_at IS NULL;
