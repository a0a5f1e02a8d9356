-- Who vouches for what lets somebody in. `program` is the token for programs that a row descends from: the nearest one
-- among those it was obtained with, and of such a token its own number. That is a bearer token which was made with another token or
-- in a browser: the command line's own is made with the member's key. Null where a person vouches. What a program let in ends with
-- that token. The member who vouches is in created_by, in invited_by, and in vouched_by below.
ALTER TABLE tokens ADD COLUMN program integer;
--> statement-breakpoint
ALTER TABLE invites ADD COLUMN program integer;
--> statement-breakpoint
-- The member who invited this one; the member itself where the broker invited it, or where it made the mesh. Null where that was
-- not kept.
ALTER TABLE members
  ADD COLUMN vouched_by uuid,
  ADD COLUMN program integer,
  ADD FOREIGN KEY (mesh_id, vouched_by) REFERENCES members;
--> statement-breakpoint
CREATE INDEX members_by_program ON members (mesh_id, program) WHERE program IS NOT NULL;
--> statement-breakpoint
WITH RECURSIVE descent AS (
  SELECT mesh_id, number, number AS program FROM tokens WHERE kind = 'bearer' AND parent IS NOT NULL
  UNION ALL
  SELECT t.mesh_id, t.number, d.program
  FROM descent d JOIN tokens t ON t.mesh_id = d.mesh_id AND t.parent = d.number AND t.kind <> 'bearer'
)
UPDATE tokens t SET program = d.program
FROM descent d WHERE t.mesh_id = d.mesh_id AND t.number = d.number;
--> statement-breakpoint
UPDATE invites i SET program = t.program
FROM tokens t WHERE t.mesh_id = i.mesh_id AND t.number = i.parent AND t.program IS NOT NULL;
--> statement-breakpoint
-- A member whose invite was forgotten, or made with a token that has ended meanwhile, keeps working, and is shown to admins as one
-- for whom nobody vouches.
UPDATE members m SET vouched_by = m.member_id WHERE m.invite IS NULL;
--> statement-breakpoint
UPDATE members m SET vouched_by = coalesce(i.invited_by, m.member_id), program = i.program
FROM invites i
WHERE i.mesh_id = m.mesh_id AND i.number = m.invite
  AND (i.program IS NULL OR EXISTS (
    SELECT FROM tokens t WHERE t.mesh_id = i.mesh_id AND t.number = i.program AND t.revoked_at IS NULL AND t.expires_at > now()));
--> statement-breakpoint
-- Whatever a member obtained whom a program let in descends from that program, too.
WITH RECURSIVE let_in AS (
  SELECT mesh_id, member_id, program FROM members WHERE program IS NOT NULL
  UNION
  SELECT m.mesh_id, m.member_id, l.program
  FROM let_in l JOIN members m ON m.mesh_id = l.mesh_id AND m.vouched_by = l.member_id AND m.program IS NULL
)
UPDATE members m SET program = l.program
FROM let_in l WHERE m.mesh_id = l.mesh_id AND m.member_id = l.member_id AND m.program IS NULL;
--> statement-breakpoint
UPDATE tokens t SET program = m.program
FROM members m
WHERE m.mesh_id = t.mesh_id AND m.member_id = coalesce(t.member_id, t.created_by) AND m.program IS NOT NULL AND t.program IS NULL;
--> statement-breakpoint
UPDATE invites i SET program = m.program
FROM members m
WHERE m.mesh_id = i.mesh_id AND m.member_id = i.invited_by AND m.program IS NOT NULL AND i.program IS NULL;
