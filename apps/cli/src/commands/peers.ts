import type { Peer } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { getSession } from "../sessions/find-session.js";
import {
  describeWake,
  formatPeerAddress,
  formatRoles,
  paintState,
  sortByState,
  toActivityCells,
  toStateSign,
} from "../sessions/peer-names.js";
import { toOneLine } from "../text/one-line.js";
import { type Cell, formatTable } from "../text/table.js";
import { formatCount } from "../text/time.js";

export const peers: Command = {
  name: "peers",
  summary: "show participants, their status and last activity",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    { flags: "--group <group>", summary: "only members of @group" },
    { flags: "--left", summary: "show all peers that have left, not only the last few" },
  ],
  examples: [
    "merkle peers split-auth",
    "merkle peers split-auth --group backend",
    "merkle peers split-auth -v",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const group = findFlag(flags, "group")?.replace(/^@/, "");
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    const roster = await broker.call("list_peers", {
      session_id,
      include_left: true,
      ...(group === undefined ? {} : { group }),
    });
    if (output.json) output.show(roster, "");
    else if (roster.peers.length === 0) {
      output.note(
        group === undefined
          ? `no one is in ${slug}.  next: merkle launch --session ${slug}`
          : `no one in ${slug} is in @${group}`,
      );
    } else output.show(roster, formatPeers(roster.peers, output, { showsAllLeft: isSet(flags, "left") }));
    return exitCodes.done;
  },
};

const leftShownMax = 5;

/** Formats one line per peer: symbol, name, role and groups, status, current activity. */
export function formatPeers(
  peers: readonly Peer[],
  output: Output,
  { showsAllLeft }: { showsAllLeft: boolean },
): string {
  const present = sortByState(peers.filter((peer) => peer.left_at === null));
  const left = peers
    .filter((peer) => peer.left_at !== null)
    .sort((a, b) => (b.left_at ?? "").localeCompare(a.left_at ?? ""));
  const shown = showsAllLeft ? left : left.slice(0, leftShownMax);
  const rows = [...present, ...shown].map((peer) => toRow(peer, output));
  const table = formatTable(rows, {
    columns: output.columns,
    flexible: [[2, 60], ...(rows[0] && rows[0].length > 3 ? [rows[0].length - 1] : [])],
    more: output.signs.more,
  });
  const hidden = left.length - shown.length;
  return hidden > 0 ? `${table}\n${output.dim(`  ${formatCount(hidden, "more peer")} left: --left`)}` : table;
}

function toRow(peer: Peer, output: Output): Cell[] {
  const paint = paintState(peer, output);
  const doing = toActivityCells(peer, output);
  const human = peer.kind === "agent" ? "" : ` (${peer.kind})`;
  return [
    { text: `${toStateSign(peer, output)} ${formatPeerAddress(peer.team, peer.name)}${human}`, paint },
    { text: formatRoles(peer) },
    ...doing.slice(0, 1),
    ...(output.verbose ? [{ text: describeDetails(peer), paint: output.dim }] : []),
    ...doing.slice(1),
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
