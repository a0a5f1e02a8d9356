import { limits } from "@merkle/wire/limits";
import type { Caller } from "./caller.js";
import { inParallel } from "./in-parallel.js";
import { costlyText } from "./text.js";

/** A call that is as expensive as the limits of its operation allow. */
export interface VerbCase {
  readonly operation: string;
  readonly what: string;
  /** Creates what the call needs, and returns the call. */
  prepare(room: Room): Promise<() => Promise<unknown>>;
}

/** The environment in which a case runs. */
export interface Room {
  readonly caller: Caller;
  /** The home key, which is needed to verify people. */
  readonly homeKey: string;
  /** A session that only this case uses, and its team. */
  readonly own: Team;
  /** A session with many teams, a long feed and a document with many versions. */
  readonly crowded: Team;
}

export interface Team {
  readonly session_id: string;
  readonly team_id: string;
}

const documentMax = limits.documentBytesMax;
const textMax = limits.messageTextBytesMax;
const wideDescription = costlyText.wide(limits.descriptionCharsMax * 3);
/** The maximum number of control characters that fit in a frame. */
const controlsMax = Math.floor(limits.frameBytesMax / 6) - 1_000;

function one(operation: string, what: string, prepare: VerbCase["prepare"]): VerbCase {
  return { operation, what, prepare };
}

/** Defines a call with this input, as the team in the session that only this case uses. */
function own(operation: string, what: string, input: () => object): VerbCase {
  return one(operation, what, async ({ caller, own }) => {
    const whole = { ...own, ...input() };
    return () => caller.call(operation, whole);
  });
}

/** Defines a call that only humans may make, in the session that only this case uses. */
function byPerson(operation: string, what: string, input: object): VerbCase {
  return one(operation, what, async (room) => {
    const { caller, own } = room;
    const { session_id } = own;
    const person_id = await makePerson(room);
    await caller.call("join_session", { session_id, team_name: "Bench", team_id: person_id });
    return () => caller.call(operation, { session_id, team_id: person_id, ...input });
  });
}

/** Defines a call that only humans may make, without a session. */
function personally(
  operation: string,
  what: string,
  input: object,
  end: "answered" | "refused" = "answered",
): VerbCase {
  return one(operation, what, async (room) => {
    const whole = { team_id: await makePerson(room), ...input };
    return end === "answered"
      ? () => room.caller.call(operation, whole)
      : () => room.caller.callInVain(operation, whole);
  });
}

const noTarget = "00000000-0000-4000-8000-000000000000";

/** Creates a verified person, and returns their credential. */
async function makePerson({ caller, homeKey: home_key }: Room): Promise<unknown> {
  const { code } = await caller.call("create_verification_code", { home_key });
  return (await caller.call("create_person", { name: "Bench", code }))["person_id"];
}

/** Defines a call in the session with much data. */
function crowded(operation: string, what: string, input: object): VerbCase {
  return one(operation, what, async ({ caller, crowded }) => {
    return () => caller.call(operation, { ...crowded, ...input });
  });
}

/** Defines a call on an existing document. */
function onDocument(
  operation: string,
  what: string,
  content: string,
  input: object,
  end: "answered" | "refused" = "answered",
): VerbCase {
  return one(operation, what, async ({ caller, own }) => {
    await caller.call("update_session_doc", { ...own, content, expected_version: 0 });
    const whole = { ...own, ...input };
    return end === "answered"
      ? () => caller.call(operation, whole)
      : () => caller.callInVain(operation, whole);
  });
}

/** As JSON, this value takes six bytes per character. */
const stateValue = costlyText.controls(Math.floor(limits.stateValueBytesMax / 6) - 1);

/** Defines a call in a session whose state fills a page. */
function onFullState(
  operation: string,
  what: string,
  input: object,
  end: "answered" | "refused" = "answered",
): VerbCase {
  return one(operation, what, async ({ caller, own }) => {
    for (let number = 0; number < 9; number += 1) {
      await caller.call("set_state", { ...own, key: `key ${number}`, value: stateValue });
    }
    const whole = { ...own, ...input };
    return end === "answered"
      ? () => caller.call(operation, whole)
      : () => caller.callInVain(operation, whole);
  });
}

