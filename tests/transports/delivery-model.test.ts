import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { connect } from "@merkle/wire/client";
import * as fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { countRounds } from "../kit/exhaustive.js";
import { type HttpClient, openHttpClient } from "../kit/http-client.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
/** A restart is slow compared to other steps, so all runs together make only a few restarts. */
let restartsLeft = 3;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
});

type Author = "convener" | "olga" | "mia";
type Priority = "now" | "next" | "low";

interface Post {
  readonly by: Author;
  readonly to: readonly string[];
  readonly priority: Priority;
}

type Action =
  | { readonly do: "post"; readonly post: Post }
  | { readonly do: "event" }
  | { readonly do: "group"; readonly join: boolean }
  | { readonly do: "status"; readonly status: "dnd" | "idle" }
  | { readonly do: "wait" | "check" | "restart" | "reconnect" }
  /**
   * Disconnects after this fraction of the reply (at least one byte) has arrived, and processes the part that was read.
   */
  | { readonly do: "die"; readonly read: "wait" | "check"; readonly at: number }
  | { readonly do: "waitFrom" | "ack"; readonly back: number }
  | { readonly do: "park"; readonly posts: readonly Post[] }
  | { readonly do: "inbox"; readonly posts: readonly Post[]; readonly acked: number };

const post: fc.Arbitrary<Post> = fc.oneof(
  fc.record({
    by: fc.constantFrom<Author>("convener", "olga"),
    to: fc.constantFrom(
      ["*"],
      ["mia"],
      ["Mine/mia"],
      ["Mine"],
      ["@all"],
      ["mia", "@backend/db"],
      ["olga", "MIA"],
    ),
    priority: fc.constantFrom<Priority>("now", "next", "low"),
  }),
  fc.record({
    by: fc.constant<Author>("convener"),
    to: fc.constantFrom(["@backend"], ["@backend/db"], ["olga"], ["Other"], ["olga", "@backend"]),
    priority: fc.constantFrom<Priority>("now", "next", "low"),
  }),
  fc.record({
    by: fc.constant<Author>("mia"),
    to: fc.constantFrom(["*"], ["olga"]),
    priority: fc.constant<Priority>("next"),
  }),
);

