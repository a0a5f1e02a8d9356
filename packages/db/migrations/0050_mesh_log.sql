-- The log of a mesh (WITNESS-7): its entries are the signed heads of its sessions, so that one witness covers all of them.
-- A restore begins a new epoch, and therefore a new log.
CREATE TABLE mesh_logs (
  mesh_id  uuid NOT NULL REFERENCES meshes,
  epoch    uuid NOT NULL,
  size     bigint NOT NULL CHECK (size >= 0),
  -- The key that signs checkpoints, as the entries announced it last.
  key_id   text NOT NULL,
  begun_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (mesh_id, epoch)
);
--> statement-breakpoint
CREATE TABLE log_entries (
  mesh_id  uuid NOT NULL,
  epoch    uuid NOT NULL,
  -- Counted from 0, without gaps.
  index    bigint NOT NULL CHECK (index >= 0),
  text     text NOT NULL,
  -- The signature of the entry's head; null for other entries. Heads themselves are never written again.
  signature bytea CHECK (octet_length(signature) = 64),
  -- When that head was signed.
  signed_at timestamptz(3),
  -- The roots of the complete subtrees that end with this entry, from its leaf upwards, 32 bytes each. With them a root or
  -- a proof takes one row for each level of the tree.
  subtrees bytea NOT NULL CHECK (octet_length(subtrees) > 0 AND octet_length(subtrees) % 32 = 0),
  PRIMARY KEY (mesh_id, epoch, index),
  FOREIGN KEY (mesh_id, epoch) REFERENCES mesh_logs
);
--> statement-breakpoint
CREATE UNIQUE INDEX log_entries_heads ON log_entries (mesh_id, epoch, signature) WHERE signature IS NOT NULL;
--> statement-breakpoint
-- Finds the heads that are to be appended.
CREATE INDEX heads_by_time ON heads (epoch, at);
--> statement-breakpoint
-- Checkpoints that the broker signed. The key allows one root for each size, whichever node signs it.
CREATE TABLE checkpoints (
  mesh_id uuid NOT NULL,
  epoch   uuid NOT NULL,
  size    bigint NOT NULL,
  -- The note with the broker's signature.
  note    text NOT NULL,
  PRIMARY KEY (mesh_id, epoch, size),
  FOREIGN KEY (mesh_id, epoch) REFERENCES mesh_logs
);
--> statement-breakpoint
CREATE TABLE cosignatures (
  mesh_id uuid NOT NULL,
  epoch   uuid NOT NULL,
  size    bigint NOT NULL,
  -- Public key of the witness.
  witness bytea NOT NULL CHECK (octet_length(witness) = 32),
  -- The witness's time, in seconds.
  at      bigint NOT NULL,
  -- The line that the witness adds to the note.
  line    text NOT NULL,
  PRIMARY KEY (mesh_id, epoch, size, witness),
  FOREIGN KEY (mesh_id, epoch, size) REFERENCES checkpoints
);
--> statement-breakpoint
-- How many of which witnesses must cosign. A mesh without a row needs none.
CREATE TABLE witness_policies (
  mesh_id   uuid PRIMARY KEY REFERENCES meshes,
  least     integer NOT NULL CHECK (least > 0),
  -- Verifier keys, one per line.
  witnesses text NOT NULL
);