/** Defines a call without a session. */
function inMesh(operation: string, what: string, input: () => object): VerbCase {
  return one(operation, what, async ({ caller, own: { team_id } }) => {
    const whole = { team_id, ...input() };
    return () => caller.call(operation, whole);
  });
}

/** Defines a call without a session, with memories of the maximum size. */
function onMemories(
  operation: string,
  what: string,
  input: (tags: string[], id: string | undefined) => object,
): VerbCase {
  return one(operation, what, async (room) => {
    const { tags, ids } = await rememberMany(room, limits.memoriesPageMax);
    const whole = { team_id: room.own.team_id, ...input(tags, ids[0]) };
    return () => room.caller.call(operation, whole);
  });
}

async function rememberMany(
  { caller, own: { team_id, session_id } }: Room,
  count: number,
): Promise<{ tags: string[]; ids: string[] }> {
  const tags = [session_id];
  const content = costlyText.lines(limits.memoryBytesMax);
  const ids: string[] = [];
  await inParallel(Array.from({ length: count }), 8, async () => {
    const { id } = await caller.call("remember", { content, tags, team_id });
    ids.push(String(id));
  });
  return { tags, ids };
}

export const verbCases: readonly VerbCase[] = [
  one(
    "get_app_info",
    "nothing",
    async ({ caller }) =>
      () =>
        caller.call("get_app_info", {}),
  ),
  one("create_session", "the longest description", async ({ caller }) => () => {
    return caller.call("create_session", {
      title: costlyText.wide(limits.titleCharsMax * 3),
      description: wideDescription,
      creator_team_name: "Bench",
    });
  }),
  one("create_person", "the longest name", async ({ caller }) => () => {
    return caller.call("create_person", { name: costlyText.wide(limits.nameCharsMax * 3) });
  }),
  one("join_session", "200 teams", async ({ caller, crowded: { session_id } }) => () => {
    return caller.call("join_session", { session_id, team_name: "Bench" });
  }),
  own("leave_session", "nothing", () => ({})),
  own("get_session", "nothing", () => ({})),
  one("list_sessions", "200 with the longest descriptions", async ({ caller }) => () => {
    return caller.call("list_sessions", { limit: limits.sessionsPageMax });
  }),
  one("list_sessions", "200 by title, where something waits", async ({ caller }) => () => {
    return caller.call("list_sessions", { limit: limits.sessionsPageMax, sort: "title", needs: true });
  }),
  one("list_sessions", "a query that all fit", async ({ caller }) => () => {
    return caller.call("list_sessions", { limit: limits.sessionsPageMax, query: "説".repeat(200) });
  }),
  crowded("list_participants", "200 teams", { include_folded: true }),
  crowded("wait_for_messages", "500 messages", { since_cursor: 0, timeout: 0, include_own: true }),
  one("check_messages", "500 messages", async ({ caller, crowded: { session_id } }) => {
    const joined = await caller.call("join_session", { session_id, team_name: "Bench", replay_from: 0 });
    return () => caller.call("check_messages", { session_id, team_id: joined["team_id"] });
  }),
  crowded("message_status", "of 200 teams", { message: 1 }),
  crowded("nudge", "200 teams", { to: "*" }),
  crowded("ack", "nothing", { cursor: 0 }),
  crowded("get_history", "a page of 500", { limit: limits.pageMessagesMax }),
  crowded("get_history", "of chat, around a place, as of now", {
    limit: limits.pageMessagesMax,
    around: 1,
    types: ["chat"],
    at: "2999-01-01T00:00:00.000Z",
  }),
  crowded("get_history", "a text that is nowhere", { q: "x".repeat(limits.queryCharsMax) }),
  crowded("get_timeline", "in 200 spans", { buckets: limits.timelineBucketsMax }),
  one(
    "get_health",
    "nothing",
    async ({ caller }) =>
      () =>
        caller.call("get_health", {}),
  ),
  personally("test_connection", "an inner address", { url: "http://127.0.0.1:1" }),
  ...(["lines", "controls", "nearlyCredentials", "wide"] as const).map((kind) =>
    own("post_message", `64 KiB, ${kind}`, () => ({ content: { text: costlyText[kind](textMax) } })),
  ),
  ...(["lines", "nearlyCredentials", "headings"] as const).map((kind) =>
    own("update_session_doc", `512 KiB, ${kind}`, () => ({
      content: costlyText[kind](documentMax),
      expected_version: 0,
    })),
  ),
  own("update_session_doc", "340 KiB of controls, a full frame", () => ({
    content: costlyText.controls(controlsMax),
    expected_version: 0,
  })),
  onDocument(
    "update_session_doc",
    "a conflict of two documents of 512 KiB",
    costlyText.lines(documentMax),
    { content: costlyText.headings(documentMax), expected_version: 0, include_content: true },
    "refused",
  ),
  onDocument("append_to_session_doc", "half of 512 KiB to the other", costlyText.lines(documentMax / 2), {
    text: costlyText.lines(documentMax / 2 - 1),
  }),
  onDocument(
    "edit_session_doc",
    "256 KiB of one letter among 512",
    costlyText.oneLetter(documentMax - 1),
    { old_text: `b${costlyText.oneLetter(documentMax / 2)}`, new_text: "" },
    "refused",
  ),
  onDocument("read_session_doc", "340 KiB of controls", costlyText.controls(controlsMax), {}),
  onDocument("read_session_doc", "a diff of 512 KiB", costlyText.lines(documentMax), { since_version: 0 }),
  ...(["headings", "quotes", "backticks"] as const).map((kind) =>
    onDocument(
      "read_session_doc",
      `a section in 512 KiB, ${kind}`,
      costlyText[kind](documentMax),
      { section: "b" },
      "refused",
    ),
  ),
  crowded("list_doc_versions", "200 versions", { limit: limits.versionsPageMax }),
  own("update_session_metadata", "the longest description", () => ({
    description: wideDescription,
    reason: costlyText.wide(limits.reasonCharsMax * 3),
  })),
  ...(["headings", "quotes"] as const).map((kind) =>
    onDocument(
      "conclude_session",
      `a summary of 256 KiB in 256, ${kind}`,
      costlyText[kind](documentMax / 2),
      {
        summary_section: costlyText[kind](documentMax / 2 - 64),
      },
    ),
  ),
  own("rotate_team_credential", "nothing", () => ({})),
  crowded("send_message", "64 KiB to 50 of 200 teams", {
    to: Array.from({ length: limits.recipientsMax }, (_, index) => `Bench ${index}`),
    message: costlyText.wide(textMax),
  }),
  one("list_attention", "200 asks of 64 KiB", async ({ caller, own }) => {
    await inParallel(Array.from({ length: limits.attentionItemsMax }), 8, () =>
      caller.call("post_message", { ...own, content: { kind: "ask", text: costlyText.lines(textMax) } }),
    );
    const input = { session: own.session_id };
    return () => caller.call("list_attention", input);
  }),
  personally("dismiss_attention", "one that there is not", {
    id: "quiet:00000000-0000-4000-8000-000000000000:1",
  }),
  one(
    "list_agents",
    "of all sessions",
    async ({ caller }) =>
      () =>
        caller.call("list_agents", {}),
  ),
  one("list_undelivered", "of a session", async ({ caller, own }) => {
    const input = { session: own.session_id, for_s: 0 };
    return () => caller.call("list_undelivered", input);
  }),
  personally("list_alert_targets", "none", {}),
  personally("put_alert_target", "one that is told nothing", {
    ...{ name: "none", about: [], to: { kind: "slack", url: "https://example.com/x" } },
  }),
  personally("delete_alert_target", "one that there is not", { target_id: noTarget }, "refused"),
  personally("test_alert", "one that there is not", { target_id: noTarget }, "refused"),
  byPerson("mark_read", "a feed that was never read", { cursor: 0 }),
  personally("get_person", "its own", {}),
  personally("rename_person", "the longest name", { name: costlyText.wide(limits.nameCharsMax * 3) }),
  byPerson("hold_session", "the longest reason", { reason: costlyText.wide(limits.reasonCharsMax * 3) }),
  byPerson("resume_session", "with a budget", { message_budget: 1_000 }),
  crowded("list_peers", "200 teams", { include_left: true }),
  own("set_summary", "the longest", () => ({ summary: costlyText.wide(limits.summaryCharsMax * 3) })),
  own("set_status", "the longest reason", () => ({
    status: "blocked",
    reason: costlyText.wide(limits.reasonCharsMax * 3),
  })),
  own("set_wake", "its own peer", () => ({ wake: "addressed" })),
  own("join_group", "the longest name", () => ({ name: "g".repeat(limits.nameCharsMax) })),
  own("leave_group", "nothing", () => ({ name: "backend" })),
  onFullState("get_state", "64 KiB of controls, and its history", { key: "key 0", history: true }),
  own("set_state", "64 KiB of controls", () => ({ key: "k", value: stateValue })),
  own("set_state", "9,000 values in one", () => ({ key: "k", value: Array(9_000).fill({}) })),
  onFullState("set_state", "a conflict", { key: "key 0", value: 0, expected_version: 9 }, "refused"),
  onFullState("delete_state", "64 KiB of controls", { key: "key 0" }),
  onFullState("list_state", "a full page", { limit: limits.statePageMax }),
  onFullState("watch_state", "a key", { key: "key 0" }),
  onFullState("unwatch_state", "a key", { key: "key 0" }),
  ...(["wide", "nearlyCredentials"] as const).map((kind) =>
    inMesh("remember", `16 KiB, ${kind}`, () => ({ content: costlyText[kind](limits.memoryBytesMax) })),
  ),
  onMemories("recall", "100 of 16 KiB, nearly all of it found", (tags) => ({
    query: "session token",
    tags,
    limit: limits.memoriesPageMax,
  })),
  onMemories("list_memory", "100 of 16 KiB", (tags) => ({ tags, limit: limits.memoriesPageMax })),
  onMemories("forget", "the longest reason", (_tags, id) => ({
    id,
    reason: costlyText.wide(limits.reasonCharsMax * 3),
  })),
  onMemories("tag_memory", "20 tags", (_tags, id) => ({
    id,
    tags: Array.from({ length: limits.tagsMax }, (_, index) => `${index}${"説".repeat(40)}`),
  })),
  one("restore_memory", "of 16 KiB", async (room) => {
    const { ids } = await rememberMany(room, 1);
    const team_id = await makePerson(room);
    return () => room.caller.call("restore_memory", { id: ids[0], team_id });
  }),
  one("search", "50 messages of 64 KiB, nearly all of it found", async ({ caller, own }) => {
    const content = { text: costlyText.lines(textMax) };
    await inParallel(Array.from({ length: limits.searchHitsMax }), 8, () =>
      caller.call("post_message", { ...own, content }),
    );
    const input = { query: "session token", session: own.session_id, limit: limits.searchHitsMax };
    await caller.call("search", input);
    return () => caller.call("search", input);
  }),
  one(
    "get_settings",
    "nothing",
    async ({ caller }) =>
      () =>
        caller.call("get_settings", {}),
  ),
  personally("update_settings", "nothing new", { settings: { idle_polls: 10 } }),
  one("post_message", "9,900 fields that there are none of, refused", async ({ caller, own }) => {
    const name = "f".repeat(150);
    const fields = Array.from({ length: 9_900 }, (_, index) => [`${name}_${index}`, 0] as const);
    const input = { ...own, ...Object.fromEntries(fields) };
    return () => caller.callInVain("post_message", input);
  }),
  one("update_session_doc", "2 MiB, refused", async ({ caller, own }) => {
    const content = costlyText.oneLetter(limits.frameBytesMax - 1_000);
    return () => caller.callInVain("update_session_doc", { ...own, content, expected_version: 0 });
  }),
];
