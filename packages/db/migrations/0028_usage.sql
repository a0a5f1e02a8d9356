-- What agents have used in a session, as they or their runners say: sums by day, peer, task and model, so that it grows with
-- these and not with the reports.
CREATE TABLE usage (
  session_id  uuid NOT NULL REFERENCES sessions,
  day         date NOT NULL,
  -- The reporting peer; of a job, which is no peer, all zeros.
  peer_id     uuid NOT NULL,
  -- Of no task: 0.
  task        integer NOT NULL CHECK (task >= 0),
  model       text NOT NULL CHECK (char_length(model) BETWEEN 1 AND 100),
  source      text NOT NULL CHECK (source IN ('agent', 'job')),
  reports     integer NOT NULL CHECK (reports > 0),
  input_tokens       bigint NOT NULL CHECK (input_tokens >= 0),
  output_tokens      bigint NOT NULL CHECK (output_tokens >= 0),
  cache_read_tokens  bigint NOT NULL CHECK (cache_read_tokens >= 0),
  cache_write_tokens bigint NOT NULL CHECK (cache_write_tokens >= 0),
  -- Millionths of a dollar, of those reports that named a cost.
  cost_micros        bigint NOT NULL CHECK (cost_micros >= 0),
  costed_reports     integer NOT NULL CHECK (costed_reports BETWEEN 0 AND reports),
  PRIMARY KEY (session_id, day, peer_id, task, model, source)
);
--> statement-breakpoint
-- What counts towards a budget, in all and when a human last let agents go on; and since when a human is asked, and of what.
ALTER TABLE sessions
  ADD COLUMN tokens_used     bigint NOT NULL DEFAULT 0,
  ADD COLUMN tokens_at_human bigint NOT NULL DEFAULT 0,
  ADD COLUMN tokens_near_at  timestamptz(3),
  ADD COLUMN tokens_near     text;
--> statement-breakpoint
ALTER TABLE teams
  ADD COLUMN tokens_used     bigint NOT NULL DEFAULT 0,
  ADD COLUMN tokens_at_human bigint NOT NULL DEFAULT 0;
