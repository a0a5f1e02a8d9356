import type postgres from "postgres";

/** A row that contradicts its history. */
export interface TornRow {
  readonly table: string;
  readonly row: string;
  readonly detail: string;
}

/** Queries for rows that contradict their history or counter. Each query returns `row` and `detail`. */
const checks: Readonly<Record<string, string>> = {
  documents: `
    SELECT d.session_id::text AS row, 'at version ' || d.version || ', its history at ' || h.newest || ' with ' || h.versions AS detail
    FROM documents d CROSS JOIN LATERAL (
      SELECT coalesce(max(v.version), 0) AS newest, count(*) AS versions,
             coalesce((SELECT n.content FROM document_versions n WHERE n.session_id = d.session_id ORDER BY n.version DESC LIMIT 1), '') AS content
      FROM document_versions v WHERE v.session_id = d.session_id) h
    WHERE d.version <> h.newest OR d.version <> h.versions OR d.content <> h.content`,
  feeds: `
    SELECT f.session_id::text AS row, 'ends at ' || f.last_sequence || ', has ' || m.messages || ' up to ' || m.newest AS detail
    FROM feeds f CROSS JOIN LATERAL (
      SELECT count(*) AS messages, coalesce(max(sequence), 0) AS newest FROM messages WHERE session_id = f.session_id) m
    WHERE f.last_sequence <> m.messages OR f.last_sequence <> m.newest`,
  tasks: `
    SELECT t.session_id || ' ' || t.number AS row, t.state || ' after ' || array_to_string(e.changes, ', ') AS detail
    FROM tasks t CROSS JOIN LATERAL (
      SELECT array_agg(content::json ->> 'change' ORDER BY sequence) AS changes FROM messages
      WHERE session_id = t.session_id AND kind = 'task_changed' AND content::json ->> 'task' = t.number::text) e
    WHERE e.changes IS DISTINCT FROM CASE t.state WHEN 'open' THEN '{created}'::text[]
      WHEN 'claimed' THEN '{created,claimed}' WHEN 'done' THEN '{created,claimed,done}' END`,
  "numbers of tasks": `
    SELECT s.session_id::text AS row, 'counted ' || s.last_task || ', has ' || count(t) AS detail
    FROM sessions s LEFT JOIN tasks t USING (session_id)
    GROUP BY s.session_id, s.last_task HAVING s.last_task <> count(t)`,
  state: `
    SELECT e.scope_id || ' ' || e.key AS row, 'at version ' || e.version || ', its history at ' || coalesce(v.version, 0) AS detail
    FROM state_entries e LEFT JOIN LATERAL (
      SELECT version, value FROM state_versions v WHERE v.scope_id = e.scope_id AND v.key = e.key ORDER BY version DESC LIMIT 1) v ON true
    WHERE v.version IS DISTINCT FROM e.version OR v.value IS DISTINCT FROM e.value`,
  memories: `
    SELECT c.mesh_id::text AS row, 'counted ' || c.last_number || ', has ' || count(m) AS detail
    FROM memory_counters c LEFT JOIN memories m USING (mesh_id)
    GROUP BY c.mesh_id, c.last_number HAVING c.last_number <> count(m)`,
  approvals: `
    SELECT a.number::text AS row, a.state || ' with ' || e.events || ' events' AS detail
    FROM approvals a CROSS JOIN LATERAL (
      SELECT count(*) AS events FROM messages WHERE session_id = a.session_id AND kind = 'approval_ended'
        AND content::json ->> 'approval' = a.number::text) e
    WHERE e.events <> CASE a.state WHEN 'waiting' THEN 0 ELSE 1 END OR (a.state = 'waiting') <> (a.ended_at IS NULL)`,
  "numbers of approvals": `
    SELECT m.mesh_id::text AS row, 'counted ' || m.last_approval || ', has ' || count(a) AS detail
    FROM meshes m LEFT JOIN approvals a USING (mesh_id)
    GROUP BY m.mesh_id, m.last_approval HAVING m.last_approval <> count(a)`,
  proposals: `
    SELECT p.number::text AS row, p.status || ' as version ' || p.accepted_version AS detail
    FROM proposals p
    LEFT JOIN document_versions v ON v.session_id = p.session_id AND v.version = p.accepted_version
    WHERE (p.status = 'accepted') <> (v.version IS NOT NULL) OR (p.status = 'open') <> (p.decided_at IS NULL)
       OR v.content <> p.content`,
  "numbers of proposals": `
    SELECT m.mesh_id::text AS row, 'counted ' || m.last_proposal || ', has ' || count(p) AS detail
    FROM meshes m LEFT JOIN proposals p USING (mesh_id)
    GROUP BY m.mesh_id, m.last_proposal HAVING m.last_proposal <> count(p)`,
  imports: `
    SELECT s.session_id::text AS row, 'closed ' || (f.closed_at IS NOT NULL) || ', version ' || d.version AS detail
    FROM sessions s JOIN feeds f USING (session_id) JOIN documents d USING (session_id)
    WHERE s.origin_id IS NOT NULL AND (f.closed_at IS NULL OR d.version = 0 OR d.conclusion IS NULL)`,
  "requests with a key": `
    SELECT encode(request_hash, 'hex') AS row, 'claimed, and has no result' AS detail FROM idempotent_results
    WHERE sealed_result IS NULL AND input_hash <> request_hash`,
};

/** Compares every row that has a history with that history. */
export async function findTornRows(sql: postgres.Sql): Promise<TornRow[]> {
  const found: TornRow[] = [];
  for (const [table, check] of Object.entries(checks)) {
    const rows = await sql.unsafe<{ row: string; detail: string }[]>(check);
    found.push(...rows.map(({ row, detail }) => ({ table, row, detail })));
  }
  return found;
}
