import type { Peer, ReportedCheckout, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { mapInParallel } from "../../core/map-in-parallel.js";
import { openPage } from "../../identity/open-page.js";
import {
  formatPeerAddress,
  listActivityColumns,
  paintState,
  sortByState,
  toStateSign,
} from "../../sessions/peer-names.js";
import { toOneLine } from "../../text/one-line.js";

const sessionsAtOnce = 8;

export const agents: Command = {
  name: "agents",
  summary: "show the agents in all open sessions, their status, and who is blocked and why",
  flags: [{ flags: "--all", summary: "include agents that are away" }, limitFlag(), webFlag],
  examples: ["merkle agents", "merkle agents --all", "merkle agents --json session,team,name,presence"],
  list: { operation: "list_peers", rows: "peers", added: ["session", "checkout"] },
  async run(context) {
    const { flags, config, output, signal } = context;
    const limit = readLimit(flags);
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/agents");
    const [{ sessions }, { checkouts }] = await Promise.all([
      broker.call("list_sessions", { status: "open", limit: limits.sessionsPageMax }),
      broker.call("list_checkouts", {}),
    ]);
    const rosters = await mapInParallel(sessions, sessionsAtOnce, async ({ session_id, slug }) => {
      const { peers } = await broker.call("list_peers", { session_id });
      const isIn = (peer: Peer) => (each: ReportedCheckout) =>
        each.session_id === session_id && each.peer_id === peer.peer_id;
      return peers
        .filter(({ kind }) => kind === "agent")
        .map((peer) => ({ session: slug, checkout: checkouts.find(isIn(peer)) ?? null, ...peer }));
    });
    const all = sortByState(rosters.flat());
    const includesAway = isSet(flags, "all") || output.json;
    const listed = includesAway ? all : all.filter((agent) => !isAway(agent));
    const away = all.length - listed.length;
    const rows = listed.slice(0, limit);
    await showList(
      {
        value: { agents: rows },
        rows,
        columns: listColumns(output),
        total: listed.length,
        empty:
          away > 0 ? `${away} away: merkle agents --all` : "no agents in open sessions.  next: merkle launch",
        ...(away > 0 && { foot: `  ${away} away: merkle agents --all` }),
      },
      context,
    );
    return exitCodes.done;
  },
};

type Agent = Peer & { readonly session: Session["slug"]; readonly checkout: ReportedCheckout | null };

function isAway({ presence, declared }: Agent): boolean {
  return presence === "disconnected" && declared === null;
}

/** Returns the columns. Agents that need a person come first. */
function listColumns(output: Output): Column<Agent>[] {
  const [state, work] = listActivityColumns(output);
  return [
    {
      head: "  Agent",
      cell: (agent) => ({
        text: `${toStateSign(agent, output)} ${formatPeerAddress(agent.team, agent.name)}`,
        paint: paintState(agent, output),
      }),
    },
    { head: "Session", cell: ({ session }) => ({ text: session, paint: output.dim }) },
    state,
    ...(work ? [work] : []),
    {
      head: "Works in",
      widthMin: 16,
      isOptional: true,
      cell: ({ checkout }) => ({ text: checkout ? formatCheckout(checkout) : "", paint: output.dim }),
    },
  ];
}

function formatCheckout({ repository, branch, added, removed }: ReportedCheckout): string {
  const place = [repository.split("/").at(-1) ?? "", branch].filter((each) => each).join("/");
  return `${toOneLine(place)} +${added} -${removed}`;
}
