import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type {
  Implementation,
  InitializeResult,
  JSONRPCMessage,
  RequestId,
  ServerCapabilities,
} from "@modelcontextprotocol/sdk/types.js";

/** A server's description of itself, with which it answers a greeting. */
export interface Introduction {
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
}

interface GreetingTransport extends Transport {
  /** Begins to read. Resolves when the first message has come and, where it was a greeting, has been answered. */
  meet(): Promise<void>;
}

/** The protocol revisions that the SDK speaks, the newest first: what it answers to any other (MCP-8). */
const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/**
 * Answers `initialize` in the place of the SDK's server, which takes longer to load than all else that comes before the
 * answer (PACK-4). That server, once it is connected, gets every message there was, `initialize` among them, so that it
 * knows its client; only its own answer to it, which is the same, is left out.
 */
export function greetFirst(transport: Transport, introduction: Introduction): GreetingTransport {
  const early: JSONRPCMessage[] = [];
  let greeted: RequestId | undefined;

  async function greet(message: JSONRPCMessage): Promise<void> {
    const handshake = findHandshake(message);
    if (handshake === undefined) return;
    greeted = handshake.id;
    const result = welcome(handshake.protocolVersion, introduction);
    await transport.send({ result, jsonrpc: "2.0", id: greeted });
  }

  const greeting: GreetingTransport = {
    meet() {
      transport.onclose = () => greeting.onclose?.();
      return new Promise((resolve, reject) => {
        transport.onmessage = (message) => {
          early.push(message);
          if (early.length === 1) greet(message).then(resolve, reject);
        };
        transport.start().catch(reject);
      });
    },
    async start() {
      transport.onmessage = (message) => greeting.onmessage?.(message);
      for (const message of early.splice(0)) greeting.onmessage?.(message);
    },
    async send(message, options) {
      if (greeted === undefined || "method" in message || message.id !== greeted)
        return transport.send(message, options);
      greeted = undefined;
    },
    close: () => transport.close(),
  };
  return greeting;
}

/** A greeting that the SDK would answer; one that it would refuse, or anything else, waits for it. */
function findHandshake(message: JSONRPCMessage): { id: RequestId; protocolVersion: string } | undefined {
  if (!("method" in message && "id" in message) || message.method !== "initialize") return undefined;
  const { protocolVersion, capabilities, clientInfo } = Object(message.params);
  const { name, version } = Object(clientInfo);
  const isPlain = [protocolVersion, name, version].every((each) => typeof each === "string");
  if (!isPlain || typeof capabilities !== "object" || capabilities === null) return undefined;
  return { id: message.id, protocolVersion };
}

function welcome(asked: string, { serverInfo, capabilities, instructions }: Introduction): InitializeResult {
  const [newest = asked] = protocolVersions;
  const protocolVersion = protocolVersions.includes(asked) ? asked : newest;
  return { protocolVersion, capabilities, serverInfo, instructions };
}
