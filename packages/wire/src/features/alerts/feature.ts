/** Alerts: what reaches a person outside the dashboard. */
export type { AlertContent, AlertKind, AlertTarget, AlertTo } from "./operations.js";
export { alertReasons } from "./reasons.js";
export { rules } from "./rules.js";
