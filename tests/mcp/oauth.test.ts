import type { OutputOf } from "@merkle/wire";
import { operations } from "@merkle/wire/schemas";
import * as v2 from "@modelcontextprotocol/client";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { startInviteBroker, type TestMember } from "../kit/members.js";

let admin: TestMember;
let base: string;
let session: OutputOf<"create_session">;
const cleanup = createCleanup();
beforeAll(async () => {
  const started = await startInviteBroker(cleanup);
  admin = started.admin;
  base = started.broker.url.replace("127.0.0.1", "localhost");
  session = await admin.call("create_session", { title: "Hosted", creator_team_name: "Ana's" });
});

/**
 * Approves the client that opened this address, as a member does on the dashboard's page. Returns the parameters in the
 * redirect to the client.
 */
async function approveAsMember({ searchParams }: URL): Promise<URLSearchParams> {
  const { scope: _scope, ...request } = Object.fromEntries(searchParams);
  const { redirect_to } = await admin.call("approve_client", {
    session_id: session.session_id,
    team_name: "Hosted Helper",
    // The type cast is safe, because the broker validates the client's parameters.
    ...(request as never as Parameters<typeof admin.call<"preview_client">>[1]),
  });
  return new URL(redirect_to).searchParams;
}

/** Creates the storage that a hosted client needs for the OAuth flow. It works with both major versions of the SDK. */
function createProvider() {
  const kept: {
    client?: { client_id: string };
    tokens?: { access_token: string; token_type: string };
    verifier?: string;
    asked?: URL;
    discovered?: v2.OAuthDiscoveryState;
  } = {};
  return {
    kept,
    redirectUrl: "https://client.example.com/callback",
    clientMetadata: {
      client_name: "Hosted Helper",
      redirect_uris: ["https://client.example.com/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: { client_id: string }) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: { access_token: string; token_type: string }) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url: URL) => {
      kept.asked = url;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (discovered: v2.OAuthDiscoveryState) => {
      kept.discovered = discovered;
    },
    discoveryState: () => kept.discovered,
  };
}

const majors = {
  "1.x": {
    UnauthorizedError,
    openTransport(url: URL, authProvider: ReturnType<typeof createProvider>) {
      const transport = new StreamableHTTPClientTransport(url, { authProvider });
      return {
        transport,
        finish: (answer: URLSearchParams) => transport.finishAuth(answer.get("code") ?? ""),
      };
    },
    createClient: () => new Client({ name: "hosted", version: "1" }),
  },
  "2.x": {
    UnauthorizedError: v2.UnauthorizedError,
    openTransport(url: URL, authProvider: ReturnType<typeof createProvider>) {
      const transport = new v2.StreamableHTTPClientTransport(url, { authProvider });
      return { transport, finish: (answer: URLSearchParams) => transport.finishAuth(answer) };
    },
    createClient: () => new v2.Client({ name: "hosted", version: "1" }),
  },
};

it.each(["1.x", "2.x"] as const)(
  "[OAUTH-1] [OAUTH-6] [MCP-7] the official SDK's client %s is let in by its own OAuth flow, and takes part",
  async (major) => {
    const { UnauthorizedError: Unauthorized, openTransport, createClient } = majors[major];
    const url = new URL(`${base}/api/mcp?tools=core,admin`);
    const provider = createProvider();
    const asking = openTransport(url, provider);
    // The client classes of both major versions have the same shape, but their types are incompatible.
    const first = createClient() as Client;
    await expect(first.connect(asking.transport as StreamableHTTPClientTransport)).rejects.toThrow(
      Unauthorized,
    );
    if (!provider.kept.asked) throw new Error("The client asked nobody.");
    expect(provider.kept.asked.href).toContain(`${base}/authorize?`);
    await asking.finish(await approveAsMember(provider.kept.asked));
    await first.close();

    const client = createClient() as Client;
    cleanup(() => client.close());
    await client.connect(openTransport(url, provider).transport as StreamableHTTPClientTransport);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["join_session", "post_message", "wait_for_messages"]));
    expect(names).not.toEqual(expect.arrayContaining(["create_session"]));
    expect(names.filter((name) => /token|invite|person|credential/.test(name))).toEqual([]);
    const { session_id } = session;
    const instructions = client.getInstructions() ?? "";
    expect(instructions).toContain(`session_id is ${session_id}`);
    const named = operations.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(instructions));
    expect(named.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
    const joined = await client.callTool({
      name: "join_session",
      arguments: { session_id, team_name: "Me" },
    });
    expect(JSON.stringify(joined)).toContain("Hosted Helper");
    const posted = await client.callTool({
      name: "post_message",
      arguments: { session_id, content: { text: `Hello from ${major}` } },
    });
    expect(posted.isError ?? false).toBe(false);
    const { messages } = await admin.call("get_history", { session_id, types: ["chat"], limit: 1 });
    expect(messages.at(-1)).toMatchObject({
      content: { text: `Hello from ${major}` },
      from: { team: "Hosted Helper", human: false },
    });
  },
);
