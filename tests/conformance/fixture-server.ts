import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { MerkleError } from "@merkle/wire";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CompleteRequestSchema,
  CreateMessageResultSchema,
  type ElicitRequestFormParams,
  ElicitResultSchema,
  type JSONRPCMessage,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Hono } from "hono";
import * as z from "zod";
import { createHostGuard } from "../../apps/broker/src/identity/origin/hosts.js";
import { createBodyReader } from "../../apps/broker/src/transports/http/read-json-body.js";
import { createMcpMount, type McpMountOptions } from "../../apps/broker/src/transports/mcp/mount.js";
import type { McpSessionStore } from "../../apps/broker/src/transports/mcp/session-store.js";
import type { Services } from "../../apps/broker/src/transports/services.js";

/**
 * Starts an MCP server with features that the conformance suite requires and Merkle does not offer (images, sampling,
 * prompts, …). It is mounted like the broker's own MCP server, so the suite tests the whole transport.
 */
export async function startFixtureServer(
  more: Partial<McpMountOptions> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const mount = createMcpMount({
    createServer: createFixture,
    store: createStoreInMemory(),
    // Admits every request. The fixture's tools use no services.
    admit: async () => ({
      principal: { kind: "anyone", meshId: "main" },
      services: {} as Services,
      connection: undefined,
      address: "",
    }),
    permit: async () => undefined,
    hold: () => () => undefined,
    takeStream: () => () => undefined,
    bodies: createBodyReader(),
    toError: (error) =>
      error instanceof MerkleError
        ? error
        : new MerkleError("internal", "The fixture failed.", {}, { cause: error }),
    // The sessionless protocol revision is served by the SDK's own transport, which is tested with the broker itself.
    openStateless: async () => ({ serve: async () => null, endStreams: () => undefined }),
    resumability: { createEventStore, retryIntervalMs: 500 },
    ...more,
  });
  const hosts = createHostGuard({
    listenHost: "127.0.0.1",
    allowedHosts: [],
    getListeningUrl: () => "",
    findPublicUrl: () => null,
  });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (c, next) => {
    hosts.check({ host: c.req.header("host"), origin: c.req.header("origin") });
    await next();
  });
  app.onError((error, c) => c.text(error.message, error instanceof MerkleError ? 403 : 500));
  app.all("/mcp", (c) => mount.handle(c));

  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  // The server never closes idle connections. On a busy machine, a client could reuse a connection at the moment when
  // the server closes it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      await mount.stop();
      server.closeAllConnections();
      await closed;
    },
  };
}

const image = {
  type: "image" as const,
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
};
const audio = {
  type: "audio" as const,
  mimeType: "audio/wav",
  data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=",
};

function createFixture(): McpServer {
  const fixture = new McpServer(
    { name: "merkle-conformance-fixture", version: "0.1.0" },
    { capabilities: { logging: {}, completions: {}, resources: { subscribe: true } } },
  );
  addContentTools(fixture);
  addTalkingTools(fixture);
  addElicitingTools(fixture);
  addResources(fixture);
  addPrompts(fixture);
  fixture.server.setRequestHandler(CompleteRequestSchema, () => ({
    completion: { values: ["paris", "park", "party"], total: 3, hasMore: false },
  }));
  return fixture;
}

const tool = { description: "Does what the suite expects of the tool of this name." };

function says(text: string) {
  return { content: [{ type: "text" as const, text }] };
}

function addContentTools(fixture: McpServer): void {
  const embedded = {
    uri: "test://embedded-resource",
    mimeType: "text/plain",
    text: "This is an embedded resource content.",
  };
  const mixed = {
    uri: "test://mixed-content-resource",
    mimeType: "application/json",
    text: '{"test":"data","value":123}',
  };
  fixture.registerTool("test_simple_text", tool, () => says("This is a simple text response for testing."));
  fixture.registerTool("test_image_content", tool, () => ({ content: [image] }));
  fixture.registerTool("test_audio_content", tool, () => ({ content: [audio] }));
  fixture.registerTool("test_embedded_resource", tool, () => ({
    content: [{ type: "resource", resource: embedded }],
  }));
  fixture.registerTool("test_multiple_content_types", tool, () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      { type: "resource", resource: mixed },
    ],
  }));
  fixture.registerTool("test_error_handling", tool, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

type CallContext = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * Registers tools that send notifications or requests to the client before they reply, or that close the client's
 * stream. The tools use their own call's stream, because the client may not have opened its GET stream yet.
 */
function addTalkingTools(fixture: McpServer): void {
  fixture.registerTool("test_tool_with_logging", tool, async ({ sendNotification }) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await sendNotification({ method: "notifications/message", params: { level: "info", data } });
      await delay(50);
    }
    return says("Logged three times.");
  });
  fixture.registerTool("test_tool_with_progress", tool, async ({ sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await sendNotification({ method: "notifications/progress", params });
      }
      await delay(50);
    }
    return says("Progressed to the end.");
  });
  fixture.registerTool("test_reconnection", tool, async ({ closeSSEStream }) => {
    await delay(50);
    closeSSEStream?.();
    await delay(50);
    return says("Reconnected.");
  });
  fixture.registerTool(
    "test_sampling",
    { ...tool, inputSchema: { prompt: z.string() } },
    async ({ prompt }, { sendRequest }) => {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: prompt } }];
      const params = { messages, maxTokens: 100 };
      const { content } = await sendRequest(
        { method: "sampling/createMessage", params },
        CreateMessageResultSchema,
      );
      return says(`LLM response: ${content.type === "text" ? content.text : content.type}`);
    },
  );
}

