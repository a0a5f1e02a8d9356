import type { Peer } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { isSet, textOf } from "../core/flags.js";
import { getSession } from "../sessions/find-session.js";
import {
  doingCells,
  inOrderOfState,
  paintState,
  peerName,
  rolesText,
  signOf,
  wakeText,
} from "../sessions/peer-names.js";
import { oneLine } from "../text/one-line.js";
import { type Cell, formatTable } from "../text/table.js";
import { counted } from "../text/time.js";

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
    const group = textOf(flags, "group")?.replace(/^@/, "");
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    const found = await broker.call("list_peers", {
      session_id,
      include_left: true,
      ...(group === undefined ? {} : { group }),
    });
    if (output.json) output.show(found, "");
    else if (found.peers.length === 0) {
      output.note(
        group === undefined
          ? `no one is in ${slug}.  next: merkle launch --session ${slug}`
          : `no one in ${slug} is in @${group}`,
      );
    } else output.show(found, formatPeers(found.peers, output, { all: isSet(flags, "left") }));
    return exitCodes.done;
  },
};

const leftShownMax = 5;

/** Formats one line per peer: symbol, name, role and groups, status, current activity. */
export function formatPeers(peers: readonly Peer[], output: Output, { all }: { all: boolean }): string {
  const present = inOrderOfState(peers.filter((peer) => peer.left_at === null));
  const left = peers
    .filter((peer) => peer.left_at !== null)
    .sort((a, b) => (b.left_at ?? "").localeCompare(a.left_at ?? ""));
  const shown = all ? left : left.slice(0, leftShownMax);
  const rows = [...present, ...shown].map((peer) => toRow(peer, output));
  const table = formatTable(rows, {
    columns: output.columns,
    flexible: [[2, 60], ...(rows[0] && rows[0].length > 3 ? [rows[0].length - 1] : [])],
    more: output.signs.more,
  });
  const hidden = left.length - shown.length;
  return hidden > 0 ? `${table}\n${output.dim(`  ${counted(hidden, "more peer")} left: --left`)}` : table;
}

function toRow(peer: Peer, output: Output): Cell[] {
  const paint = paintState(peer, output);
  const doing = doingCells(peer, output);
  const human = peer.kind === "agent" ? "" : ` (${peer.kind})`;
  return [
    { text: `${signOf(peer, output)} ${peerName(peer.team, peer.name)}${human}`, paint },
    { text: rolesText(peer) },
    ...doing.slice(0, 1),
    ...(output.verbose ? [{ text: whereabouts(peer), paint: output.dim }] : []),
    ...doing.slice(1),
  ];
}

/** Formats the details of a peer that help with troubleshooting. */
function whereabouts(peer: Peer): string {
  const { client, version } = peer.capabilities ?? {};
  const place = [peer.machine, peer.cwd].filter((each) => each !== null).join(":");
  return [
    wakeText(peer),
    client === undefined ? "" : `${client} ${version ?? ""}`.trim(),
    place,
    `read to #${peer.last_read}`,
  ]
    .filter((each) => each !== "")
    .map(oneLine)
    .join(", ");
}
