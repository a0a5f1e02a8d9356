import type { Command } from "../../command/command.js";
import { loadBroker } from "../../core/broker-code.js";
import { exitCodes } from "../../core/cli-error.js";

export const auditKeyRotate: Command = {
  name: "audit-key rotate",
  summary:
    "create the next key for signing records, signed by the current key; used from the broker's next start",
  examples: ["merkle audit-key rotate", "merkle audit-key rotate --json"],
  offline: true,
  async run({ config, output }) {
    const { rotateAuditKey } = await loadBroker();
    const key = await rotateAuditKey(config.home);
    output.show(key, `${output.mark.ok} created audit key ${key.key_id}`);
    output.note(
      "  next: merkle down, then merkle up. Other machines' brokers on the same database need the new audit-key.json, too.",
    );
    return exitCodes.done;
  },
};
