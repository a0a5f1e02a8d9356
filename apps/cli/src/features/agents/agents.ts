import type { Peer, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { mapInParallel } from "../../core/map-in-parallel.js";
import {
  formatPeerAddress,
  paintState,
  sortByState,
  toActivityCells,
  toStateSign,
} from "../../sessions/peer-names.js";
import { formatTable } from "../../text/table.js";

const sessionsAtOnce = 8;

export const agents: Command = {
  name: "agents",
  summary: "show the agents in all open sessions, their status, and who is blocked and why",
  flags: [{ flags: "--all", summary: "include agents that are away" }],
  examples: ["merkle agents", "merkle agents --all", "merkle agents --json"],
  async run({ flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { sessions } = await broker.call("list_sessions", {
      status: "open",
      limit: limits.sessionsPageMax,
    });
    const rosters = await mapInParallel(sessions, sessionsAtOnce, async ({ session_id }) => {
      const { peers } = await broker.call("list_peers", { session_id });
      return peers.filter(({ kind }) => kind === "agent");
    });
    const sessionAgents = sessions.flatMap((session, index) =>
      (rosters[index] ?? []).map((peer) => ({ session, peer })),
    );
    if (output.json)
      output.show(
        { agents: sessionAgents.map(({ session, peer }) => ({ session: session.slug, ...peer })) },
        "",
      );
    else if (sessionAgents.length === 0) output.note("no agents in open sessions.  next: merkle launch");
    else output.show(sessionAgents, formatAgents(sessionAgents, output, isSet(flags, "all")));
    return exitCodes.done;
  },
};

interface SessionAgent {
  readonly session: Session;
  readonly peer: Peer;
}

/**
 * Returns one line per agent. Agents that need a person come first. Absent agents are only counted, in a last
 * line.
 */
function formatAgents(sessionAgents: readonly SessionAgent[], output: Output, includesAway: boolean): string {
  const slugByPeer = new Map(sessionAgents.map(({ session, peer }) => [peer, session.slug]));
  const peers = sortByState(sessionAgents.map(({ peer }) => peer));
  const shown = includesAway
    ? peers
    : peers.filter((peer) => peer.presence !== "disconnected" || peer.declared !== null);
  const rows = shown.map((peer) => {
    const paint = paintState(peer, output);
    return [
      { text: `${toStateSign(peer, output)} ${formatPeerAddress(peer.team, peer.name)}`, paint },
      { text: slugByPeer.get(peer) ?? "", paint: output.dim },
      ...toActivityCells(peer, output),
    ];
  });
  const away = peers.length - shown.length;
  return [
    ...(rows.length > 0
      ? [formatTable(rows, { columns: output.columns, flexible: [1, [2, 60], 3], more: output.signs.more })]
      : []),
    ...(away > 0 ? [output.dim(`  ${away} away: merkle agents --all`)] : []),
  ].join("\n");
}
