/** What other features use of usage. */
export { UsageTable } from "./usage-table";
