import type { ExportFormat } from "@merkle/wire";

/** Returns the URL of a session's export. */
export function buildExportAddress(slug: string, as: ExportFormat): string {
  return `/api/sessions/${encodeURIComponent(slug)}/export?as=${as}`;
}
