import { once } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished } from "vitest";
import { startFixtureServer } from "./fixture-server.js";

it.each([
  { name: "test_sampling", args: { prompt: "Greet." }, said: "LLM response: Hello" },
  { name: "test_elicitation", args: { message: "Who?" }, said: "Elicitation completed: action=decline" },
  { name: "test_elicitation_sep1034_defaults", args: {}, said: "Elicitation completed: action=decline" },
  { name: "test_elicitation_sep1330_enums", args: {}, said: "Elicitation completed: action=decline" },
])(
  "[MCP-12] what $name asks back comes with the call, to a client that has no other stream",
  async ({ name, args, said }) => {
    const { url, stop } = await startFixtureServer();
    onTestFinished(stop);
    const client = await connectAnsweringClient(url, async (target, init) =>
      // A client does not wait for its GET stream to open, so a call can be sent first. Here the stream never opens.
      init?.method === "GET" ? new Response(null, { status: 405 }) : fetch(target, init),
    );

    const { content } = await client.callTool({ name, arguments: args });

    expect(content).toMatchObject([{ text: expect.stringContaining(said) }]);
  },
);

it("[MCP-12] what a server says outside of any call comes on the stream that its client listens on", async () => {
  const server = new Server(
    { name: "speaker", version: "1" },
    { capabilities: { tools: { listChanged: true } } },
  );
  const { url, stop } = await startFixtureServer({ createServer: () => server });
  onTestFinished(stop);
  const events = new EventTarget();
  const [listening, heard] = [once(events, "listening"), once(events, "heard")];
  const client = await connectAnsweringClient(url, async (target, init) => {
    const response = await fetch(target, init);
    if (init?.method === "GET" && response.ok) events.dispatchEvent(new Event("listening"));
    return response;
  });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    events.dispatchEvent(new Event("heard"));
  });

  await listening;
  await server.sendToolListChanged();

  await heard;
});

/** Connects a client that replies "Hello" to every sampling request and declines every form. */
async function connectAnsweringClient(
  url: string,
  fetchOver: NonNullable<StreamableHTTPClientTransportOptions["fetch"]>,
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { sampling: {}, elicitation: {} } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: "assistant",
    model: "test",
    content: { type: "text", text: "Hello" },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }));
  // The class implements Transport, but its type declaration lacks the `| undefined` that exactOptionalPropertyTypes
  // requires.
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchOver }) as Transport);
  onTestFinished(() => client.close());
  return client;
}
