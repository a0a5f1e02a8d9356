import type { CheckContext, Finding } from "./check.js";
import { checkBroker, checkPort } from "./check-broker.js";
import { checkDatabase } from "./check-database.js";
import { checkClaude, checkDisk, checkHome, checkNode } from "./check-machine.js";

const checks = [checkNode, checkHome, checkDisk, checkDatabase, checkBroker, checkPort, checkClaude];

/** Every check's findings, in an order in which the first fault explains those after it. */
export async function runChecks(context: CheckContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check(context)));
  return findings;
}
