import type { Quota } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, showList } from "../../command/list.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag } from "../../core/flags.js";
import { getPersonActor } from "../../identity/actors.js";

const kinds = ["sessions", "messages", "bytes", "connections"] as const;

export const meshQuota: Command = {
  name: "mesh quota",
  summary: "limit what a mesh can store; 0 removes a limit; without flags, show the limits",
  arguments: [{ name: "<mesh>", summary: "mesh name" }],
  flags: [
    { flags: "--sessions <n>", summary: "maximum number of open sessions" },
    { flags: "--messages <n>", summary: "maximum number of messages in all sessions together" },
    { flags: "--bytes <n>", summary: "maximum bytes of messages and document versions" },
    { flags: "--connections <n>", summary: "maximum number of open WebSocket connections per node" },
  ],
  examples: ["merkle mesh quota billing --sessions 100 --messages 1000000"],
  list: { operation: "set_quotas", rows: "quotas" },
  async run(context) {
    const { args, flags, config, signal } = context;
    const [mesh = ""] = args;
    const broker = await findBroker(config, signal);
    const bounds = Object.fromEntries(
      kinds.flatMap((kind) => {
        const max = readWholeNumber(findFlag(flags, kind), `--${kind}`, {
          min: 0,
          max: Number.MAX_SAFE_INTEGER,
        });
        return max === undefined ? [] : [[kind, max]];
      }),
    );
    const answer = await getPersonActor({ broker, config }).call("set_quotas", { mesh, ...bounds });
    await showList({ value: answer, rows: answer.quotas, columns, empty: "no limits" }, context);
    return exitCodes.done;
  },
};

const columns: readonly Column<Quota>[] = [
  { head: "Limit", cell: ({ kind }) => kind },
  { head: "Used", cell: ({ used, max }) => `${used} of ${max}` },
];
