import { randomUUID } from "node:crypto";
import { makeAgentHome, type StdioServer, startStdioServer } from "../kit/stdio.js";
import type { TestBroker } from "../kit/test-broker.js";

/** A session, and a team that posts to it over REST. */
export interface Correspondent {
  readonly slug: string;
  readonly sessionId: string;
  readonly credential: string;
  post(text: string, more?: object): Promise<void>;
  ask<Answer = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer>;
  /** Sends a request with another credential. */
  askAs<Answer>(credential: string, method: string, path: string, body?: object): Promise<Answer>;
  /** Returns a team's entry in the roster. */
  findRosterEntry(name: string): Promise<Record<string, unknown>>;
  /** Returns a team's peers from list_peers. */
  listPeers(team: string): Promise<Record<string, unknown>[]>;
}

export async function startSession({ url }: Pick<TestBroker, "url">): Promise<Correspondent> {
  const slug = `s-${randomUUID().slice(0, 8)}`;
  async function ask<Answer>(method: string, path: string, body?: object, credential = ""): Promise<Answer> {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { "content-type": "application/json", ...(credential && { "x-team-id": credential }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    // The caller states the type of the response.
    return answer as Answer;
  }
  const created = await ask<Record<string, string>>("POST", "/api/sessions", {
    title: slug,
    slug,
    creator_team_name: "Alder",
  });
  const { session_id: sessionId = "", team_id: credential = "" } = created;
  const session = `/api/sessions/${slug}`;
  return {
    slug,
    sessionId,
    credential,
    post: async (text, more = {}) => {
      await ask("POST", `${session}/messages`, { content: { text }, ...more }, credential);
    },
    ask: (method, path, body) => ask(method, `${session}${path}`, body, credential),
    askAs: (as, method, path, body) => ask(method, `${session}${path}`, body, as),
    async listPeers(team) {
      const { peers } = await ask<{ peers: Record<string, unknown>[] }>("GET", `${session}/peers`);
      return peers.filter((each) => each["team"] === team);
    },
    async findRosterEntry(name) {
      const { participants } = await ask<{ participants: Record<string, unknown>[] }>(
        "GET",
        `${session}/participants?include_folded=true`,
      );
      return participants.find((each) => each["team_name"] === name) ?? {};
    },
  };
}

/** Starts an agent's MCP server and makes it join the session as this team. */
export async function startAgent(
  { url }: Pick<TestBroker, "url">,
  session: Pick<Correspondent, "slug">,
  {
    team = "Birch",
    home,
    env,
    args = [],
    client,
  }: {
    team?: string;
    home?: string;
    env?: Readonly<Record<string, string>>;
    args?: readonly string[];
    /** The client name that the agent sends. */
    client?: string;
  } = {},
): Promise<StdioServer> {
  const server = await startStdioServer({
    url,
    args: ["--session", session.slug, "--team", team, ...args],
    home: home ?? (await makeAgentHome()),
    ...(env && { env }),
    ...(client !== undefined && { client }),
  });
  // This call acknowledges all messages delivered so far, so that the test begins with none unread.
  await server.call("list_participants");
  return server;
}
