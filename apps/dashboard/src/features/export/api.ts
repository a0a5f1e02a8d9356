/** The parts of exports that other features use. */
export { ExportLink } from "./export-link";
export { fetchExport } from "./fetch-export";
