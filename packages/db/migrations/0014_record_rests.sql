-- The leaves that no complete tile had yet when a head was signed. What is changed behind the broker's back later is told from
-- what was signed, message by message, at the end of a log too.
CREATE TABLE record_rests (
  session_id uuid NOT NULL REFERENCES sessions,
  log        text NOT NULL CHECK (log IN ('feed', 'document')),
  -- How many entries the log had.
  size       bigint NOT NULL CHECK (size > 0),
  -- Of those after the last multiple of 256.
  hashes     bytea NOT NULL CHECK (octet_length(hashes) = size % 256 * 32 AND octet_length(hashes) > 0),
  PRIMARY KEY (session_id, log, size)
);