const posts = fc.array(post, { maxLength: 3 });
const back = fc.nat({ max: 6 });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant("post" as const), post }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("event" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("group" as const), join: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("status" as const),
      status: fc.constantFrom("dnd" as const, "idle" as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("wait" as const, "check" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reconnect" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("die" as const),
      read: fc.constantFrom("wait" as const, "check" as const),
      at: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("waitFrom" as const, "ack" as const), back }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("park" as const), posts }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("inbox" as const), posts, acked: fc.nat({ max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

/**
 * Predicts what mia must receive according to the rules. The broker's cursors for mia may be higher than predicted if
 * none of mia's messages is in between.
 */
class Model {
  head: number;
  acked: number;
  offered: number;
  /**
   * The next three fields are the highest sequences in replies to calls without a cursor: returned at all, known to
   * have arrived, and returned again.
   */
  returned: number;
  arrived: number;
  repeated: number;
  /** Highest sequence returned over mia's current connection. */
  overLine = 0;
  inBackend = false;
  readonly mail: number[] = [];
  readonly delivered = new Set<number>();

  constructor(cursor: number) {
    this.head = cursor;
    this.acked = cursor;
    this.offered = cursor;
    this.returned = cursor;
    this.arrived = cursor;
    this.repeated = cursor;
  }

  isForMia({ by, to }: Post): boolean {
    if (by === "mia") return false;
    return to.some((entry) =>
      entry === "@backend"
        ? this.inBackend
        : ["*", "@all", "mia", "mine", "mine/mia"].includes(entry.toLowerCase()),
    );
  }

  append(sequence: number, forMia: boolean): void {
    this.head = sequence;
    if (forMia) this.mail.push(sequence);
  }

  mailAfter(cursor: number): number[] {
    return this.mail.filter((sequence) => sequence > cursor);
  }

  /** Counts mia's messages that a cursor would skip although they were never returned to her. */
  skippedBy(cursor: number): number {
    return this.mail.filter((sequence) => sequence > this.offered && sequence <= cursor).length;
  }

  /**
   * Acknowledges up to a cursor that mia sends. The cursor proves that she has read up to it, even if she disconnected
   * during the reply.
   */
  acknowledge(cursor: number): void {
    if (this.skippedBy(cursor) === 0) this.offered = Math.max(this.offered, cursor);
    const read = Math.min(cursor, this.offered);
    this.acked = Math.max(this.acked, read);
    for (const sequence of this.mail) if (sequence <= read) this.delivered.add(sequence);
  }

  handOut(sequences: readonly number[]): void {
    for (const sequence of sequences) this.delivered.add(sequence);
    this.offered = Math.max(this.offered, ...sequences);
  }
}

interface Page {
  readonly messages: readonly { readonly sequence: number }[];
  readonly next_cursor: number;
  readonly again?: number;
  readonly receipt?: string;
}

/** Runs one peer's steps and compares the broker's replies with the model. */
class Life {
  readonly model: Model;
  readonly #sessionId: string;
  readonly #credentials: Record<Author, string>;
  readonly #receipts: boolean;
  #line: HttpClient = openHttpClient();
  #receipt = "none";
  /** How often each message was returned, whether or not mia read it. */
  readonly #brought = new Map<number, number>();

  constructor(
    sessionId: string,
    credentials: Record<Author, string>,
    { cursor, receipts }: { cursor: number; receipts: boolean },
  ) {
    this.#sessionId = sessionId;
    this.#credentials = credentials;
    this.#receipts = receipts;
    this.model = new Model(cursor);
  }

  get #mine() {
    return { session_id: this.#sessionId, team_id: this.#credentials.mia };
  }

  async step(step: Action): Promise<void> {
    switch (step.do) {
      case "post":
        return void (await this.#post(step.post));
      case "event":
        return this.#event();
      case "group":
        return this.#group(step.join);
      case "status":
        return void (await transport.call("set_status", { ...this.#mine, status: step.status }));
      case "wait":
      case "check":
        return this.#read(step.do);
      case "reconnect":
        return this.#reconnect();
      case "die":
        return this.#die(step.read, step.at);
      case "waitFrom":
        return this.#waitFrom(Math.max(0, this.model.head - step.back));
      case "ack":
        return this.#ack(Math.max(0, this.model.head - step.back));
      case "park":
        return this.#park(step.posts);
      case "inbox":
        return this.#inbox(step.posts, step.acked);
      case "restart":
        if (restartsLeft === 0) return;
        restartsLeft -= 1;
        await broker.restart();
        // Only state that is in the database survives a restart.
        this.model.arrived = this.model.acked;
        this.model.repeated = this.model.acked;
        return this.#reconnect();
    }
  }

  /** Reads to the end. By then, mia must have received every message, except messages that were lost twice. */
  async finish(): Promise<void> {
    do await this.#read("check");
    while (this.model.mailAfter(Math.max(this.model.acked, this.model.returned)).length > 0);
    await this.#read("check");
    this.#line.close();
    const missed = this.model.mail.filter((sequence) => !this.model.delivered.has(sequence));
    const once = missed.filter((sequence) => this.#receipts || (this.#brought.get(sequence) ?? 0) < 2);
    expect(once).toEqual([]);
  }

  #reconnect(): void {
    this.#line.close();
    this.#line = openHttpClient();
    this.model.overLine = 0;
  }

  /** Posts a message. Returns whether the message ends mia's pending wait. */
  async #post(post: Post): Promise<boolean> {
    const forMia = this.model.isForMia(post);
    const { cursor } = await transport.call("post_message", {
      session_id: this.#sessionId,
      team_id: this.#credentials[post.by],
      content: { text: post.to.join(" ") },
      priority: post.priority,
      to: [...post.to],
    });
    this.model.append(cursor, forMia);
    return forMia && post.priority !== "low";
  }

  async #event(): Promise<void> {
    await transport.call("update_session_metadata", {
      session_id: this.#sessionId,
      team_id: this.#credentials.convener,
      title: `Title ${this.model.head}`,
      reason: "scope",
    });
    this.model.append(this.model.head + 1, true);
  }

  async #group(join: boolean): Promise<void> {
    await transport.call(join ? "join_group" : "leave_group", { ...this.#mine, name: "Backend" });
    this.model.inBackend = join;
  }

  #beginWithoutCursor(): number[] {
    const { model } = this;
    model.arrived = Math.max(model.arrived, model.overLine);
    const granted = this.#receipts ? Number.parseInt(this.#receipt, 10) || 0 : model.repeated;
    model.acked = Math.max(model.acked, Math.min(Math.max(model.arrived, granted), model.offered));
    return model.mailAfter(model.acked);
  }

  /** Records the messages in a reply, whether or not mia read them. */
  #returned({ messages, next_cursor, again = 0 }: Page): void {
    const sequences = messages.map(({ sequence }) => sequence);
    const last = sequences.at(-1);
    const repeats = this.model.mail.filter((each) => each <= this.model.returned && sequences.includes(each));
    expect(sequences.filter((sequence) => sequence <= again)).toEqual(repeats);
    if (last === undefined) return;
    for (const sequence of sequences) this.#brought.set(sequence, (this.#brought.get(sequence) ?? 0) + 1);
    this.model.offered = Math.max(this.model.offered, last);
    this.model.repeated = Math.max(this.model.repeated, repeats.at(-1) ?? 0);
    this.model.returned = Math.max(this.model.returned, last);
    this.model.overLine = Math.max(this.model.overLine, last);
    expect(this.model.mail.filter((sequence) => sequence > last && sequence <= next_cursor)).toEqual([]);
  }

  /**
   * Returns the URL of a read. A client with receipts sends one with each call. For a client without receipts, a
   * message that was returned twice counts as read.
   */
  #messagesUrl(read: "wait" | "check"): string {
    const receipt = this.#receipts ? `receipt=${this.#receipt}` : "";
    return `${broker.url}/api/sessions/${this.#sessionId}/messages/${read}?${receipt}`;
  }

  #url(read: "wait" | "check"): string {
    const timeout = read === "wait" ? "&timeout=0" : "";
    return `${this.#messagesUrl(read)}${timeout}`;
  }

  async #read(read: "wait" | "check"): Promise<void> {
    const expected = this.#beginWithoutCursor();
    const headers = { "x-team-id": this.#credentials.mia };
    const { status, text } = await this.#line.send(this.#url(read), { headers });
    const page: Page = JSON.parse(text);
    expect([status, page.messages?.map(({ sequence }) => sequence)]).toEqual([200, expected]);
    expect(page).not.toHaveProperty("remaining");
    this.#returned(page);
    for (const { sequence } of page.messages) this.model.delivered.add(sequence);
    this.#receipt = page.receipt ?? this.#receipt;
  }

  /**
   * When the first bytes arrive, the broker has already written the whole reply. Mia reads a part of it and
   * disconnects.
   */
  async #die(read: "wait" | "check", at: number): Promise<void> {
    this.#reconnect();
    const expected = this.#beginWithoutCursor();
    const { hostname, port, pathname, search } = new URL(this.#url(read));
    const socket = connectTcp({ host: hostname, port: Number(port) });
    const head = `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nX-Team-ID: ${this.#credentials.mia}\r\n\r\n`;
    socket.write(head);
    const [reply] = await once(socket, "data");
    const whole = String(reply);
    socket.destroy();
    const page: Page = JSON.parse(whole.slice(whole.indexOf("\r\n\r\n")));
    expect(page.messages.map(({ sequence }) => sequence)).toEqual(expected);
    this.#returned(page);
    this.model.overLine = 0;
    if (Math.floor(whole.length * at) < whole.length) return;
    // The whole reply was read before the disconnect.
    for (const { sequence } of page.messages) this.model.delivered.add(sequence);
    this.#receipt = page.receipt ?? this.#receipt;
  }

  async #waitFrom(since_cursor: number): Promise<void> {
    const skipped = this.model.skippedBy(since_cursor);
    this.model.acknowledge(since_cursor);
    const page = await transport.call("wait_for_messages", { ...this.#mine, since_cursor, timeout: 0 });
    const sequences = page.messages.map(({ sequence }) => sequence);
    expect(sequences.filter((sequence) => sequence > this.#start)).toEqual(
      this.model.mailAfter(since_cursor),
    );
    expect(page.skipped ?? 0).toBe(skipped);
    if (sequences.length > 0) this.model.handOut(this.model.mailAfter(since_cursor));
  }

  /** Messages that were posted before mia joined are not part of the model. */
  get #start(): number {
    return (this.model.mail[0] ?? this.model.head) - 1;
  }

  async #ack(cursor: number): Promise<void> {
    const skipped = this.model.skippedBy(cursor);
    this.model.acknowledge(cursor);
    const acked = await transport.call("ack", { ...this.#mine, cursor });
    expect(acked.skipped ?? 0).toBe(skipped);
    expect(this.model.mailAfter(acked.cursor)).toEqual(this.model.mailAfter(this.model.acked));
  }

  /**
   * Starts a wait and lets others post. The first message that should wake mia ends the wait. Otherwise the wait is
   * cancelled.
   */
  async #park(posts: readonly Post[]): Promise<void> {
    this.#reconnect();
    const unread = this.#beginWithoutCursor();
    const gone = new AbortController();
    let answered = false;
    const wait = this.#waitOverRest(gone.signal).finally(() => {
      answered = true;
    });
    wait.catch(() => undefined);
    const isNew = (sequence: number) => sequence > this.model.returned;
    if (unread.some(isNew)) {
      const page = await wait;
      expect(page.messages.map(({ sequence }) => sequence)).toEqual(unread);
      return this.#parkedReturned(page);
    }
    await this.#isPolling(true);
    let ending = Number.POSITIVE_INFINITY;
    for (const post of posts) {
      if (await this.#post(post)) ending = Math.min(ending, this.model.head);
    }
    if (ending === Number.POSITIVE_INFINITY) {
      await this.#isPolling(true);
      expect(answered).toBe(false);
      gone.abort();
      this.#reconnect();
      return this.#isPolling(false);
    }
    const page = await wait;
    const sequences = page.messages.map(({ sequence }) => sequence);
    expect(sequences).toContain(ending);
    expect(sequences).toEqual(this.model.mailAfter(this.model.acked).slice(0, sequences.length));
    this.#parkedReturned(page);
  }

  #parkedReturned(page: Page): void {
    this.#returned(page);
    for (const { sequence } of page.messages) this.model.delivered.add(sequence);
    this.#receipt = page.receipt ?? this.#receipt;
  }

  async #waitOverRest(signal: AbortSignal): Promise<Page> {
    const headers = { "x-team-id": this.#credentials.mia };
    return JSON.parse((await this.#line.send(this.#messagesUrl("wait"), { headers, signal })).text);
  }

  async #isPolling(polling: boolean): Promise<void> {
    await expect
      .poll(
        async () => {
          const { peers } = await transport.call("list_peers", { session_id: this.#sessionId });
          return peers.find(({ name }) => name === "mia")?.polling;
        },
        { interval: 3 },
      )
      .toBe(polling);
  }

  /**
   * Opens an inbox, which delivers the unacknowledged messages and then new ones. Acknowledges some of these messages.
   */
  async #inbox(posts: readonly Post[], acknowledged: number): Promise<void> {
    const client = connect({ url: broker.url, WebSocket });
    const brought: number[] = [];
    try {
      const before = this.model.mailAfter(this.model.acked);
      const inbox = client.inbox({
        session: this.#sessionId,
        teamId: this.#credentials.mia,
        onMessage: ({ sequence }) => brought.push(sequence),
      });
      await inbox.ready;
      for (const post of posts) await this.#post(post);
      const expected = this.model.mailAfter(this.model.acked);
      await expect.poll(() => brought.length, { interval: 2 }).toBe(expected.length);
      await client.call("get_app_info", {});
      expect(brought).toEqual(expected);
      expect(expected.slice(0, before.length)).toEqual(before);
      if (brought.length > 0) this.model.handOut(brought);
      const cursor = brought[Math.min(acknowledged, brought.length) - 1];
      if (cursor === undefined) return;
      this.model.acknowledge(cursor);
      await client.call("ack", { ...this.#mine, cursor });
    } finally {
      await client.close();
    }
  }
}

async function startLife(receipts: boolean): Promise<Life> {
  const session = await createTestSession(transport);
  const { sessionId: session_id } = session;
  const olga = await transport.call("join_session", {
    session_id,
    team_name: "Other",
    peer_name: "olga",
    groups: ["backend/db"],
  });
  const mia = await transport.call("join_session", { session_id, team_name: "Mine", peer_name: "mia" });
  const credentials = { convener: session.convener, olga: olga.peer_id ?? "", mia: mia.peer_id ?? "" };
  return new Life(session_id, credentials, { cursor: mia.cursor, receipts });
}

it("[DELIVER-2] [CURSOR-6] whatever happens, what is for a peer comes at least once, in order, and never again once acknowledged; what it died of comes again, marked", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 30 }),
      fc.boolean(),
      async (actions, receipts) => {
        const life = await startLife(receipts);
        for (const step of actions) await life.step(step);
        await life.finish();
      },
    ),
    {
      seed: -1939265458,
      path: "4",
      endOnFailure: true,
      numRuns: Number(process.env["MERKLE_DELIVERY_RUNS"] ?? countRounds(12)),
    },
  );
});
