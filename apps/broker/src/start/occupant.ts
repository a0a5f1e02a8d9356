import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const answerMsMax = 1000;

/**
 * Describes the program that is listening at an address on this machine, in words that can follow "in use by".
 * Returns null if there is no such program.
 */
export async function describeOccupant(host: string, port: number): Promise<string | null> {
  if (!(await isListening(host, port))) return null;
  const response = await askHealth(host, port);
  if (response === null) return "another program";
  if (isMerkle(response.body)) return `another Merkle broker (version ${response.body.version})`;
  // The `Server` header comes from another program, so it is shown only if it has no control characters,
  // which would reach the terminal.
  const [name] = /^[\w./ -]{1,40}$/.exec(response.server ?? "") ?? [];
  return name === undefined ? "another HTTP server" : `another HTTP server (${name})`;
}

/**
 * Returns whether a program is listening at a port. A program that is too slow to accept a connection counts
 * as listening.
 */
function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerMsMax });
    const end = (isOccupied: boolean) => {
      socket.destroy();
      resolve(isOccupied);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(true));
    socket.once("error", () => end(false));
  });
}

interface HealthAnswer {
  readonly server: string | undefined;
  readonly body: unknown;
}

/**
 * Requests `/health`. Returns null if the program does not speak HTTP. Uses a separate agent to bypass any
 * configured proxy.
 */
async function askHealth(host: string, port: number): Promise<HealthAnswer | null> {
  const tooLate = new AbortController();
  const agent = new Agent();
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get({ host, port, path: "/health", agent, signal: tooLate.signal }, resolve).once("error", reject);
  }).then(async (response) => ({
    server: response.headers["server"]?.toString(),
    body: parse(await readStart(response)),
  }));
  try {
    return await Promise.race([answer, delay(answerMsMax, null, { signal: tooLate.signal })]);
  } catch {
    // The program closed the connection or answered with another protocol.
    return null;
  } finally {
    tooLate.abort();
    answer.catch(() => undefined);
    agent.destroy();
  }
}

const healthCharsMax = 10_000;

async function readStart(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length > healthCharsMax) break;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The body is not JSON, for example because it is an HTML page or empty.
    return undefined;
  }
}

function isMerkle(body: unknown): body is { version: string } {
  const { version, build, durable } = Object(body);
  return /^[\w.-]{1,40}$/.test(version) && build !== undefined && typeof durable === "boolean";
}
