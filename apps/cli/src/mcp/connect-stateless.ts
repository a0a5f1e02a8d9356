import {
  ResourceNotFoundError,
  Server,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ClientInfo } from "./self-description.js";
import { callTool, type ServeOptions } from "./served-tools.js";
import type { ToolServer } from "./tool-server.js";
import type { Channel } from "./waking/wake-paths.js";

/** The unread messages of all joined sessions, as a resource that clients can subscribe to (MCP-18). */
const messagesResource = {
  name: "mail",
  uri: "merkle://mail",
  description:
    "Number of unread messages in each session. Subscribe to it: it changes when messages arrive. Read them with check_messages.",
  mimeType: "application/json",
};

/** The options for serving a client that uses the sessionless protocol revision. */
export interface StatelessServeOptions extends ServeOptions {
  readonly client: ClientInfo | undefined;
}

/**
 * Serves the sessionless revision of MCP (MCP-16). The process still belongs to one client and keeps that
 * client's peers.
 */
export function connectStateless(transport: Transport, options: StatelessServeOptions): void {
  const { tools, introduction, requests, client } = options;
  const { serverInfo, instructions } = introduction;
  const { resources } = introduction.capabilities;
  const tracker = createSubscriptionTracker(transport);

  function createServer(): Server {
    const server = new Server(serverInfo, {
      capabilities: { tools: {}, ...(resources && { resources }) },
      instructions,
    });
    const openTools = (): Promise<ToolServer> =>
      tools.open({
        getInfo: () => client,
        channel: tracker.toChannel(() => server.sendResourceUpdated({ uri: messagesResource.uri })),
        isStructured: true,
      });
    server.setRequestHandler("tools/list", async () => ({ tools: (await openTools()).tools }));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) =>
      callTool(await openTools(), {
        ...{ name: params.name, requestId: mcpReq.id, requests, progressToken: mcpReq._meta?.progressToken },
        sendProgress: (progress) => mcpReq.notify({ method: "notifications/progress", params: progress }),
      }),
    );
    if (resources) {
      server.setRequestHandler("resources/list", () => ({ resources: [messagesResource] }));
      server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
      server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
        if (uri !== messagesResource.uri) throw new ResourceNotFoundError(uri);
        const text = JSON.stringify((await openTools()).countUnread());
        return { contents: [{ uri, mimeType: messagesResource.mimeType, text }] };
      });
    }
    // Open the tools early, so that messages can wake the client before its first call.
    void openTools();
    return server;
  }

  serveStdio(createServer, { transport: tracker.transport, legacy: "reject" });
}

interface SubscriptionTracker {
  /** The wrapped transport, through which the client's subscriptions are observed. */
  readonly transport: Transport;
  toChannel(send: () => Promise<void>): Channel;
}

/**
 * Tracks whether the client subscribes to the unread messages. The SDK acknowledges subscriptions itself, so
 * this function observes the SDK's acknowledgements and the client's cancellations.
 */
function createSubscriptionTracker(transport: Transport): SubscriptionTracker {
  const subscriptions = new Set<unknown>();
  const listeners: (() => void)[] = [];

  function update(change: () => void): void {
    const { size } = subscriptions;
    change();
    if (subscriptions.size !== size) for (const run of listeners) run();
  }

  const trackedTransport: Transport = {
    start: () => {
      transport.onmessage = (message, extra) => {
        if ("method" in message && message.method === "notifications/cancelled") {
          update(() => subscriptions.delete(message.params?.["requestId"]));
        }
        trackedTransport.onmessage?.(message, extra);
      };
      transport.onclose = () => trackedTransport.onclose?.();
      return transport.start();
    },
    async send(message, options) {
      await transport.send(message, options);
      if (!("method" in message) || message.method !== "notifications/subscriptions/acknowledged") return;
      const { notifications, _meta } = Object(message.params);
      if (notifications?.resourceSubscriptions?.includes(messagesResource.uri)) {
        update(() => subscriptions.add(_meta?.[SUBSCRIPTION_ID_META_KEY]));
      }
    },
    close: () => transport.close(),
  };

  return {
    transport: trackedTransport,
    toChannel: (send) => ({
      get isConnected() {
        return subscriptions.size > 0;
      },
      send,
      onChange: (run) => listeners.push(run),
    }),
  };
}
