/** Alerts are notifications that reach a person outside the dashboard. */
export type { AlertContent, AlertTarget, AlertTo } from "./operations.js";
export { rules } from "./rules.js";
