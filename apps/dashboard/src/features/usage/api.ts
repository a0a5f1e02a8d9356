/** The parts of usage that other features use. */
export { EffortTable } from "./effort-table";
export { UsageTable } from "./usage-table";
