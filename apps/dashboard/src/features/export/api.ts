/** The parts of exports that other features use. */
export type { ExportFormat } from "./export-address";
export { ExportLink } from "./export-link";
export { fetchExport } from "./fetch-export";
