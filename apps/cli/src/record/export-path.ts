export const exportForms = ["bundle", "md", "ndjson"] as const;

export type ExportForm = (typeof exportForms)[number];

/** Where a session is downloaded from. */
export function exportPath(sessionId: string, form: ExportForm): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}/export?as=${form}`;
}
