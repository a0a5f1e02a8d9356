import { connect } from "@merkle/wire/client";
import postgres from "postgres";
import { WebSocket } from "ws";
import { type Door, doors } from "../kit/doors.js";
import { type HttpClient, openHttpClient } from "../kit/http-client.js";
import { createTestSession } from "../kit/session.js";
import type { TestBroker } from "../kit/test-broker.js";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.js";
import { createRandom, type Random } from "./random.js";

export interface CutReport {
  readonly seed: number;
  readonly cuts: number;
  readonly posts: number;
  readonly again: number;
  readonly problems: readonly string[];
}

interface Page {
  readonly messages: readonly { readonly sequence: number }[];
  readonly next_cursor: number;
  readonly again?: number | undefined;
  readonly receipt?: string | undefined;
}

/** What a reader knows of its reading; what it names of it is all that it may rely on. */
interface Place {
  readonly session: string;
  readonly credential: string;
  cursor: number;
  receipt: string;
}

type Read = (place: Place, url: string) => Promise<Page>;

interface Kind {
  readonly open: () => { read: Read; close(): void };
  /** Whether nothing may be missed, however often it is cut; what names nothing is offered once more, and then no more. */
  readonly exact: boolean;
}

const path = ({ session }: Place, read: "wait" | "check", query: string) =>
  `/api/sessions/${session}/messages/${read}?${query}`;
const byCursor = ({ cursor }: Place) => `timeout=1&since_cursor=${cursor}`;
const byReceipt = ({ receipt }: Place) => `receipt=${receipt}`;
const byNothing = () => "timeout=1";

const kinds: Readonly<Record<string, Kind>> = {
  restCursor: { exact: true, open: () => overHttp((place) => rest(path(place, "wait", byCursor(place)))) },
  restReceipt: { exact: true, open: () => overHttp((place) => rest(path(place, "check", byReceipt(place)))) },
  restWait: { exact: false, open: () => overHttp((place) => rest(path(place, "wait", byNothing()))) },
  streamCursor: {
    exact: true,
    open: () => overHttp((place) => stream(path(place, "wait", byCursor(place)))),
  },
  streamWait: { exact: false, open: () => overHttp((place) => stream(path(place, "wait", byNothing()))) },
  mcpCursor: {
    exact: true,
    open: () => overHttp(({ cursor }) => tool("wait_for_messages", { timeout: 1, since_cursor: cursor })),
  },
  mcpReceipt: { exact: true, open: () => overHttp(({ receipt }) => tool("check_messages", { receipt })) },
  mcpCheck: { exact: false, open: () => overHttp(() => tool("check_messages", {})) },
  socketWait: { exact: false, open: overSocket },
};

/** How a kind asks over HTTP, and how it reads the answer. */
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

/** Keeps a connection while it holds, as agents' clients do. */
function overHttp(ask: (place: Place) => Exchange): ReturnType<Kind["open"]> {
  const client: HttpClient = openHttpClient();
  return {
    close: client.close,
    async read(place, url) {
      const { target, headers, input, parse } = ask(place);
      const call = input && {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { ...input, arguments: { ...input.arguments, session_id: place.session } },
      };
      const { status, text } = await client.send(url + target, {
        headers: {
          "x-team-id": place.credential,
          ...headers,
          ...(call && { "content-type": "application/json" }),
        },
        ...(call && { method: "POST", body: JSON.stringify(call) }),
      });
      if (status !== 200) throw new Refused(text);
      return parse(text);
    },
  };
}

/** An answer that no cut excuses. */
class Refused extends Error {}

function overSocket(): ReturnType<Kind["open"]> {
  let door: Promise<Door> | null = null;
  return {
    close: () => void door?.then((open) => open.close()).catch(() => undefined),
    async read({ session, credential }, url) {
      door ??= doors.websocket(url);
      try {
        const input = { session_id: session, team_id: credential, timeout: 1 };
        return await (await door).call("wait_for_messages", input);
      } catch (error) {
        door = null;
        throw error;
      }
    },
  };
}

interface Reader {
  readonly name: string;
  readonly proxy: CuttingProxy;
  readonly received: Set<number>;
  readonly again: () => number;
  /** Up to where it has everything. */
  readonly seen: () => number;
  done(): Promise<void>;
}

