import { randomUUID } from "node:crypto";
import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { inject } from "vitest";
import { type RunOptions, testMerkle } from "../../../apps/cli/src/test-kit/merkle.js";
import { findDashboardPages } from "../../dashboard/pages.js";
import { reservePort } from "../../kit/nginx.js";
import { noteHome } from "../../kit/persons.js";
import type { Cleanup } from "../../kit/test-database.js";
import { brokerTransports } from "../../kit/transports.js";
import type { Machine } from "./machine.js";
import { killProcess } from "./processes.js";

type Peer = OutputOf<"list_peers">["peers"][number];

/** A broker as users run it, with one session and a team that posts numbered messages (`letter-1`, `letter-2`, …) over REST. */
export interface Mesh {
  readonly url: string;
  readonly port: number;
  readonly slug: string;
  /** Posts the next numbered message. Returns its name and the time when the broker received it. */
  write(to: string | null, options?: WriteOptions): Promise<WrittenLetter>;
  /** Finds the team's agent with this name. Without a name, finds the team's only agent. */
  findPeer(team: string, name?: string): Promise<Peer | undefined>;
  listPeers(): Promise<Peer[]>;
  /** Runs a command as the broker's user and returns its output. */
  run(args: readonly string[]): Promise<string>;
  nudge(to: string): Promise<OutputOf<"nudge">>;
  readStatus(message: number): Promise<OutputOf<"message_status">>;
  /** Reads the session's feed without a team credential. */
  readHistory(): Promise<OutputOf<"get_history">>;
  /** Makes the machine's user a member, if the broker admits only members. */
  admit(machine: Machine): Promise<void>;
  /** Returns the process ids of the broker or its nodes. */
  brokerPids(): Promise<number[]>;
  killBroker(): Promise<void>;
  restartBroker(): Promise<void>;
}

export interface WriteOptions {
  readonly priority?: "low" | "next" | "now";
  /** The team that posts (default: Alder). */
  readonly from?: string;
  /** Text to append to the message's name. */
  readonly text?: string;
}

export interface WrittenLetter {
  readonly letter: string;
  readonly postedAtMs: number;
  readonly posted: OutputOf<"post_message">;
}

export async function startMesh(
  cleanup: Cleanup,
  { auth = "open" }: { readonly auth?: "open" | "invite" } = {},
): Promise<Mesh> {
  const merkle = await testMerkle(cleanup);
  const nodes = inject("bus") === undefined ? null : await startNodesOf(cleanup, auth);
  const run = async (args: readonly string[], { env, ...options }: RunOptions = {}) => {
    const { code, stdout, stderr } = await merkle.run(args, {
      ...options,
      env: { ...(nodes && { MERKLE_URL: nodes.url }), ...env },
    });
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  let output = "";
  const up = async (port: number) => {
    output = await run(["up", "--port", String(port), "--auth", auth, "--detach"]);
    return merkle.readRunFile();
  };
  const { url, port } = nodes ?? (await up(0));
  if (!nodes) noteHome(port, merkle.home);
  if (auth === "invite") await run(["join", "-"], { input: nodes?.firstInvite ?? linkIn(output) });
  const token = auth === "invite" ? (await run(["token", "create"])).trim() : undefined;
  const transport = await brokerTransports.rest(url, { token });
  // Replies are not checked, because the command of an earlier version (`MERKLE_TEST_CLONE`) sends other fields.
  const call = async <Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
  ): Promise<OutputOf<Name>> => Object(await transport.callRaw(name, input)) as never;
  const slug = `s-${randomUUID().slice(0, 8)}`;
  const { team_id: convener } = await call("create_session", {
    title: slug,
    slug,
    creator_team_name: "Alder",
  });
  const session_id = slug;
  let letters = 0;

  async function peers(): Promise<Peer[]> {
    return (await call("list_peers", { session_id, include_left: true })).peers;
  }

  return {
    url,
    port,
    slug,
    async write(to, { priority = "next", text = "", from } = {}) {
      letters += 1;
      const team_id =
        from === undefined ? convener : (await call("join_session", { session_id, team_name: from })).team_id;
      const letter = `letter-${letters}`;
      const posted = await call("post_message", {
        session_id,
        team_id,
        content: { text: `${letter} ${text}` },
        priority,
        ...(to !== null && { to }),
      });
      return { letter, postedAtMs: performance.now(), posted };
    },
    listPeers: peers,
    run,
    async findPeer(team, name) {
      const isIt = (peer: Peer) => peer.name !== null && peer.name === (name ?? peer.name);
      return (await peers()).find((peer) => peer.team === team && isIt(peer));
    },
    nudge: (to) => call("nudge", { session_id, team_id: convener, to }),
    readStatus: (message) => call("message_status", { session_id, message }),
    readHistory: () => call("get_history", { session_id, limit: 500 }),
    async admit({ merkleHome }) {
      const input = linkIn(await run(["invite", slug]));
      await run(["join", "-", "--url", url], { input, env: { MERKLE_HOME: merkleHome } });
    },
    brokerPids: async () => nodes?.pids() ?? [(await merkle.readRunFile()).pid],
    killBroker: nodes?.kill ?? (async () => killProcess((await merkle.readRunFile()).pid)),
    restartBroker: nodes?.start ?? (async () => void (await up(port))),
  };
}

/**
 * Starts three nodes behind nginx instead of one broker (`MERKLE_TEST_BUS`). The nodes are killed and started together.
 */
async function startNodesOf(cleanup: Cleanup, auth: "open" | "invite") {
  const [{ startNodes }, kit] = await Promise.all([
    import("../../nodes/start-nodes.js"),
    import("../../nodes/kit/start-behind-proxy.js"),
  ]);
  const port = await reservePort();
  const url = `http://localhost:${port}`;
  const options = { ...kit.behindProxy, auth, publicUrl: url, dashboard: findDashboardPages() };
  const { nodes } = await startNodes(3, { bus: await kit.startTestBus(cleanup), options }, cleanup);
  const [first] = nodes as [(typeof nodes)[0]];
  await kit.startProxy(
    nodes.map((node) => Number(new URL(node.url).port)),
    cleanup,
    port,
  );
  noteHome(port, first.home, first.url);
  return {
    ...{ url, port, firstInvite: first.firstInvite },
    pids: () => nodes.map((node) => node.pid),
    kill: async () => void (await Promise.all(nodes.map((node) => node.kill()))),
    async start() {
      for (const node of nodes) await node.start();
      await kit.untilAllNodesServe(url);
    },
  };
}

function linkIn(screen: string): string {
  return /https?:\/\/\S+\/join#\S+/.exec(screen)?.[0] ?? "";
}
