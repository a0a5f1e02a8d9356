/** The formats in which a session can be exported. */
export const exportFormats = ["bundle", "html", "md", "ndjson"] as const;

export type ExportFormat = (typeof exportFormats)[number];
