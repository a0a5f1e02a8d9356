import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { expect, inject, it, onTestFinished } from "vitest";
import { makeAgentHome } from "../kit/stdio.js";
import { getSharedBroker } from "../kit/test-broker.js";

interface Tool {
  readonly name: string;
  readonly outputSchema?: unknown;
}

/** The methods that all versions of the official client have in common. */
interface AnyClient {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: readonly Tool[] }>;
  callTool(called: { name: string; arguments: object }): Promise<unknown>;
  close(): Promise<void>;
}

interface Spawned {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

interface Made {
  readonly client: AnyClient;
  http(url: URL): unknown;
  stdio(spawned: Spawned): unknown;
}

// Validating schemas blocks this process, and the server could close an idle keep-alive connection during that time.
const requestInit = { headers: { connection: "close" } };
const info = { name: "test", version: "1" };

/** Creates a client from major version 1 of the SDK. Its minor versions differ only in their folder. */
async function makeV1(folder: string): Promise<Made> {
  const [{ Client }, { StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
    import(`${folder}/client/index.js`),
    import(`${folder}/client/streamableHttp.js`),
    import(`${folder}/client/stdio.js`),
  ]);
  return {
    client: new Client(info),
    http: (url) => new StreamableHTTPClientTransport(url, { requestInit }),
    stdio: (spawned) => new StdioClientTransport(spawned),
  };
}

function makeV2(mode: "legacy" | "auto" | { pin: string }): Made {
  return {
    // The declared type of the client's transports is narrower than the interface that all versions share.
    client: new ClientV2(info, { versionNegotiation: { mode } }) as unknown as AnyClient,
    http: (url) => new HttpV2(url, { requestInit }),
    stdio: (spawned) => new StdioV2(spawned),
  };
}

const v1_10 = new URL("../../tools/conformance/node_modules/sdk-1.10/dist/esm", import.meta.url).href;
const v1_32 = new URL("../../node_modules/@modelcontextprotocol/sdk/dist/esm", import.meta.url).href;

const clients: readonly { name: string; make: () => Made | Promise<Made>; stateless: boolean }[] = [
  { name: "1.10", make: () => makeV1(v1_10), stateless: false },
  { name: "1.32", make: () => makeV1(v1_32), stateless: false },
  { name: "2.4 as it is", make: () => makeV2("legacy"), stateless: false },
  { name: "2.4 that negotiates", make: () => makeV2("auto"), stateless: true },
  { name: "2.4 pinned to 2026-07-28", make: () => makeV2({ pin: "2026-07-28" }), stateless: true },
];

it.each(clients)("[MCP-8][MCP-16] the official client $name works over HTTP", async ({ make, stateless }) => {
  const { url } = await getSharedBroker();
  const { client, http } = await make();
  await client.connect(http(new URL(`${url}/mcp`)));
  onTestFinished(() => client.close());

  const { tools } = await client.listTools();
  expect(tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(stateless);
  const created = Object(await createSession(client));
  const { session_id, team_id } = created.structuredContent ?? JSON.parse(created.content[0].text);
  const whose = stateless ? { team_id } : {};
  const posted = await client.callTool({
    name: "post_message",
    arguments: { session_id, ...whose, content: { text: "hi" } },
  });
  expect(Object(posted).isError).toBeUndefined();
});

it.each(clients)("[MCP-8][STDIO-17] the official client $name works over stdio", async ({ make }) => {
  const { url } = await getSharedBroker();
  const home = await makeAgentHome();
  const { client, stdio } = await make();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, MERKLE_HOME: home, MERKLE_URL: url };
  await client.connect(stdio({ command: process.execPath, args: [inject("program"), "mcp"], env }));
  onTestFinished(() => client.close());

  const { tools } = await client.listTools();
  expect(tools.some(({ name }) => name === "read_more")).toBe(true);
  await createSession(client);
  const posted = Object(
    await client.callTool({ name: "post_message", arguments: { content: { text: "hi" } } }),
  );
  expect(posted).toMatchObject({ content: [{ type: "text", text: expect.stringMatching(/^#\d+ posted/) }] });
  // If a result had structured content, some clients would show the model that instead of the text.
  expect(posted.structuredContent).toBeUndefined();
});

function createSession(client: AnyClient): Promise<unknown> {
  const args = { title: "Auth refactor", creator_team_name: "Alder" };
  return client.callTool({ name: "create_session", arguments: args });
}
