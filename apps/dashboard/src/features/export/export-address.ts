export type ExportFormat = "bundle" | "html" | "md" | "ndjson";

/** Returns the URL of a session's export. */
export function buildExportAddress(slug: string, as: ExportFormat): string {
  return `/api/sessions/${encodeURIComponent(slug)}/export?as=${as}`;
}
