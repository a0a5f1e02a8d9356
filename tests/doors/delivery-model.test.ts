import { connect } from "@merkle/wire/client";
import * as fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { atEnd } from "../kit/at-end.js";
import { type Door, doors } from "../kit/doors.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";

let broker: TestBroker;
let door: Door;
/** Restarts take long beside all else, so the runs have a few of them together. */
let restartsLeft = 3;

const cleanup = atEnd();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  door = await doors.rest(broker.url);
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
  | { readonly do: "wait" | "check" | "restart" }
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
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("waitFrom" as const, "ack" as const), back }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("park" as const), posts }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("inbox" as const), posts, acked: fc.nat({ max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

/** What mia must be given, as the rules have it. Her cursors may also stand further on, where nothing of her mail lies between. */
class Model {
  head: number;
  acked: number;
  offered: number;
  returned: number;
  inBackend = false;
  readonly mail: number[] = [];
  readonly delivered = new Set<number>();

  constructor(cursor: number) {
    this.head = cursor;
    this.acked = cursor;
    this.offered = cursor;
    this.returned = cursor;
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

  /** Mail that a cursor passes over although it was never handed out. */
  skippedBy(cursor: number): number {
    return this.mail.filter((sequence) => sequence > this.offered && sequence <= cursor).length;
  }

  acknowledge(cursor: number): void {
    if (this.skippedBy(cursor) === 0) this.offered = Math.max(this.offered, cursor);
    this.acked = Math.max(this.acked, Math.min(cursor, this.offered));
  }

  handOut(sequences: readonly number[]): void {
    for (const sequence of sequences) this.delivered.add(sequence);
    this.offered = Math.max(this.offered, ...sequences);
  }
}

interface Page {
  readonly messages: readonly { readonly sequence: number }[];
  readonly next_cursor: number;
}

/** One peer's life against the model: each step checks what the broker gave out. */
class Life {
  readonly model: Model;
  readonly #sessionId: string;
  readonly #credentials: Record<Author, string>;

  constructor(sessionId: string, credentials: Record<Author, string>, cursor: number) {
    this.#sessionId = sessionId;
    this.#credentials = credentials;
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
        return void (await door.call("set_status", { ...this.#mine, status: step.status }));
      case "wait":
        return this.#read(() => door.call("wait_for_messages", { ...this.#mine, timeout: 0 }));
      case "check":
        return this.#read(() => door.call("check_messages", this.#mine));
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
        return broker.restart();
    }
  }

  /** Reads to the end, and has got everything. */
  async finish(): Promise<void> {
    while (this.model.mailAfter(Math.max(this.model.acked, this.model.returned)).length > 0) {
      await this.step({ do: "check" });
    }
    await this.step({ do: "wait" });
    expect([...this.model.delivered].sort((a, b) => a - b)).toEqual(this.model.mail);
  }

  /** Posts, and returns whether it ends mia's parked wait. */
  async #post(post: Post): Promise<boolean> {
    const forMia = this.model.isForMia(post);
    const { cursor } = await door.call("post_message", {
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
    await door.call("update_session_metadata", {
      session_id: this.#sessionId,
      team_id: this.#credentials.convener,
      title: `Title ${this.model.head}`,
      reason: "scope",
    });
    this.model.append(this.model.head + 1, true);
  }

  async #group(join: boolean): Promise<void> {
    await door.call(join ? "join_group" : "leave_group", { ...this.#mine, name: "Backend" });
    this.model.inBackend = join;
  }

  #beginWithoutCursor(): number[] {
    this.model.acked = Math.max(this.model.acked, Math.min(this.model.returned, this.model.offered));
    return this.model.mailAfter(this.model.acked);
  }

  #returned({ messages, next_cursor }: Page): void {
    const sequences = messages.map(({ sequence }) => sequence);
    const last = sequences.at(-1);
    if (last === undefined) return;
    this.model.handOut(sequences);
    this.model.returned = Math.max(this.model.returned, last);
    expect(this.model.mail.filter((sequence) => sequence > last && sequence <= next_cursor)).toEqual([]);
  }

  async #read(read: () => Promise<Page>): Promise<void> {
    const expected = this.#beginWithoutCursor();
    const page = await read();
    expect(page.messages.map(({ sequence }) => sequence)).toEqual(expected);
    expect(page).not.toHaveProperty("remaining");
    this.#returned(page);
  }

  async #waitFrom(since_cursor: number): Promise<void> {
    const skipped = this.model.skippedBy(since_cursor);
    this.model.acknowledge(since_cursor);
    const page = await door.call("wait_for_messages", { ...this.#mine, since_cursor, timeout: 0 });
    const sequences = page.messages.map(({ sequence }) => sequence);
    expect(sequences.filter((sequence) => sequence > this.#start)).toEqual(
      this.model.mailAfter(since_cursor),
    );
    expect(page.skipped ?? 0).toBe(skipped);
    if (sequences.length > 0) this.model.handOut(this.model.mailAfter(since_cursor));
  }

  /** What stood in the feed before mia came is no part of the model. */
  get #start(): number {
    return (this.model.mail[0] ?? this.model.head) - 1;
  }

  async #ack(cursor: number): Promise<void> {
    const skipped = this.model.skippedBy(cursor);
    this.model.acknowledge(cursor);
    const acked = await door.call("ack", { ...this.#mine, cursor });
    expect(acked.skipped ?? 0).toBe(skipped);
    expect(this.model.mailAfter(acked.cursor)).toEqual(this.model.mailAfter(this.model.acked));
  }

  /** A wait that is parked while others post: it ends with the first that is worth waking for, or else is cancelled. */
  async #park(posts: readonly Post[]): Promise<void> {
    const unread = this.#beginWithoutCursor();
    const gone = new AbortController();
    let answered = false;
    const wait = this.#waitOverRest(gone.signal).finally(() => {
      answered = true;
    });
    wait.catch(() => undefined);
    if (unread.length > 0) {
      const page = await wait;
      expect(page.messages.map(({ sequence }) => sequence)).toEqual(unread);
      return this.#returned(page);
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
      return this.#isPolling(false);
    }
    const page = await wait;
    const sequences = page.messages.map(({ sequence }) => sequence);
    expect(sequences).toContain(ending);
    expect(sequences).toEqual(this.model.mailAfter(this.model.acked).slice(0, sequences.length));
    this.#returned(page);
  }

  async #waitOverRest(signal: AbortSignal): Promise<Page> {
    const response = await fetch(`${broker.url}/api/sessions/${this.#sessionId}/messages/wait`, {
      headers: { "x-team-id": this.#credentials.mia },
      signal,
    });
    return response.json();
  }

  async #isPolling(polling: boolean): Promise<void> {
    await expect
      .poll(
        async () => {
          const { peers } = await door.call("list_peers", { session_id: this.#sessionId });
          return peers.find(({ name }) => name === "mia")?.polling;
        },
        { interval: 3 },
      )
      .toBe(polling);
  }

  /** An inbox brings what is not acknowledged, then what comes; some of it is acknowledged. */
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

async function startLife(): Promise<Life> {
  const session = await createTestSession(door);
  const { sessionId: session_id } = session;
  const olga = await door.call("join_session", {
    session_id,
    team_name: "Other",
    peer_name: "olga",
    groups: ["backend/db"],
  });
  const mia = await door.call("join_session", { session_id, team_name: "Mine", peer_name: "mia" });
  const credentials = { convener: session.convener, olga: olga.peer_id ?? "", mia: mia.peer_id ?? "" };
  return new Life(session_id, credentials, mia.cursor);
}

it("[DELIVER-2] whatever happens, what is for a peer comes at least once, in order, and never again once acknowledged", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 30 }), async (actions) => {
      const life = await startLife();
      for (const step of actions) await life.step(step);
      await life.finish();
    }),
    { numRuns: Number(process.env["MERKLE_DELIVERY_RUNS"] ?? 12) },
  );
});
