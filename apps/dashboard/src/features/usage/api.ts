/** The parts of usage that other features use. */
export { UsageTable } from "./usage-table";