/**
 * Lets readers of every kind read a feed through proxies that cut their replies at any byte, until so many cuts were made;
 * then each reads to the end. Compares what each received with the feed, and, all the while, what counts as delivered to it
 * with what it had.
 */
export async function runCutReaders(
  broker: TestBroker,
  options: { cuts: number; seed: number },
): Promise<CutReport> {
  const random = createRandom(options.seed);
  const door = await doors.rest(broker.url);
  const session = await createTestSession(door);
  const sql = postgres(broker.databaseUrl, { max: 1, onnotice: () => undefined });
  const problems: string[] = [];
  const ending = { at: Number.POSITIVE_INFINITY };
  const readers: (Reader & { readonly peer: string })[] = [];
  for (const [name, kind] of Object.entries(kinds)) {
    const { credential, cursor } = await session.join(name);
    const place = { session: session.sessionId, credential, cursor, receipt: "none" };
    const reader = await startReader({ name, kind, place, url: broker.url, random, ending, problems });
    readers.push({ ...reader, peer: credential.split(".")[0] ?? "" });
  }
  const inbox = await startInboxReader({ session, url: broker.url, random });
  const countCuts = () => [...readers, inbox].reduce((sum, { proxy }) => sum + proxy.cuts, 0);

  async function checkDelivered(): Promise<void> {
    const acked = new Map(
      (await sql`SELECT team_id, acked FROM peers WHERE session_id = ${session.sessionId}`).map((row) => [
        row["team_id"],
        Number(row["acked"]),
      ]),
    );
    for (const { name, peer, received } of readers) {
      const told = [...posted].filter((sequence) => sequence <= (acked.get(peer) ?? 0));
      const false_ = told.filter((sequence) => !received.has(sequence));
      if (false_.length > 0) problems.push(`${name} counts as having ${false_.join()}, and has not read it`);
    }
  }

  const posted = new Set<number>();
  let last = 0;
  while (countCuts() < options.cuts && problems.length === 0) {
    last = (await session.post(session.convener, "x".repeat(random.between(0, 400)))).cursor;
    posted.add(last);
    await checkDelivered();
  }
  ending.at = last;
  await Promise.all([...readers.map((reader) => reader.done()), inbox.done(last)]);
  await checkDelivered();
  for (const { name, received } of [...readers, inbox]) {
    const missed = [...posted].filter((sequence) => !received.has(sequence));
    if (missed.length > 0) problems.push(`${name} missed ${missed.join()}`);
  }
  const again = readers.reduce((sum, reader) => sum + reader.again(), 0);
  const report = { seed: options.seed, cuts: countCuts(), posts: posted.size, again, problems };
  await Promise.all([...readers, inbox].map(({ proxy }) => proxy.stop()));
  await sql.end();
  await door.close();
  return report;
}

interface Start {
  readonly name: string;
  readonly kind: Kind;
  readonly place: Place;
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
    // What names nothing is promised one more offer, so that one is let through.
    const spared = ending.at < Number.POSITIVE_INFINITY || (wasCut && !kind.exact);
    proxy.cutAfter(spared || random.next() < 0.4 ? null : random.between(0, 1_500));
    const before = proxy.cuts;
    try {
      const page = await line.read(place, proxy.url);
      const known = page.messages.filter(({ sequence }) => received.has(sequence));
      if (!kind.exact && known.some(({ sequence }) => sequence > (page.again ?? 0)))
        problems.push(`${name} was brought ${known.map(({ sequence }) => sequence).join()} twice, unmarked`);
      if (page.again !== undefined) again += 1;
      for (const { sequence } of page.messages) received.add(sequence);
      seen = Math.max(seen, page.messages.at(-1)?.sequence ?? 0);
      place.cursor = page.next_cursor;
      place.receipt = page.receipt ?? place.receipt;
      wasCut = false;
    } catch (error) {
      if (error instanceof Refused || proxy.cuts === before)
        problems.push(`${name} failed: ${String(error)}`);
      wasCut = true;
    }
  }

  const running = (async () => {
    while (seen < ending.at && problems.length === 0) await readOnce();
    line.close();
  })();
  return { name, proxy, received, again: () => again, seen: () => seen, done: () => running };
}

/** Takes its mail from an inbox and acknowledges it, over a client that comes back by itself. */
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
