-- The last checkout that a peer reported for a task (CHECKOUT-1).
CREATE TABLE checkouts (
  session_id  uuid NOT NULL REFERENCES sessions,
  peer_id     uuid NOT NULL,
  -- Of no task: 0.
  task        integer NOT NULL CHECK (task >= 0),
  checkout    jsonb NOT NULL,
  reported_at timestamptz(3) NOT NULL,
  PRIMARY KEY (session_id, peer_id, task)
);
