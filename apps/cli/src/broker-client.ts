import { randomUUID } from "node:crypto";
import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { isReadOnly, MerkleError, routeOf } from "@merkle/wire/plain";
import { CliError, exitCodes } from "./cli-error.js";
import type { BrokerAddress, Config } from "./config.js";
import { type HttpAnswer, type HttpRequest, requestHttp } from "./http-request.js";
import { findRunningBroker } from "./run-file.js";

/** A broker as commands see it: its operations, and what it says about itself. */
export interface BrokerClient {
  readonly base: string;
  /** @throws MerkleError with the broker's refusal; CliError `unreachable` */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
  /** The same broker, called with this credential of a team or a person. */
  as(credential: string): BrokerClient;
  /** Any page of the broker, whatever its status. */
  get(path: string): Promise<HttpAnswer>;
}

const answerWithinMs = 10_000;

/**
 * The broker that the configuration names. When nothing names one, it is the one that runs on this home, whatever its
 * port, so that `merkle up --port 7500` and then `merkle status` just work.
 */
export async function findBroker(config: Config, signal: AbortSignal): Promise<BrokerClient> {
  const { broker, home } = config;
  const running = broker.source === "default" ? await findRunningBroker(home) : undefined;
  return createBrokerClient(running ? { ...broker, base: running.url } : broker, signal);
}

/** Calls a broker over REST. */
export function createBrokerClient(
  address: BrokerAddress,
  signal: AbortSignal,
  credential?: string,
): BrokerClient {
  const proof = credential === undefined ? {} : { "x-team-id": credential };

  async function request(path: string, init: Omit<HttpRequest, "signal"> = {}): Promise<HttpAnswer> {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
      return await requestHttp(`${address.base}${path}`, { ...init, signal: within });
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(address, error);
    }
  }

  return {
    base: address.base,
    as: (other) => createBrokerClient(address, signal, other),
    get: (path) => request(path),
    async call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>> {
      const { path, init } = toRequest(name, { ...input });
      const response = await request(path, { ...init, headers: { ...init.headers, ...proof } });
      const body = response.json();
      if (!response.ok) throw MerkleError.fromBody(body);
      // The broker answers an operation with its output and nothing else (CAT-1).
      return body as OutputOf<Name>;
    },
  };
}

function toRequest(
  name: OperationName,
  input: Record<string, unknown>,
): { path: string; init: Omit<HttpRequest, "signal"> } {
  const { method, path: template } = routeOf(name);
  const path = template.replace(":session_id", () => encodeURIComponent(String(input["session_id"])));
  const fields = Object.entries(input).filter(
    ([key, value]) => value !== undefined && !(key === "session_id" && template.includes(":session_id")),
  );
  if (method === "GET") {
    const query = new URLSearchParams(fields.map(([key, value]): [string, string] => [key, String(value)]));
    return { path: query.size > 0 ? `${path}?${query}` : path, init: { method } };
  }
  const body = {
    ...(isReadOnly(name) ? {} : { idempotency_key: randomUUID() }),
    ...Object.fromEntries(fields),
  };
  return {
    path,
    init: { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
  };
}

function unreachable({ base, source }: BrokerAddress, cause: unknown): CliError {
  const old = source === "default" ? "MERKLE_URL is not set to where it runs" : `${source} is old`;
  return new CliError(
    "unreachable",
    `can't reach ${base} (${reasonOf(cause)}). Not running here, or ${old}.`,
    {
      exitCode: exitCodes.unreachable,
      next: ["merkle up", "merkle doctor"],
      cause,
    },
  );
}

/** What kept a request from being answered, in a word or two. */
export function reasonOf(error: unknown): string {
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
    default:
      return code || (cause instanceof Error ? cause.message : String(cause));
  }
}