type RequestedSchema = ElicitRequestFormParams["requestedSchema"];

function addElicitingTools(fixture: McpServer): void {
  const elicit = async ({ sendRequest }: CallContext, message: string, requestedSchema: RequestedSchema) => {
    const params = { message, requestedSchema };
    const { action, content } = await sendRequest(
      { method: "elicitation/create", params },
      ElicitResultSchema,
    );
    return says(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
  };
  fixture.registerTool(
    "test_elicitation",
    { ...tool, inputSchema: { message: z.string() } },
    ({ message }, call) =>
      elicit(call, message, {
        type: "object",
        properties: {
          username: { type: "string", description: "User's response" },
          email: { type: "string", description: "User's email address" },
        },
        required: ["username", "email"],
      }),
  );
  fixture.registerTool("test_elicitation_sep1034_defaults", tool, (call) =>
    elicit(call, "Please look at the defaults.", {
      type: "object",
      properties: {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
    }),
  );
  fixture.registerTool("test_elicitation_sep1330_enums", tool, (call) =>
    elicit(call, "Please choose.", {
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: titled("value", "Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: titled("value", "Choice") } },
      },
    }),
  );
}

function titled(value: string, title: string): { const: string; title: string }[] {
  return ["First", "Second", "Third"].map((nth, index) => ({
    const: `${value}${index + 1}`,
    title: `${nth} ${title}`,
  }));
}

function addResources(fixture: McpServer): void {
  fixture.registerResource(
    "static-text",
    "test://static-text",
    { description: "A text.", mimeType: "text/plain" },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }],
    }),
  );
  fixture.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "An image.", mimeType: "image/png" },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: "image/png", blob: image.data }] }),
  );
  fixture.registerResource(
    "watched",
    "test://watched-resource",
    { description: "A text to subscribe to.", mimeType: "text/plain" },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: "Watched." }] }),
  );
  fixture.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Data of an id.", mimeType: "application/json" },
    ({ href: uri }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: "application/json", text }] };
    },
  );
  const subscribed = new Set<string>();
  fixture.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  fixture.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
}

function addPrompts(fixture: McpServer): void {
  const asked = (text: string) => ({ role: "user" as const, content: { type: "text" as const, text } });
  fixture.registerPrompt("test_simple_prompt", { description: "A simple prompt." }, () => ({
    messages: [asked("This is a simple prompt for testing.")],
  }));
  fixture.registerPrompt(
    "test_prompt_with_arguments",
    { description: "A prompt with arguments.", argsSchema: { arg1: z.string(), arg2: z.string() } },
    ({ arg1, arg2 }) => ({ messages: [asked(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  fixture.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A prompt with a resource.", argsSchema: { resourceUri: z.string() } },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
      const embedded = { role: "user" as const, content: { type: "resource" as const, resource } };
      return { messages: [embedded, asked("Please process the embedded resource above.")] };
    },
  );
  fixture.registerPrompt("test_prompt_with_image", { description: "A prompt with an image." }, () => ({
    messages: [{ role: "user", content: image }, asked("Please analyze the image above.")],
  }));
}

function createStoreInMemory(): McpSessionStore {
  const sessions = new Map<string, unknown>();
  return {
    async save(id, initialize) {
      sessions.set(id, initialize);
    },
    async find(id) {
      return sessions.has(id) ? { initialize: sessions.get(id) } : null;
    },
    async remove(id) {
      sessions.delete(id);
    },
    // Only other nodes read cancellations, and the fixture has a single node.
    noteCancelled: async () => undefined,
    listCancelled: async () => null,
  };
}

function createEventStore(): EventStore {
  const events: { id: string; streamId: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(streamId, message) {
      const id = randomUUID();
      events.push({ id, streamId, message });
      return id;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const at = events.findIndex(({ id }) => id === lastEventId);
      const streamId = events[at]?.streamId ?? "";
      for (const { id, message } of events.slice(at + 1).filter((event) => event.streamId === streamId)) {
        // An event without a method or result only marks the beginning of its stream, so it is not sent.
        if (Object.keys(message).length > 0) await send(id, message);
      }
      return streamId;
    },
  };
}
