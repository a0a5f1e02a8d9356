import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type {
  Implementation,
  InitializeResult,
  JSONRPCMessage,
  RequestId,
  ServerCapabilities,
} from "@modelcontextprotocol/sdk/types.js";
import type { ClientInfo } from "./self-description.js";

/** A server's description of itself, with which it answers a greeting. */
export interface Introduction {
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
}

/** The client that was met. */
export interface Met {
  /** The client's name where each request gives it with its revision (MCP-16); undefined for one that begins with a handshake. */
  readonly client: ClientInfo | undefined;
}

interface GreetingTransport extends Transport {
  /**
   * Begins to read. Resolves when the first message has come that tells the client's revision and, where it was a greeting,
   * has been answered. Clients ask which there are before they choose; that is answered here, and tells nothing.
   */
  meet(): Promise<Met>;
}

/** The protocol revisions that the SDK speaks, the newest first: what it answers to any other (MCP-8). */
const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/** The server's introduction to a client of the revision without sessions. */
export type IntroduceStateless = (client: ClientInfo) => Promise<Introduction>;

/**
 * Answers `initialize` and `server/discover` in the place of the SDK's servers, which take longer to load than all else that
 * comes before the answer (PACK-4). That server, once it is connected, gets every other message there was, `initialize`
 * too, so that it knows its client; only its own answer to it, which is the same, is left out.
 *
 * @param introduceStateless - undefined where the client must speak a revision with sessions
 */
export function greetFirst(
  transport: Transport,
  introduction: Introduction,
  introduceStateless?: IntroduceStateless,
): GreetingTransport {
  const early: JSONRPCMessage[] = [];
  let greeted: RequestId | undefined;

  async function greet(message: JSONRPCMessage): Promise<void> {
    const handshake = findHandshake(message);
    if (handshake === undefined) return;
    greeted = handshake.id;
    const result = welcome(handshake.protocolVersion, introduction);
    await transport.send({ result, jsonrpc: "2.0", id: greeted });
  }

  /** Whether it was a question for the revisions that there are, and is answered. */
  async function discover(message: JSONRPCMessage): Promise<boolean> {
    const discovery = introduceStateless && findDiscovery(message);
    if (!discovery) return false;
    const { id, requested } = discovery;
    if (requested === statelessRevision) {
      const result = toDiscovered(await introduceStateless(discovery.client));
      await transport.send({ jsonrpc: "2.0", id, result });
    } else {
      const data = { supported: [statelessRevision], requested };
      const error = { code: -32022, message: `Unsupported protocol version: ${requested}`, data };
      await transport.send({ jsonrpc: "2.0", id, error });
    }
    return true;
  }

  async function meetFirst(message: JSONRPCMessage): Promise<Met | undefined> {
    if (await discover(message)) return undefined;
    early.push(message);
    const claim = introduceStateless && findClaim(message);
    if (!claim) await greet(message);
    return { client: claim?.client };
  }

  const greeting: GreetingTransport = {
    meet() {
      transport.onclose = () => greeting.onclose?.();
      return new Promise((resolve, reject) => {
        // One after the other: what comes while a question is answered must not overtake it.
        let met: Promise<Met | undefined> = Promise.resolve(undefined);
        transport.onmessage = (message) => {
          met = met.then((known) => {
            if (known === undefined) return meetFirst(message);
            early.push(message);
            return known;
          });
          met.then((known) => known && resolve(known), reject);
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

const statelessRevision = "2026-07-28";
const inMeta = "io.modelcontextprotocol";

/** The claims of a request of the revision without sessions: its revision and its client. */
interface Claim {
  readonly requested: string;
  readonly client: ClientInfo;
}

/** Undefined for a message of another revision. A malformed claim the SDK refuses in its words. */
function findClaim(message: JSONRPCMessage): Claim | undefined {
  if (!("method" in message)) return undefined;
  const { [`${inMeta}/protocolVersion`]: requested, [`${inMeta}/clientInfo`]: client } = Object(
    message.params?._meta,
  );
  if (typeof requested !== "string") return undefined;
  const { name, version } = Object(client);
  return { requested, client: { name: String(name), version: String(version) } };
}

function findDiscovery(message: JSONRPCMessage): (Claim & { id: RequestId }) | undefined {
  if (!("method" in message && "id" in message) || message.method !== "server/discover") return undefined;
  const claim = findClaim(message);
  return claim && { ...claim, id: message.id };
}

function toDiscovered({ serverInfo, capabilities, instructions }: Introduction): Record<string, unknown> {
  return {
    supportedVersions: [statelessRevision],
    capabilities,
    instructions,
    // The next server of this client may have other tools.
    ttlMs: 0,
    cacheScope: "private",
    resultType: "complete",
    _meta: { [`${inMeta}/serverInfo`]: serverInfo },
  };
}

function welcome(asked: string, { serverInfo, capabilities, instructions }: Introduction): InitializeResult {
  const [newest = asked] = protocolVersions;
  const protocolVersion = protocolVersions.includes(asked) ? asked : newest;
  return { protocolVersion, capabilities, serverInfo, instructions };
}
