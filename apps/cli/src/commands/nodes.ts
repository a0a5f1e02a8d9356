import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { toOneLine } from "../text/one-line.js";
import { formatTable } from "../text/table.js";
import { toAge } from "../text/time.js";

export const nodes: Command = {
  name: "nodes",
  summary: "list the brokers that share the database",
  examples: ["merkle nodes", "merkle nodes --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { bus, nodes } = await broker.call("get_health", {});
    const rows = nodes.map((node) =>
      [
        toOneLine(node.address),
        node.live ? "there" : `unseen for ${toAge(node.last_seen_at)}`,
        node.own ? "serves this request" : "",
        toOneLine(node.version),
        `since ${toAge(node.started_at)}`,
      ].map((text) => ({ text })),
    );
    const table = formatTable(rows, { columns: output.columns, flexible: 0, more: output.signs.more });
    const down = bus.up
      ? []
      : [`the bus (${bus.kind}) is down: nodes see each other's changes only every 5 s`];
    output.show({ bus, nodes }, [table, ...down].join("\n"));
    return exitCodes.done;
  },
};
