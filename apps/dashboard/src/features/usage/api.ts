/** What other features use of usage. */
export { EffortTable } from "./effort-table";
export { UsageTable } from "./usage-table";
