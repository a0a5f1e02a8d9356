import type { CheckContext, Finding } from "../start/doctor/check.js";
import { checkBroker, checkPort } from "../start/doctor/check-broker.js";
import { checkClaude, checkDisk, checkHome, checkNode } from "../start/doctor/check-machine.js";
import { checkDatabase } from "./check-database.js";

const checks = [checkNode, checkHome, checkDisk, checkDatabase, checkBroker, checkPort, checkClaude];

/** Every check's findings, in an order in which the first fault explains those after it. */
export async function runChecks(context: CheckContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check(context)));
  return findings;
}
