import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type {
  Implementation,
  InitializeResult,
  JSONRPCMessage,
  RequestId,
  ServerCapabilities,
} from "@modelcontextprotocol/sdk/types.js";
import type { ClientInfo } from "./self-description.js";

/** The server's description of itself, sent in reply to `initialize` or `server/discover`. */
export interface ServerIntroduction {
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
}

/** A client that has sent its first message. */
export interface GreetedClient {
  /**
   * The client's name and version, if the client sends them with each request as the sessionless revision
   * requires (MCP-16). Undefined for a client that begins with a handshake.
   */
  readonly client: ClientInfo | undefined;
}

interface GreetingTransport extends Transport {
  /**
   * Starts reading. Resolves once a message has revealed the client's protocol revision, and any handshake
   * has been answered.
   *
   * Some clients first ask which revisions the server supports. The transport answers that question and keeps
   * waiting, because the question does not reveal the client's choice.
   */
  awaitFirstMessage(): Promise<GreetedClient>;
}

/**
 * The protocol revisions that the SDK supports, newest first. The newest is returned to a client that
 * requests an unknown revision (MCP-8).
 */
const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/** Returns the introduction for a client that uses the sessionless protocol revision. */
export type IntroduceStateless = (client: ClientInfo) => Promise<ServerIntroduction>;

/**
 * Answers `initialize` and `server/discover` before the SDK is loaded, because loading the SDK takes longer
 * than the rest of the startup (PACK-4). Once the SDK's server is connected, it receives all earlier messages
 * including `initialize`, so the SDK's server also knows the client. Its own reply to `initialize`, which is
 * identical, is dropped.
 *
 * @param introduceStateless - undefined if the client must use a revision with sessions
 */
export function greetFirst(
  transport: Transport,
  introduction: ServerIntroduction,
  introduceStateless?: IntroduceStateless,
): GreetingTransport {
  const early: JSONRPCMessage[] = [];
  let greetedId: RequestId | undefined;

  async function greet(message: JSONRPCMessage): Promise<void> {
    const handshake = findHandshake(message);
    if (handshake === undefined) return;
    greetedId = handshake.id;
    const result = toInitializeResult(handshake.protocolVersion, introduction);
    await transport.send({ result, jsonrpc: "2.0", id: greetedId });
  }

  /**
   * Answers a question about the supported revisions. Returns false if the message is not such a question.
   */
  async function answerDiscovery(message: JSONRPCMessage): Promise<boolean> {
    const discovery = introduceStateless && findDiscovery(message);
    if (!discovery) return false;
    const { id, requested } = discovery;
    if (requested === statelessRevision) {
      const result = toDiscoveryResult(await introduceStateless(discovery.client));
      await transport.send({ jsonrpc: "2.0", id, result });
    } else {
      const data = { supported: [statelessRevision], requested };
      const error = { code: -32022, message: `Unsupported protocol version: ${requested}`, data };
      await transport.send({ jsonrpc: "2.0", id, error });
    }
    return true;
  }

  async function greetClient(message: JSONRPCMessage): Promise<GreetedClient | undefined> {
    if (await answerDiscovery(message)) return undefined;
    early.push(message);
    const claim = introduceStateless && findRevisionClaim(message);
    if (!claim) await greet(message);
    return { client: claim?.client };
  }

  const greetingTransport: GreetingTransport = {
    awaitFirstMessage() {
      transport.onclose = () => greetingTransport.onclose?.();
      return new Promise((resolve, reject) => {
        // Messages are handled in sequence, so none overtakes a discovery that is still being answered.
        let handled: Promise<GreetedClient | undefined> = Promise.resolve(undefined);
        transport.onmessage = (message) => {
          handled = handled.then((known) => {
            if (known === undefined) return greetClient(message);
            early.push(message);
            return known;
          });
          handled.then((known) => known && resolve(known), reject);
        };
        transport.start().catch(reject);
      });
    },
    async start() {
      transport.onmessage = (message) => greetingTransport.onmessage?.(message);
      for (const message of early.splice(0)) greetingTransport.onmessage?.(message);
    },
    async send(message, options) {
      if (greetedId === undefined || "method" in message || message.id !== greetedId)
        return transport.send(message, options);
      greetedId = undefined;
    },
    close: () => transport.close(),
  };
  return greetingTransport;
}

/**
 * Returns the parts of an `initialize` request if it is well-formed. The SDK's server answers malformed
 * requests and all other messages.
 */
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

/** The protocol revision and the client named in a request of the sessionless revision. */
interface RevisionClaim {
  readonly requested: string;
  readonly client: ClientInfo;
}

/**
 * Returns the revision and client that a message names, or undefined if it names none. Malformed values are
 * left for the SDK to reject.
 */
function findRevisionClaim(message: JSONRPCMessage): RevisionClaim | undefined {
  if (!("method" in message)) return undefined;
  const { [`${inMeta}/protocolVersion`]: requested, [`${inMeta}/clientInfo`]: client } = Object(
    message.params?._meta,
  );
  if (typeof requested !== "string") return undefined;
  const { name, version } = Object(client);
  return { requested, client: { name: String(name), version: String(version) } };
}

function findDiscovery(message: JSONRPCMessage): (RevisionClaim & { id: RequestId }) | undefined {
  if (!("method" in message && "id" in message) || message.method !== "server/discover") return undefined;
  const claim = findRevisionClaim(message);
  return claim && { ...claim, id: message.id };
}

function toDiscoveryResult({
  serverInfo,
  capabilities,
  instructions,
}: ServerIntroduction): Record<string, unknown> {
  return {
    supportedVersions: [statelessRevision],
    capabilities,
    instructions,
    // The client must not cache this result, because the next server that it starts may offer other tools.
    ttlMs: 0,
    cacheScope: "private",
    resultType: "complete",
    _meta: { [`${inMeta}/serverInfo`]: serverInfo },
  };
}

function toInitializeResult(
  requestedVersion: string,
  { serverInfo, capabilities, instructions }: ServerIntroduction,
): InitializeResult {
  const [newest = requestedVersion] = protocolVersions;
  const protocolVersion = protocolVersions.includes(requestedVersion) ? requestedVersion : newest;
  return { protocolVersion, capabilities, serverInfo, instructions };
}
