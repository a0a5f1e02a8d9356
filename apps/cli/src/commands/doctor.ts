import { getClient } from "../clients/clients.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { listChecks } from "../feature-hooks.js";
import type { CheckContext, DoctorFinding } from "../start/doctor/check.js";
import { checkBroker, checkPort } from "../start/doctor/check-broker.js";
import { checkInstalled } from "../start/doctor/check-installed.js";
import {
  checkClients,
  checkDatabase,
  checkDisk,
  checkHome,
  checkNode,
} from "../start/doctor/check-machine.js";

export const doctor: Command = {
  name: "doctor",
  summary: "check this machine and suggest a fix for each problem",
  flags: [
    { flags: "--client <client>", summary: "agent client that must be installed (default: none)" },
    { flags: "--strict", summary: "also exit 1 on warnings" },
  ],
  examples: ["merkle doctor", "merkle doctor --client codex", "merkle doctor --strict --json"],
  offline: true,
  envFiles: true,
  async run({ config, flags, output, signal }) {
    const named = findFlag(flags, "client");
    const client = named === undefined ? undefined : getClient(named);
    const findings = await runChecks({ config, signal, client });
    output.show(findings, findings.map((each) => toLines(each, output)).join("\n"));
    const faulty = isSet(flags, "strict") ? ["fail", "warn"] : ["fail"];
    return findings.some((each) => faulty.includes(each.status)) ? exitCodes.unexpected : exitCodes.done;
  },
};

function toLines({ id, status, message, fix }: DoctorFinding, { mark }: Output): string {
  const sign = status === "skipped" ? mark.skip : mark[status];
  const line = `${sign} ${id.padEnd(9)} ${message}`;
  return fix === null ? line : `${line}\n    fix: ${fix}`;
}

/** Runs all checks, ordered so that the first failure explains later failures. */
async function runChecks(context: CheckContext): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const check of [
    checkNode,
    checkHome,
    checkDisk,
    checkDatabase,
    checkBroker,
    checkPort,
    ...(await listChecks()),
    checkClients,
    checkInstalled,
  ])
    findings.push(...(await check(context)));
  return findings;
}
