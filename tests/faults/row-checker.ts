import type postgres from "postgres";

/** A row that its history contradicts. */
export interface TornRow {
  readonly table: string;
  readonly row: string;
  readonly detail: string;
}

/** Each names the rows that their history contradicts, as `row` and `detail`. */
const checks: Readonly<Record<string, string>> = {
  documents: `
    SELECT d.session_id::text AS row, 'at version ' || d.version || ', its history at ' || h.newest || ' with ' || h.versions AS detail
    FROM documents d CROSS JOIN LATERAL (
      SELECT coalesce(max(v.version), 0) AS newest, count(*) AS versions,
             coalesce((SELECT n.content FROM document_versions n WHERE n.session_id = d.session_id ORDER BY n.version DESC LIMIT 1), '') AS content
      FROM document_versions v WHERE v.session_id = d.session_id) h
    WHERE d.version <> h.newest OR d.version <> h.versions OR d.content <> h.content`,
};

/** Compares each row that has a history with that. */
export async function findTornRows(sql: postgres.Sql): Promise<TornRow[]> {
  const found: TornRow[] = [];
  for (const [table, check] of Object.entries(checks)) {
    const rows = await sql.unsafe<{ row: string; detail: string }[]>(check);
    found.push(...rows.map(({ row, detail }) => ({ table, row, detail })));
  }
  return found;
}
