import type { Peer } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../command/list.js";
import type { Output } from "../command/output.js";
import { toSessionPath } from "../core/address.js";
import { exitCodes } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { openPage } from "../identity/open-page.js";
import { getSession } from "../sessions/find-session.js";
import {
  describeWake,
  formatPeerAddress,
  formatRoles,
  listActivityColumns,
  paintState,
  sortByState,
  toStateSign,
} from "../sessions/peer-names.js";
import { toOneLine } from "../text/one-line.js";
import { formatCount } from "../text/time.js";

export const peers: Command = {
  name: "peers",
  summary: "show participants, their status and last activity",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--group <group>", summary: "only members of @group" },
    { flags: "--all", summary: "include all peers that have left, not only the last few" },
    limitFlag(),
    webFlag,
  ],
  examples: [
    "merkle peers split-auth",
    "merkle peers split-auth --group backend",
    "merkle peers split-auth -v",
    "merkle peers split-auth --json team,name,presence",
  ],
  list: { operation: "list_peers", rows: "peers" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const limit = readLimit(flags);
    const group = findFlag(flags, "group")?.replace(/^@/, "");
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, args[0], config);
    if (isSet(flags, "web")) return openPage(context, broker, toSessionPath({ slug }));
    const roster = await broker.call("list_peers", {
      session_id,
      include_left: true,
      ...(group === undefined ? {} : { group }),
    });
    const present = sortByState(roster.peers.filter((peer) => peer.left_at === null));
    const left = roster.peers
      .filter((peer) => peer.left_at !== null)
      .sort((a, b) => (b.left_at ?? "").localeCompare(a.left_at ?? ""));
    const shownLeft = isSet(flags, "all") || output.json ? left : left.slice(0, leftShownMax);
    const listed = [...present, ...shownLeft];
    const peers = listed.slice(0, limit);
    const hidden = left.length - shownLeft.length;
    await showList(
      {
        value: limit === undefined ? roster : { ...roster, peers },
        rows: peers,
        columns: listPeerColumns(output),
        total: listed.length,
        empty:
          group === undefined
            ? `no one is in ${slug}.  next: merkle launch --session ${slug}`
            : `no one in ${slug} is in @${group}`,
        ...(hidden > 0 && { foot: `  ${formatCount(hidden, "more peer")} left: --all` }),
      },
      context,
    );
    return exitCodes.done;
  },
};

const leftShownMax = 5;

/** Returns the columns: symbol and name, role and groups, status, current activity. */
export function listPeerColumns(output: Output): Column<Peer>[] {
  const details: Column<Peer> = {
    head: "Details",
    widthMin: 12,
    cell: (peer) => ({ text: describeDetails(peer), paint: output.dim }),
  };
  const [state, activity] = listActivityColumns(output);
  return [
    {
      head: "  Peer",
      cell: (peer) => ({
        text: `${toStateSign(peer, output)} ${formatPeerAddress(peer.team, peer.name)}${peer.kind === "agent" ? "" : ` (${peer.kind})`}`,
        paint: paintState(peer, output),
      }),
    },
    { head: "Role", widthMin: 8, isOptional: true, cell: formatRoles },
    state,
    ...(output.verbose ? [details] : []),
    ...(activity ? [activity] : []),
  ];
}

/** Formats the details of a peer that help with troubleshooting. */
function describeDetails(peer: Peer): string {
  const { client, version } = peer.capabilities ?? {};
  const location = [peer.machine, peer.cwd].filter((each) => each !== null).join(":");
  return [
    describeWake(peer),
    client === undefined ? "" : `${client} ${version ?? ""}`.trim(),
    location,
    `read to #${peer.last_read}`,
  ]
    .filter((each) => each !== "")
    .map(toOneLine)
    .join(", ");
}
