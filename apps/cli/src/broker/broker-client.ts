import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import {
  buildNumber,
  createIdempotencyKey,
  fillPath,
  getOperationRoute,
  getOperationRules,
  type InputOf,
  MerkleError,
  type OperationName,
  type OutputOf,
  parseBuild,
} from "@merkle/wire";
import { newPersonHeader } from "@merkle/wire/identity";
import { adviseUpgrade } from "@merkle/wire/text";
import { CliError, exitCodes } from "../core/cli-error.js";
import { readVersion } from "../core/this-program.js";
import type { BrokerAddress, Config } from "../settings/config.js";
import { type Authorization, type AuthorizationHeaders, createAuthorization } from "./authorization.js";
import { describeOlderBroker } from "./broker-build.js";
import { findDemoBroker } from "./demo-broker.js";
import {
  type HttpRequest,
  type HttpResponse,
  isOk,
  openHttp,
  readResponse,
  requestHttp,
  type StreamedBody,
} from "./http-request.js";
import { prepareTls, type ReachableAddress, type TlsOptionsFactory, toReach } from "./reach.js";
import { findRunningBroker } from "./run-file.js";
import { getTrustedMeshId } from "./trust.js";

/**
 * A client for one broker: its address, its operations, and a check that this home's credentials may be sent
 * there (`getTrustedMeshId`).
 */
export interface BrokerClient {
  readonly base: string;
  /** The broker's address, for example for opening a WebSocket. */
  readonly address: ReachableAddress;
  /**
   * Returns the id of the broker's mesh if this home's credentials for that mesh may be sent to this address
   * (CLI-81).
   *
   * @throws MerkleError `unauthorized` if the credentials were issued at another address
   */
  getTrustedMeshId(): Promise<string>;
  /** Calls an operation. @throws MerkleError with the broker's refusal; CliError `unreachable` */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
  /** Returns a client that calls as this team or person. */
  as(credential: string): BrokerClient;
  /** Returns a client that calls as a new person. Its first write creates the person (PERSON-15). */
  asNewPerson(person: NewPerson): BrokerClient;
  /** Requests any path from the broker. Also returns responses with an error status. */
  get(path: string): Promise<HttpResponse>;
  /** Streams a file from the broker. @throws like `call` */
  download(path: string): Promise<IncomingMessage>;
  /** Sends a file and returns the broker's reply. @throws like `call` */
  upload(path: string, file: UploadedFile): Promise<unknown>;
}

interface UploadedFile extends StreamedBody {
  readonly contentType: string;
  /** Default: `POST`. */
  readonly method?: "POST" | "PUT";
}

/** A person who does not exist yet. The first write creates them. */
export interface NewPerson {
  readonly credential: string;
  readonly name: string;
  /** The code in a verification link, if the person has one. */
  readonly code?: string | undefined;
}

const answerWithinMs = 10_000;
/** How long a command keeps retrying a rate-limited call before it fails. */
const rateLimitRetryMs = 10_000;

/**
 * Returns a client for the configured broker. If none is configured, uses the broker that runs on this home,
 * on any port. For example, `merkle status` works after `merkle up --port 7500`.
 */
export async function findBroker(config: Config, signal: AbortSignal): Promise<BrokerClient> {
  const { broker, home } = config;
  const running = broker.source === "default" ? await findRunningBroker(home) : undefined;
  const client = createBrokerClient(
    { ...broker, ...(running && { base: running.url }), reach: toReach(config) },
    signal,
  );
  // Nearly every command needs the mesh's id before it may send a credential. Asking for it now saves those
  // commands a round trip.
  client.getTrustedMeshId().catch(() => undefined);
  return client;
}

/** Creates a REST client for a broker. Signs in with this home's membership if the broker requires it. */
export function createBrokerClient(
  address: ReachableAddress,
  signal: AbortSignal,
  proof: Readonly<Record<string, string>> = {},
  known?: Authorization,
): BrokerClient {
  const requests = openRequests({
    address,
    signal,
    onOtherBuild: address.reach?.onOtherBuild,
    findTlsOptions: () => prepareTls(address.base, address.reach),
    authorize: (request) =>
      known ?? createAuthorization(address, (path, headers) => request(path, { headers }), signal),
    answerWithinMs,
    rateLimitRetryMs,
  });
  const { authorization } = requests;
  const call: BrokerClient["call"] = (name, input) => requests.call(name, { ...input }, proof);
  let meshId: Promise<string> | undefined;

  return {
    base: address.base,
    address,
    async getTrustedMeshId() {
      meshId ??= getTrustedMeshId({ call }, { ...address, home: requireHome(address) });
      return meshId;
    },
    async download(path) {
      const response = await requests.exchange(path, { headers: proof });
      if (!isOk(response)) throw toRefusal(await readResponse(response));
      return response;
    },
    async upload(path, { contentType, method = "POST", ...body }) {
      const headers = { "content-type": contentType, ...proof };
      const answer = await readResponse(await requests.exchange(path, { method, headers, body }));
      if (!answer.ok) throw toRefusal(answer);
      return answer.json();
    },
    as: (credential) =>
      createBrokerClient(address, signal, { [credentialHeader]: credential }, authorization),
    asNewPerson({ credential, name, code }) {
      const fields = new URLSearchParams({ name, ...(code === undefined ? {} : { code }) });
      const headers = { [credentialHeader]: credential, [newPersonHeader]: fields.toString() };
      return createBrokerClient(address, signal, headers, authorization);
    },
    get: async (path) => requests.request(path, { headers: await authorization.buildHeaders() }),
    call,
  };
}

