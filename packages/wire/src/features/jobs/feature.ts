/** Jobs for headless agents, and the runners that claim these jobs. */
export const needs = ["personas", "topics", "usage"];

export type { Claim, Job, JobStatus, JobStopReason, RunnerFacts } from "./operations.js";
export { rules } from "./rules.js";
