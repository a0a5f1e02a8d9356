import { MerkleError } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import postgres from "postgres";
import { WebSocket } from "ws";
import { type HttpClient, openHttpClient } from "../kit/http-client.js";
import { createTestSession } from "../kit/session.js";
import type { TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { buildToolCall, initialize } from "../mcp/rpc.js";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.js";
import { createRandom, type Random } from "./random.js";

export interface CutReport {
  readonly seed: number;
  readonly cuts: number;
  /** Number of times that each reader's connection was cut. */
  readonly cutsOf: Readonly<Record<string, number>>;
  readonly posts: number;
  readonly again: number;
  /**
   * The smallest number, across all readers, of messages that the broker counted as delivered at the end. 0 means
   * that nothing was checked.
   */
  readonly deliveredMin: number;
  readonly problems: readonly string[];
}

interface Page {
  readonly messages: readonly { readonly sequence: number }[];
  readonly next_cursor: number;
  readonly again?: number | undefined;
  readonly receipt?: string | undefined;
}

/** One reader's session, credential and position. Each kind of reader sends only the fields that it relies on. */
interface ReaderState {
  readonly session: string;
  readonly credential: string;
  cursor: number;
  receipt: string;
}

type Read = (place: ReaderState, url: string) => Promise<Page>;

interface Kind {
  readonly open: () => { read: Read; close(): void };
  /**
   * True if no message may be lost, regardless of the number of cuts. A reader that sends neither cursor nor receipt is
   * sent an unacknowledged message only one more time.
   */
  readonly isExact: boolean;
}

const path = ({ session }: ReaderState, read: "wait" | "check", query: string) =>
  `/api/sessions/${session}/messages/${read}?${query}`;
const byCursor = ({ cursor }: ReaderState) => `timeout=1&since_cursor=${cursor}`;
const byReceipt = ({ receipt }: ReaderState) => `receipt=${receipt}`;
const byNothing = () => "timeout=1";

const kinds: Readonly<Record<string, Kind>> = {
  restCursor: { isExact: true, open: () => overHttp((place) => rest(path(place, "wait", byCursor(place)))) },
  restReceipt: {
    isExact: true,
    open: () => overHttp((place) => rest(path(place, "check", byReceipt(place)))),
  },
  restWait: { isExact: false, open: () => overHttp((place) => rest(path(place, "wait", byNothing()))) },
  streamCursor: {
    isExact: true,
    open: () => overHttp((place) => stream(path(place, "wait", byCursor(place)))),
  },
  streamWait: { isExact: false, open: () => overHttp((place) => stream(path(place, "wait", byNothing()))) },
  mcpCursor: {
    isExact: true,
    open: () => overHttp(({ cursor }) => tool("wait_for_messages", { timeout: 1, since_cursor: cursor })),
  },
  mcpReceipt: { isExact: true, open: () => overHttp(({ receipt }) => tool("check_messages", { receipt })) },
  mcpCheck: { isExact: false, open: () => overHttp(() => tool("check_messages", {})) },
  mcpWait: { isExact: false, open: () => overHttp(() => tool("wait_for_messages", { timeout: 1 })) },
  mcpStreamWait: {
    isExact: false,
    open: () => overHttp(() => streamed(tool("wait_for_messages", { timeout: 1 }))),
  },
  socketCursor: { isExact: true, open: () => overSocket(({ cursor }) => ({ since_cursor: cursor })) },
  socketWait: { isExact: false, open: () => overSocket(() => ({})) },
};

/** An HTTP request of one kind of reader, and the parser of its response. */
interface Exchange {
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly input?: { readonly name: string; readonly arguments: object };
  parse(text: string): Page;
}

function rest(target: string): Exchange {
  return { target, parse: (text) => JSON.parse(text) };
}

function stream(target: string): Exchange {
  const parse = (text: string) => JSON.parse(/^event: messages\ndata: (.*)\n/m.exec(text)?.[1] ?? "");
  return { target, headers: { accept: "text/event-stream" }, parse };
}

function tool(name: string, input: object): Exchange {
  const parse = (text: string) => JSON.parse(JSON.parse(text).result.content[0].text);
  return { target: "/mcp", input: { name, arguments: input }, parse };
}

/** Converts a tool call to a call within an MCP session, which replies with a server-sent event. */
function streamed(call: Exchange): Exchange {
  const parse = (text: string) => call.parse(/^data: (.*"result".*)\n/m.exec(text)?.[1] ?? "");
  return { ...call, headers: { accept: "application/json, text/event-stream" }, parse };
}

/** Makes calls over a connection that is reused while open, as agents' clients do. */
function overHttp(ask: (place: ReaderState) => Exchange): ReturnType<Kind["open"]> {
  const client: HttpClient = openHttpClient();
  let mcpSession: string | undefined;
  let lastId = 0;
  return {
    close: client.close,
    async read(place, url) {
      const { target, headers, input, parse } = ask(place);
      if (input && headers) mcpSession ??= await initialize(url + target);
      lastId += 1;
      const args = input && { ...input.arguments, session_id: place.session };
      const { status, text } = await client.send(url + target, {
        headers: {
          "x-team-id": place.credential,
          ...headers,
          ...(mcpSession !== undefined && { "mcp-session-id": mcpSession }),
          ...(input && { "content-type": "application/json" }),
        },
        ...(input && { method: "POST", body: JSON.stringify(buildToolCall(input.name, args, lastId)) }),
      });
      // The test kit's client retries a request whose connection broke before the response, possibly before the broker
      // has noticed the disconnect.
      if (status === 400 && text.includes("is still being answered")) throw new Error(text);
      // On a busy machine the database can time out, and the broker then asks the client to retry.
      if (/code\W+unavailable\b/.test(text)) throw new MerkleError("unavailable", text);
      if (status !== 200) throw new Refused(text);
      return parse(text);
    },
  };
}

/** A response that cannot be explained by a cut connection. */
class Refused extends Error {}

function overSocket(name: (place: ReaderState) => { since_cursor?: number }): ReturnType<Kind["open"]> {
  let transport: Promise<TransportClient> | null = null;
  return {
    close: () => void transport?.then((open) => open.close()).catch(() => undefined),
    async read(place, url) {
      transport ??= transports.websocket(url);
      try {
        const { session, credential } = place;
        const input = { session_id: session, team_id: credential, timeout: 1, ...name(place) };
        return await (await transport).call("wait_for_messages", input);
      } catch (error) {
        transport = null;
        throw error;
      }
    },
  };
}

interface Receiver {
  readonly name: string;
  readonly proxy: CuttingProxy;
  readonly received: Set<number>;
  /** The reader's team id. */
  readonly team: string;
}

interface Reader extends Receiver {
  readonly again: () => number;
  /** Returns the highest sequence up to which the reader has received every message. */
  readonly seen: () => number;
  done(): Promise<void>;
}

/**
 * Runs readers of every kind through proxies that cut replies at any byte. Stops when enough connections have been
 * cut, both in total and for each reader, and lets each reader finish. Compares each reader's messages with the feed,
 * and checks throughout that the reader received every message that the broker counts as delivered.
 */
export async function runCutReaders(
  broker: TestBroker,
  options: { cuts: number; seed: number },
): Promise<CutReport> {
  const random = createRandom(options.seed);
  const transport = await transports.rest(broker.url);
  const session = await createTestSession(transport);
  const sql = postgres(broker.databaseUrl, { max: 1, onnotice: () => undefined });
  const problems: string[] = [];
  const ending = { at: Number.POSITIVE_INFINITY };
  const readers: Reader[] = [];
  for (const [name, kind] of Object.entries(kinds)) {
    const { credential, cursor } = await session.join(name);
    const place = { session: session.sessionId, credential, cursor, receipt: "none" };
    readers.push(await startReader({ name, kind, place, url: broker.url, random, ending, problems }));
  }
  const inbox = await startInboxReader({ session, url: broker.url, random });
  const all: readonly Receiver[] = [...readers, inbox];
  const countCuts = () => all.reduce((sum, { proxy }) => sum + proxy.cuts, 0);
  // A reader without a cursor or receipt gets at least one uncut reply after each cut. A minimum for each reader
  // ensures that these readers' connections are cut often enough, too.
  const hasEnough = () =>
    countCuts() >= options.cuts && all.every(({ proxy }) => proxy.cuts >= options.cuts / 40);

  /**
   * Reports messages that count as delivered but were not received. Returns the smallest number of messages that count
   * as delivered to any reader.
   */
  async function checkDelivered(): Promise<number> {
    const acked = new Map(
      (await sql`SELECT team_id, acked FROM peers WHERE session_id = ${session.sessionId}`).map((row) => [
        row["team_id"],
        Number(row["acked"]),
      ]),
    );
    const delivered = all.map(({ name, team, received }) => {
      const counted = [...posted].filter((sequence) => sequence <= (acked.get(team) ?? 0));
      const unread = counted.filter((sequence) => !received.has(sequence));
      if (unread.length > 0) problems.push(`${name} counts as having ${unread.join()}, and has not read it`);
      return counted.length;
    });
    return Math.min(...delivered);
  }

  const posted = new Set<number>();
  let last = 0;
  while (!hasEnough() && problems.length === 0) {
    last = (await session.post(session.convener, "x".repeat(random.between(1, 400)))).cursor;
    posted.add(last);
    await checkDelivered();
  }
  ending.at = last;
  await Promise.all([...readers.map((reader) => reader.done()), inbox.done(last)]);
  const deliveredMin = await checkDelivered();
  for (const { name, received } of all) {
    const missed = [...posted].filter((sequence) => !received.has(sequence));
    if (missed.length > 0) problems.push(`${name} missed ${missed.join()}`);
  }
  const again = readers.reduce((sum, reader) => sum + reader.again(), 0);
  const report = {
    seed: options.seed,
    cuts: countCuts(),
    cutsOf: Object.fromEntries(all.map(({ name, proxy }) => [name, proxy.cuts])),
    posts: posted.size,
    again,
    deliveredMin,
    problems,
  };
  await Promise.all(all.map(({ proxy }) => proxy.stop()));
  await sql.end();
  await transport.close();
  return report;
}

interface Start {
  readonly name: string;
  readonly kind: Kind;
  readonly place: ReaderState;
  readonly url: string;
  readonly random: Random;
  readonly ending: { readonly at: number };
  readonly problems: string[];
}

async function startReader({ name, kind, place, url, random, ending, problems }: Start): Promise<Reader> {
  const proxy = await startCuttingProxy(url);
  const line = kind.open();
  const received = new Set<number>();
  let again = 0;
  let seen = 0;
  let wasCut = false;

  async function readOnce(): Promise<void> {
    // After a cut, a reader without a cursor or receipt is sent each message only one more time, so the next reply
    // must not be cut.
    const spared = ending.at < Number.POSITIVE_INFINITY || (wasCut && !kind.isExact);
    proxy.cutAfter(spared || random.next() < 0.4 ? null : random.between(0, 1_500));
    const before = proxy.cuts;
    try {
      const page = await line.read(place, proxy.url);
      const known = page.messages.filter(({ sequence }) => received.has(sequence));
      if (!kind.isExact && known.some(({ sequence }) => sequence > (page.again ?? 0)))
        problems.push(`${name} was brought ${known.map(({ sequence }) => sequence).join()} twice, unmarked`);
      if (page.again !== undefined) again += 1;
      for (const { sequence } of page.messages) received.add(sequence);
      seen = Math.max(seen, page.messages.at(-1)?.sequence ?? 0);
      place.cursor = page.next_cursor;
      place.receipt = page.receipt ?? place.receipt;
      wasCut = false;
    } catch (error) {
      const mayFail = proxy.cuts > before || Object(error).code === "unavailable";
      if (error instanceof Refused || !mayFail) problems.push(`${name} failed: ${String(error)}`);
      wasCut = true;
    }
  }

  const running = (async () => {
    while (seen < ending.at && problems.length === 0) await readOnce();
    line.close();
  })();
  return {
    name,
    proxy,
    received,
    team: teamOf(place.credential),
    again: () => again,
    seen: () => seen,
    done: () => running,
  };
}

/** Returns the team id that a credential contains. */
function teamOf(credential: string): string {
  return credential.split(".")[0] ?? "";
}

/** Reads and acknowledges the messages in an inbox, with a client that reconnects automatically. */
async function startInboxReader({
  session,
  url,
  random,
}: {
  session: Awaited<ReturnType<typeof createTestSession>>;
  url: string;
  random: Random;
}) {
  const proxy = await startCuttingProxy(url);
  const { credential } = await session.join("inbox");
  const received = new Set<number>();
  const client = connect({ url: proxy.url, WebSocket, retry: { capMs: 50 } });
  let reached = (_: number) => {};
  client.inbox({
    session: session.sessionId,
    teamId: credential,
    onMessage({ sequence }) {
      received.add(sequence);
      reached(sequence);
      if (random.next() < 0.2) proxy.cutAfter(random.between(0, 1_500));
      const ack = { session_id: session.sessionId, team_id: credential, cursor: sequence };
      client.call("ack", ack, { timeoutMs: Number.POSITIVE_INFINITY }).catch(() => undefined);
    },
  });
  return {
    name: "inbox",
    proxy,
    received,
    team: teamOf(credential),
    async done(last: number) {
      if (!received.has(last)) {
        await new Promise<void>((resolve) => {
          reached = (sequence) => sequence >= last && resolve();
        });
      }
      await client.close();
    },
  };
}