/**
 * Returns the home whose credentials are used at the address. Only tests create a client without a home, and
 * such a client has no credentials.
 */
function requireHome({ base, reach }: ReachableAddress): string {
  if (reach) return reach.home;
  throw new Error(`The client for ${base} was made without a Merkle home.`);
}

const credentialHeader = "x-team-id";

type Init = Omit<HttpRequest, "signal">;

function addHeaders(init: Init, headers: AuthorizationHeaders): Init {
  return { ...init, headers: { ...init.headers, ...headers } };
}

/** The options for requests to one broker. */
interface RequestOptions {
  readonly address: BrokerAddress;
  readonly signal: AbortSignal;
  readonly onOtherBuild?: ((build: number) => void) | undefined;
  /**
   * Returns the certificates to trust. Called once per client. @throws CliError if the broker must not be
   * called
   */
  readonly findTlsOptions: () => Promise<TlsOptionsFactory | undefined>;
  /** Creates the headers that authenticate the caller. May send requests to the broker. */
  readonly authorize: (request: BrokerRequests["request"]) => Authorization;
  readonly answerWithinMs: number;
  /** How long a rate-limited call is retried before it fails. */
  readonly rateLimitRetryMs: number;
}

/** Sends requests to one broker. Signs in again after a refusal and retries rate-limited calls. */
interface BrokerRequests {
  readonly authorization: Authorization;
  /** Sends one request without authentication. @throws CliError `unreachable` */
  request(path: string, init?: Init): Promise<HttpResponse>;
  /** Sends or receives a file, without a timeout. */
  exchange(path: string, init: Init): Promise<IncomingMessage>;
  /** Calls an operation. @throws MerkleError with the broker's refusal; CliError `unreachable` */
  call<Name extends OperationName>(
    name: Name,
    input: Record<string, unknown>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<OutputOf<Name>>;
}

export function openRequests(options: RequestOptions): BrokerRequests {
  const { address, signal } = options;
  const { base } = address;
  let tlsOptions: Promise<TlsOptionsFactory | undefined> | undefined;
  const findTls = async () => {
    tlsOptions ??= options.findTlsOptions();
    return (await tlsOptions)?.();
  };

  async function request(path: string, init: Init = {}): Promise<HttpResponse> {
    const tls = await findTls();
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(options.answerWithinMs)]);
      return await requestHttp(`${base}${path}`, { ...init, tls, signal: within });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof CliError ? error : await unreachable(address, error);
    }
  }

  const authorization = options.authorize(request);
  return {
    authorization,
    request,
    async exchange(path, init) {
      const tls = await findTls();
      const send = (credentials: AuthorizationHeaders) =>
        openHttp(`${base}${path}`, { ...addHeaders(init, credentials), tls, signal });
      try {
        const credentials = await authorization.buildHeaders();
        const response = await send(credentials);
        if (response.statusCode !== 401 || !(await authorization.renew(credentials))) return response;
        response.destroy();
        return await send(await authorization.buildHeaders());
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof CliError || error instanceof MerkleError
          ? error
          : await unreachable(address, error);
      }
    },
    async call<Name extends OperationName>(name: Name, input: Record<string, unknown>, headers = {}) {
      const { path, init } = toRequest(name, input);
      const send = (credentials: AuthorizationHeaders) =>
        request(path, addHeaders(init, { ...headers, ...credentials }));
      let credentials = await authorization.buildHeaders();
      let response = await send(credentials);
      if (response.status === 401 && (await authorization.renew(credentials))) {
        credentials = await authorization.buildHeaders();
        // The retry uses the same idempotency key.
        response = await send(credentials);
      }
      const until = performance.now() + options.rateLimitRetryMs;
      for (
        let pause = pauseAfter(response);
        performance.now() + pause < until;
        pause = pauseAfter(response)
      ) {
        await delay(pause, undefined, { signal });
        response = await send(credentials);
      }
      if (!response.ok) throw toRefusal(response);
      const build = parseBuild(response.build);
      // Replies from a broker of the same build have exactly the operation's output type (CAT-1).
      if (build !== buildNumber) options.onOtherBuild?.(build);
      if (build >= buildNumber) return response.json() as OutputOf<Name>;
      const { completeReply } = await import("./complete-reply.js");
      return completeReply(name, response.json());
    },
  };
}

