export type ExportFormat = "bundle" | "html" | "md" | "ndjson";

/** Where a session is to be had as a file. */
export function exportAddress(slug: string, as: ExportFormat): string {
  return `/api/sessions/${encodeURIComponent(slug)}/export?as=${as}`;
}
