/** What other features use of exports. */
export type { ExportFormat } from "./export-address";
export { ExportLink } from "./export-link";
export { fetchExport } from "./fetch-export";