/**
 * Converts the broker's refusal to an error. If the broker is older, says so in the error, because that may
 * be the cause. If this command is older, the broker's message already says so (BUILD-4).
 */
function toRefusal(answer: HttpResponse): MerkleError {
  const error = MerkleError.fromBody(answer.json());
  const { version: brokers } = answer;
  const ours = readVersion();
  const isMisunderstood = ["bad_request", "not_found", "internal"].includes(error.code);
  if (!isMisunderstood || brokers === undefined) return error;
  const advise = (advice: string) => new MerkleError(error.code, `${error.message} ${advice}`, error.details);
  if (brokers !== ours) return advise(adviseUpgrade({ ours, brokers }));
  const build = parseBuild(answer.build);
  if (build >= buildNumber) return error;
  return advise(`${describeOlderBroker(build)} It may not support this request: upgrade it on its machine.`);
}

/**
 * Returns how many milliseconds to wait before retrying the request, or infinity if it should not be retried.
 */
function pauseAfter(response: HttpResponse): number {
  if (response.status !== 429) return Number.POSITIVE_INFINITY;
  const seconds = MerkleError.fromBody(response.json()).details["retry_after_s"];
  return typeof seconds === "number" ? 1_000 * seconds : Number.POSITIVE_INFINITY;
}

/** Converts a call to a REST request. Adds an idempotency key to writes without one. */
function toRequest(
  name: OperationName,
  input: Record<string, unknown>,
): { path: string; init: Omit<HttpRequest, "signal"> } {
  const { method, path: template } = getOperationRoute(name);
  const { path, rest } = fillPath(template, input);
  const fields = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (method === "GET") {
    const query = new URLSearchParams(fields.map(([key, value]): [string, string] => [key, String(value)]));
    return { path: query.size > 0 ? `${path}?${query}` : path, init: { method } };
  }
  const body = {
    ...(getOperationRules(name).readOnly ? {} : { idempotency_key: createIdempotencyKey(randomUUID()) }),
    ...Object.fromEntries(fields),
  };
  return {
    path,
    init: { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
  };
}

async function unreachable({ base, source, reach }: ReachableAddress, cause: unknown): Promise<CliError> {
  if (isAboutCertificate(cause)) return untrusted(base, cause);
  const addressProblem =
    source === "default" ? "MERKLE_URL has the wrong address" : `${source} is out of date`;
  const demo = source === "default" && reach ? await findDemoBroker(reach.home) : undefined;
  return new CliError(
    "unreachable",
    `can't reach ${base} (${describeConnectionError(cause)}). ${demo ? `Only the demo's broker runs here, at ${demo.url}.` : `The broker is not running, or ${addressProblem}.`}`,
    {
      exitCode: exitCodes.unreachable,
      next: [...(demo ? [`merkle ls --url ${demo.url} --mesh demo`] : []), "merkle up", "merkle doctor"],
      cause,
    },
  );
}

/** Describes an error caused by an untrusted certificate of `base`. Returns undefined for other errors. */
export function describeDistrust(base: string, error: unknown): string | undefined {
  return isAboutCertificate(error) ? untrusted(base, error).message : undefined;
}

function isAboutCertificate(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /CERT|SIGN|ALTNAME|ISSUER/.test(code);
}

function untrusted(base: string, cause: unknown): CliError {
  return new CliError("untrusted", `The certificate of ${base} ${describeCertificateProblem(cause)}`, {
    exitCode: exitCodes.unreachable,
    next: ["merkle doctor"],
    cause,
  });
}

function describeCertificateProblem(cause: unknown): string {
  const reason = describeConnectionError(cause);
  if (reason === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "is valid only for other names. Use one of these names as the address.";
  if (reason === "CERT_HAS_EXPIRED") return "has expired. Ask the person who runs the broker to renew it.";
  return `is not trusted here (${reason}). To trust it, pass the file of its certificate authority, or of the certificate itself, in --ca, MERKLE_CA or Node's NODE_EXTRA_CA_CERTS.`;
}

/** Briefly describes why a request got no reply. */
export function describeConnectionError(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `no answer within ${answerWithinMs / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  switch (code) {
    case "ECONNREFUSED":
      return "refused";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "no such host";
    case "ECONNRESET":
      return "cut off";
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return "the server does not use TLS; perhaps its address begins with http://";
    default:
      return code || (cause instanceof Error ? cause.message : String(cause));
  }
}
