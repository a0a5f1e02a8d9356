import type { Command } from "../../command/command.js";
import { loadBroker } from "../../core/broker-code.js";
import { exitCodes } from "../../core/cli-error.js";
import { toMoment } from "../../text/time.js";

export const auditKeyShow: Command = {
  name: "audit-key show",
  summary: "show the keys with which this machine's broker signs records, for others to compare",
  examples: ["merkle audit-key show", "merkle audit-key show --json"],
  offline: true,
  async run({ config, output }) {
    const { readAuditKeys } = await loadBroker();
    const keys = await readAuditKeys(config.home);
    const lines = keys.toReversed().map(({ key_id, since, previous }, index) => {
      const signer = previous === null ? "" : `, signed by ${previous.slice(0, 8)}`;
      const line = `${key_id}  since ${toMoment(since)}${signer}`;
      return index === 0 ? output.bold(line) : output.dim(line);
    });
    if (keys.length === 0) output.note("  no audit key yet: the broker creates one at its first start");
    if (keys.length > 0 || output.json) output.show({ keys }, lines.join("\n"));
    return exitCodes.done;
  },
};
