import type { OutputOf } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { type Column, limitFlag, readLimit, showList } from "../command/list.js";
import { exitCodes } from "../core/cli-error.js";
import { toOneLine } from "../text/one-line.js";
import { toAge } from "../text/time.js";

export const nodes: Command = {
  name: "nodes",
  summary: "list the brokers that share the database",
  flags: [limitFlag()],
  examples: ["merkle nodes", "merkle nodes --json address,live"],
  list: { operation: "get_health", rows: "nodes" },
  async run(context) {
    const { flags, config, signal } = context;
    const limit = readLimit(flags);
    const broker = await findBroker(config, signal);
    const { bus, nodes } = await broker.call("get_health", {});
    const rows = nodes.slice(0, limit);
    await showList(
      {
        value: { bus, nodes: rows },
        rows,
        columns,
        total: nodes.length,
        empty: "no nodes",
        ...(!bus.up && {
          foot: `the bus (${bus.kind}) is down: nodes see each other's changes only every 5 s`,
        }),
      },
      context,
    );
    return exitCodes.done;
  },
};

type Node = OutputOf<"get_health">["nodes"][number];

const columns: readonly Column<Node>[] = [
  { head: "Address", cell: ({ address }) => toOneLine(address) },
  {
    head: "State",
    cell: ({ live, last_seen_at }) => (live ? "there" : `unseen for ${toAge(last_seen_at)}`),
  },
  { head: "", widthMin: 8, isOptional: true, cell: ({ own }) => (own ? "serves this request" : "") },
  { head: "Version", widthMin: 8, isOptional: true, cell: ({ version }) => toOneLine(version) },
  { head: "Running", cell: ({ started_at }) => `since ${toAge(started_at)}` },
];
