import {
  ResourceNotFoundError,
  Server,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ClientInfo } from "./self-description.js";
import { callTool, type Serving } from "./served-tools.js";
import type { ToolServer } from "./tool-server.js";
import type { Channel } from "./waking/wake-paths.js";

/** The unread messages of all joined sessions, as a resource that clients can subscribe to (MCP-18). */
const mail = {
  name: "mail",
  uri: "merkle://mail",
  description:
    "Number of unread messages in each session. Subscribe to it: it changes when messages arrive. Read them with check_messages.",
  mimeType: "application/json",
};

/** The options for serving a client that uses the sessionless protocol revision. */
export interface StatelessServing extends Serving {
  readonly client: ClientInfo | undefined;
}

/**
 * Serves the sessionless revision of MCP (MCP-16). The process still belongs to one client and keeps that
 * client's peers.
 */
export function connectStateless(transport: Transport, serving: StatelessServing): void {
  const { desk, introduction, requests, client } = serving;
  const { serverInfo, instructions } = introduction;
  const { resources } = introduction.capabilities;
  const listening = createListening(transport);

  function createServer(): Server {
    const server = new Server(serverInfo, {
      capabilities: { tools: {}, ...(resources && { resources }) },
      instructions,
    });
    const openDesk = (): Promise<ToolServer> =>
      desk.open({
        info: () => client,
        channel: listening.toChannel(() => server.sendResourceUpdated({ uri: mail.uri })),
        structured: true,
      });
    server.setRequestHandler("tools/list", async () => ({ tools: (await openDesk()).tools }));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) =>
      callTool(await openDesk(), {
        ...{ name: params.name, requestId: mcpReq.id, requests, progressToken: mcpReq._meta?.progressToken },
        sendProgress: (progress) => mcpReq.notify({ method: "notifications/progress", params: progress }),
      }),
    );
    if (resources) {
      server.setRequestHandler("resources/list", () => ({ resources: [mail] }));
      server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
      server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
        if (uri !== mail.uri) throw new ResourceNotFoundError(uri);
        const text = JSON.stringify((await openDesk()).unread());
        return { contents: [{ uri, mimeType: mail.mimeType, text }] };
      });
    }
    // Open the tools early, so that messages can wake the client before its first call.
    void openDesk();
    return server;
  }

  serveStdio(createServer, { transport: listening.transport, legacy: "reject" });
}

interface Listening {
  /** The wrapped transport, through which the client's subscriptions are observed. */
  readonly transport: Transport;
  toChannel(send: () => Promise<void>): Channel;
}

/**
 * Tracks whether the client subscribes to the unread messages. The SDK acknowledges subscriptions itself, so
 * this function observes the SDK's acknowledgements and the client's cancellations.
 */
function createListening(transport: Transport): Listening {
  const subscriptions = new Set<unknown>();
  const runs: (() => void)[] = [];

  function note(change: () => void): void {
    const { size } = subscriptions;
    change();
    if (subscriptions.size !== size) for (const run of runs) run();
  }

  const watched: Transport = {
    start: () => {
      transport.onmessage = (message, extra) => {
        if ("method" in message && message.method === "notifications/cancelled") {
          note(() => subscriptions.delete(message.params?.["requestId"]));
        }
        watched.onmessage?.(message, extra);
      };
      transport.onclose = () => watched.onclose?.();
      return transport.start();
    },
    async send(message, options) {
      await transport.send(message, options);
      if (!("method" in message) || message.method !== "notifications/subscriptions/acknowledged") return;
      const { notifications, _meta } = Object(message.params);
      if (notifications?.resourceSubscriptions?.includes(mail.uri)) {
        note(() => subscriptions.add(_meta?.[SUBSCRIPTION_ID_META_KEY]));
      }
    },
    close: () => transport.close(),
  };

  return {
    transport: watched,
    toChannel: (send) => ({
      get isThere() {
        return subscriptions.size > 0;
      },
      send,
      onChange: (run) => runs.push(run),
    }),
  };
}
