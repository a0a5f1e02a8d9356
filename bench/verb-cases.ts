import { limits } from "@merkle/wire";
import type { Caller } from "./caller.js";
import { costlyText } from "./text.js";

/** A call that asks as much of one verb as its limits allow. */
export interface VerbCase {
  readonly operation: string;
  readonly what: string;
  /** Makes what the call needs, and returns the call. */
  prepare(room: Room): Promise<() => Promise<unknown>>;
}

/** Where a case is tried. */
export interface Room {
  readonly caller: Caller;
  /** A session that nobody else uses, and its team. */
  readonly own: Team;
  /** A session with many teams, a long feed and a document of many versions. */
  readonly crowded: Team;
}

export interface Team {
  readonly session_id: string;
  readonly team_id: string;
}

const documentMax = limits.documentBytesMax;
const textMax = limits.messageTextBytesMax;
const wideDescription = costlyText.wide(limits.descriptionCharsMax * 3);
/** So many fit into a frame. */
const controlsMax = Math.floor(limits.frameBytesMax / 6) - 1_000;

function one(operation: string, what: string, prepare: VerbCase["prepare"]): VerbCase {
  return { operation, what, prepare };
}

/** A call with this input, as the team of the room's own session. */
function own(operation: string, what: string, input: () => object): VerbCase {
  return one(operation, what, async ({ caller, own }) => {
    const whole = { ...own, ...input() };
    return () => caller.call(operation, whole);
  });
}

/** The same where there is much to read. */
function crowded(operation: string, what: string, input: object): VerbCase {
  return one(operation, what, async ({ caller, crowded }) => {
    return () => caller.call(operation, { ...crowded, ...input });
  });
}

/** A call on a document that is there already. */
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
  one("list_sessions", "a query that all fit", async ({ caller }) => () => {
    return caller.call("list_sessions", { limit: limits.sessionsPageMax, query: "説".repeat(200) });
  }),
  crowded("list_participants", "200 teams", { include_folded: true }),
  crowded("wait_for_messages", "500 messages", { since_cursor: 0, timeout: 0, include_own: true }),
  crowded("ack", "nothing", { cursor: 0 }),
  crowded("get_history", "a page of 500", { limit: limits.pageMessagesMax }),
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
  one(
    "get_settings",
    "nothing",
    async ({ caller }) =>
      () =>
        caller.call("get_settings", {}),
  ),
  one("update_settings", "nothing new", async ({ caller }) => () => {
    return caller.call("update_settings", { settings: { idle_polls: 10 } });
  }),
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
