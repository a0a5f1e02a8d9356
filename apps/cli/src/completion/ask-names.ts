import { limits } from "@merkle/wire/plain";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Asked } from "../command/complete.js";
import { peerName } from "../sessions/peer-names.js";
import { oneLine } from "../text/one-line.js";

interface Place {
  readonly broker: Pick<BrokerClient, "call">;
  /** Where the line names none. */
  readonly session: string | undefined;
}

/** The names that a broker knows: slugs of open sessions, files under Git, the peers and teams of a session, its groups. */
export async function askNames(asked: Asked, { broker, session: usual }: Place): Promise<string[]> {
  if (asked.is === "session") {
    const { sessions } = await broker.call("list_sessions", {
      status: "open",
      limit: limits.sessionsPageMax,
    });
    return sessions.map(({ slug }) => slug);
  }
  if (asked.is === "root/path") {
    const { files } = await broker.call("list_sources", { limit: limits.sourcesListedMax });
    return files.map(({ source_path }) => source_path);
  }
  const session = asked.session ?? usual;
  if (session === undefined) return [];
  const { peers } = await broker.call("list_peers", { session_id: session });
  const groups = peers.flatMap((peer) => peer.groups.map(({ name }) => oneLine(name)));
  if (asked.is === "group") return groups;
  return [
    ...peers.flatMap(({ team, name }) => [peerName(team, name), oneLine(name ?? team), oneLine(team)]),
    ...groups.map((group) => `@${group}`),
    "@humans",
    "@all",
  ];
}
