import { readFile } from "node:fs/promises";
import { openDatabase, purgeRequests } from "@merkle/db";
import type { OperationName, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import { countUtf8Bytes } from "@merkle/wire/text";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { selectShare } from "../kit/exhaustive.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { buildValidInputs, expectUnharmed, type Subject, startSubject } from "./subject.js";
import { TestSocket } from "./test-socket.js";
import { withValue } from "./text-fields.js";

type Limit = keyof typeof limits;

/**
 * For each limit, the file that tests values just below it, at it, and just above it: this file, or the tests for the
 * only module that uses the limit. A limit without an entry does not compile.
 */
const testedAt: {
  readonly [Name in Limit]:
    | "here"
    | `${"apps/broker/src" | "tests/transports" | "tests/hostile" | "tests/access" | "tests/record" | "tests/mcp"}/${string}.test.ts`;
} = {
  messageTextBytesMax: "here",
  openMeshesMax: "tests/transports/meshes.test.ts",
  quotedSecretsMax: "tests/transports/invites.test.ts",
  verificationSeconds: "tests/access/humans.test.ts",
  firstVerificationSeconds: "tests/access/humans.test.ts",
  documentBytesMax: "here",
  titleCharsMax: "here",
  descriptionCharsMax: "here",
  nameCharsMax: "here",
  reasonCharsMax: "here",
  slugCharsMax: "here",
  summaryCharsMax: "here",
  groupsPerPeerMax: "tests/transports/peers.test.ts",
  optionsMax: "here",
  recipientsMax: "here",
  stateKeyCharsMax: "here",
  stateValueBytesMax: "tests/transports/state.test.ts",
  stateValueDepthMax: "tests/transports/state.test.ts",
  stateValueToldBytesMax: "tests/transports/state.test.ts",
  stateKeysPerScopeMax: "tests/transports/state.test.ts",
  stateHistoryMax: "tests/transports/state.test.ts",
  statePageMax: "tests/transports/state.test.ts",
  statePageDefault: "tests/transports/state.test.ts",
  stateEventMsMin: "tests/transports/state.test.ts",
  watchesPerPeerMax: "tests/transports/state.test.ts",
  memoryBytesMax: "tests/transports/memory.test.ts",
  tagsMax: "tests/transports/memory.test.ts",
  tagCharsMax: "tests/transports/memory.test.ts",
  memoriesPageMax: "tests/transports/memory.test.ts",
  memoriesPageDefault: "tests/transports/memory.test.ts",
  projectIdCharsMax: "tests/transports/progress.test.ts",
  progressTitleCharsMax: "tests/transports/progress.test.ts",
  progressContentCharsMax: "tests/transports/progress.test.ts",
  progressTagsMax: "tests/transports/progress.test.ts",
  personaPromptBytesMax: "tests/transports/personas.test.ts",
  personasPerMeshMax: "tests/transports/personas.test.ts",
  perspectiveBytesMax: "tests/transports/personas.test.ts",
  quoteCharsMax: "tests/transports/topics.test.ts",
  quoteContextCharsMax: "tests/transports/topics.test.ts",
  topicMessageBytesMax: "tests/transports/topics.test.ts",
  openTopicsPerSourceMax: "tests/transports/topics.test.ts",
  topicsPageMax: "tests/transports/topics.test.ts",
  topicsPageDefault: "tests/transports/topics.test.ts",
  topicMessagesPageMax: "tests/transports/topics.test.ts",
  jobsListedMax: "tests/transports/jobs.test.ts",
  proposalNoteCharsMax: "tests/transports/proposals.test.ts",
  hunksChosenMax: "tests/transports/proposals.test.ts",
  proposalsPageDefault: "tests/transports/proposals.test.ts",
  proposalsPageMax: "tests/transports/proposals.test.ts",
  sourcesListedDefault: "tests/transports/sources.test.ts",
  sourcesListedMax: "tests/transports/sources.test.ts",
  jobsListedDefault: "tests/transports/jobs.test.ts",
  progressPageMax: "tests/transports/progress.test.ts",
  progressPageDefault: "tests/transports/progress.test.ts",
  projectsPageMax: "tests/transports/progress.test.ts",
  progressSummaryCharsMax: "tests/transports/progress.test.ts",
  queryCharsMax: "tests/transports/memory.test.ts",
  thoughtBytesMax: "tests/transports/audit.test.ts",
  intentCharsMax: "tests/transports/audit.test.ts",
  auditIdCharsMax: "tests/transports/audit.test.ts",
  thoughtsPerAuditSessionMax: "tests/transports/audit.test.ts",
  thoughtsPageMax: "tests/transports/audit.test.ts",
  thoughtsPageDefault: "tests/transports/audit.test.ts",
  sealsListedMax: "tests/transports/record.test.ts",
  unfinishedTasksPerSessionMax: "tests/transports/tasks.test.ts",
  taskTextBytesMax: "tests/transports/tasks.test.ts",
  taskResultBytesMax: "tests/transports/tasks.test.ts",
  taskLabelsMax: "tests/transports/tasks.test.ts",
  taskBlockersMax: "tests/transports/tasks.test.ts",
  taskLinksMax: "tests/transports/tasks.test.ts",
  taskFilesMax: "tests/transports/task-files.test.ts",
  tasksPassedOverMax: "tests/transports/task-files.test.ts",
  taskThreadMessagesMax: "tests/transports/task-files.test.ts",
  taskThreadBytesMax: "tests/transports/task-files.test.ts",
  taskPartsMax: "tests/transports/tasks.test.ts",
  attachmentsMax: "tests/transports/attachments.test.ts",
  attachmentBytesMax: "apps/broker/src/features/attachments/content-range.test.ts",
  fileNameBytesMax: "tests/transports/attachments.test.ts",
  mediaTypeCharsMax: "tests/transports/attachments.test.ts",
  filesPageMax: "tests/transports/attachments.test.ts",
  filesPageDefault: "tests/transports/attachments.test.ts",
  fileChunkBytes: "apps/broker/src/features/attachments/stored-bytes.test.ts",
  uploadHours: "tests/transports/attachments.test.ts",
  checkCommandCharsMax: "tests/transports/tasks.test.ts",
  checkTailBytesMax: "tests/transports/tasks.test.ts",
  tasksPageMax: "tests/transports/tasks.test.ts",
  tasksPageDefault: "tests/transports/tasks.test.ts",
  scopeCharsMax: "tests/transports/tasks.test.ts",
  claimsPerSessionMax: "tests/transports/tasks.test.ts",
  claimSecondsMin: "tests/transports/tasks.test.ts",
  claimSecondsMax: "tests/transports/tasks.test.ts",
  approvalInputBytesMax: "tests/transports/approvals.test.ts",
  approvalFolderCharsMax: "tests/transports/approvals.test.ts",
  approvalDevicesMax: "tests/transports/approvals.test.ts",
  approvalsWaitingPerPeerMax: "tests/transports/approvals.test.ts",
  approvalLeaseSeconds: "tests/transports/approvals.test.ts",
  approvalsEndedShown: "tests/transports/approvals.test.ts",
  approvalAgainHours: "tests/transports/approvals.test.ts",
  bundleBytesMax: "tests/record/import.test.ts",
  transferBytesPerSecondMin: "apps/broker/src/core/transfer-rate.test.ts",
  transferWindowMs: "apps/broker/src/core/transfer-rate.test.ts",
  searchHitsMax: "tests/transports/search.test.ts",
  searchHitsDefault: "tests/transports/search.test.ts",
  idempotencyKeyCharsMax: "here",
  anonymousIdempotencyKeyCharsMin: "here",
  httpBodyBytesMax: "here",
  frameBytesMax: "here",
  jsonValuesMax: "here",
  pageMessagesMax: "here",
  pageMessagesDefault: "here",
  pageBytesMax: "here",
  compactPageCharsMax: "here",
  redactedVersionsMax: "tests/transports/redact.test.ts",
  conflictContentBytesMax: "here",
  conflictDiffBytesMax: "here",
  sessionsPageMax: "here",
  sessionsPageDefault: "here",
  versionsPageMax: "here",
  versionsPageDefault: "here",
  waitSecondsMax: "here",
  parkedWaitsPerPeerMax: "here",
  endsWaitsMsMin: "tests/transports/delivery.test.ts",
  endsWaitsTeamsMax: "tests/transports/delivery.test.ts",
  nudgeAnswerMsMax: "tests/transports/delivery.test.ts",
  unansweredRequestsPerConnectionMax: "here",
  subscriptionsPerConnectionMax: "here",
  outboundBytesMax: "apps/broker/src/transports/websocket/connection.test.ts",
  undrainedMsMax: "apps/broker/src/transports/websocket/connection.test.ts",
  flushRowsMax: "apps/broker/src/feed/appender.test.ts",
  flushBytesMax: "apps/broker/src/feed/appender.test.ts",
  appendQueueBytesMax: "apps/broker/src/feed/appender.test.ts",
  unknownOutcomeMsMax: "apps/broker/src/feed/appender.test.ts",
  silentDatabaseMsMax: "apps/broker/src/core/with-timeout.test.ts",
  ringBytesPerSessionMax: "apps/broker/src/feed/delivery/entry.test.ts",
  ringBytesTotalMax: "apps/broker/src/feed/delivery/entry.test.ts",
  cachedCredentialsMax: "apps/broker/src/sessions/access/credentials.test.ts",
  cachedSessionsMax: "apps/broker/src/identity/session-directory.test.ts",
  liveMcpSessionsMax: "apps/broker/src/transports/mcp/live-sessions.test.ts",
  mcpInitializeBytesMax: "tests/mcp/sessions.test.ts",
  connectionsMax: "here",
  idempotencyHours: "here",
  receiptDays: "tests/transports/message-status.test.ts",
  attentionIdCharsMax: "tests/transports/attention.test.ts",
  attentionItemsMax: "tests/transports/attention.test.ts",
  attentionCountedMax: "tests/transports/attention.test.ts",
  unreadCountedMax: "tests/transports/reading.test.ts",
  alertTargetsMax: "tests/transports/alerts.test.ts",
  alertSecretCharsMax: "tests/transports/alerts.test.ts",
  urlCharsMax: "tests/transports/health.test.ts",
  timelineBucketsMax: "tests/transports/overview.test.ts",
  briefCharsMax: "tests/transports/brief.test.ts",
  briefSessionsMax: "tests/transports/brief.test.ts",
  timelineMarksMax: "tests/transports/overview.test.ts",
  meshNameCharsMax: "tests/transports/meshes.test.ts",
  inviteUsesMax: "tests/transports/invites.test.ts",
  invitesListedMax: "tests/transports/invites.test.ts",
  endedInviteDays: "tests/transports/invites.test.ts",
  inviteSeconds: "tests/transports/invites.test.ts",
  inviteSecondsMax: "tests/transports/invites.test.ts",
  inviteCodeSeconds: "tests/transports/invites.test.ts",
  inviteCodeTries: "tests/transports/invites.test.ts",
  clockSkewSecondsMax: "tests/transports/invites.test.ts",
  tokensListedMax: "tests/transports/tokens.test.ts",
  tokenSeconds: "tests/transports/tokens.test.ts",
  tokenSecondsMax: "tests/transports/tokens.test.ts",
  observerSeconds: "tests/transports/tokens.test.ts",
  signInSeconds: "tests/transports/tokens.test.ts",
  signInSecondsMax: "tests/transports/tokens.test.ts",
  browserSeconds: "tests/access/authenticator.test.ts",
  clientTokenSeconds: "tests/access/oauth.test.ts",
  clientCodeSeconds: "tests/access/oauth.test.ts",
  clientRegistrationSeconds: "apps/broker/src/features/oauth/registration.test.ts",
  clientRedirectsMax: "tests/access/oauth.test.ts",
  clientRedirectCharsMax: "tests/access/oauth.test.ts",
  ticketSeconds: "tests/access/authenticator.test.ts",
  furtherSecretsMax: "tests/transports/tokens.test.ts",
  frameFragmentsMax: "tests/hostile/floods.test.ts",
  pipelinedRequestsMax: "tests/hostile/floods.test.ts",
  waitingFramesPerConnectionMax: "tests/hostile/floods.test.ts",
  connectionsPerAddressMax: "apps/broker/src/transports/guard/limit-connections.test.ts",
  requestHeadersMsMax: "tests/hostile/floods.test.ts",
  requestMsMax: "tests/hostile/floods.test.ts",
  helloMsMax: "apps/broker/src/transports/guard/unproven-connections.test.ts",
  helloBytesMax: "apps/broker/src/transports/guard/unproven-connections.test.ts",
  unprovenConnectionsMax: "apps/broker/src/transports/guard/unproven-connections.test.ts",
  unprovenConnectionsPerAddressMax: "apps/broker/src/transports/guard/unproven-connections.test.ts",
  bodiesBytesMax: "apps/broker/src/transports/http/read-json-body.test.ts",
  unfinishedFramesBytesMax: "apps/broker/src/transports/guard/unfinished-messages.test.ts",
  unreadBytesMin: "apps/broker/src/transports/websocket/read-window.test.ts",
  rateBucketsMax: "apps/broker/src/identity/limits/limiter.test.ts",
  peerRetiredAfterDays: "apps/broker/src/sessions/roster/retire-peers.test.ts",
};

it("[LIMIT-1] every limit is tested where the table says", async () => {
  for (const [name, place] of Object.entries(testedAt)) {
    const file = place === "here" ? import.meta.filename : new URL(`../../${place}`, import.meta.url);
    const text = await readFile(file, "utf8");
    // In this file, the name must occur a second time, because the table above contains it once.
    expect(text.split(name).length - 1, `${name} in ${place}`).toBeGreaterThan(place === "here" ? 1 : 0);
  }
});

let subject: Subject;
let rest: TransportClient;
let webSocket: TransportClient;
const cleanup = createCleanup();
beforeAll(async () => {
  subject = await startSubject(cleanup);
  rest = await brokerTransports.rest(subject.broker.url);
  webSocket = await brokerTransports.websocket(subject.broker.url);
  cleanup(() => webSocket.close());
});

/** Creates a session for one test. */
async function createSession(title = "Limits") {
  const { session_id, team_id } = await rest.call("create_session", { title, creator_team_name: "Birch" });
  return { session_id, team_id };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );
}

interface TextLimit {
  readonly limit: Limit;
  readonly operation: OperationName;
  readonly field: readonly string[];
  readonly above: "bad_request" | "payload_too_large";
  /** Returns text of exactly this size. */
  readonly text?: (size: number) => string;
}

const letters = (size: number) => "x".repeat(size);
/** Limits in bytes count UTF-8, in which each of these characters takes four bytes. */
const wide = (size: number) => "\u{1f333}".repeat(Math.floor(size / 4)) + letters(size % 4);

const textLimits: readonly TextLimit[] = [
  {
    limit: "messageTextBytesMax",
    operation: "post_message",
    field: ["content", "text"],
    above: "payload_too_large",
  },
  {
    limit: "messageTextBytesMax",
    operation: "post_message",
    field: ["content", "text"],
    above: "payload_too_large",
    text: wide,
  },
  {
    limit: "documentBytesMax",
    operation: "update_session_doc",
    field: ["content"],
    above: "payload_too_large",
  },
  {
    limit: "documentBytesMax",
    operation: "update_session_doc",
    field: ["content"],
    above: "payload_too_large",
    text: wide,
  },
  {
    limit: "documentBytesMax",
    operation: "append_to_session_doc",
    field: ["text"],
    above: "payload_too_large",
  },
  {
    limit: "documentBytesMax",
    operation: "conclude_session",
    field: ["summary_section"],
    above: "payload_too_large",
    text: withHeading,
  },
  { limit: "titleCharsMax", operation: "create_session", field: ["title"], above: "bad_request" },
  {
    limit: "messageTextBytesMax",
    operation: "send_message",
    field: ["message"],
    above: "payload_too_large",
  },
  { limit: "summaryCharsMax", operation: "set_summary", field: ["summary"], above: "bad_request" },
  { limit: "summaryCharsMax", operation: "join_session", field: ["summary"], above: "bad_request" },
  { limit: "stateKeyCharsMax", operation: "set_state", field: ["key"], above: "bad_request" },
  { limit: "titleCharsMax", operation: "update_session_metadata", field: ["title"], above: "bad_request" },
  { limit: "titleCharsMax", operation: "list_sessions", field: ["query"], above: "bad_request" },
  { limit: "descriptionCharsMax", operation: "create_session", field: ["description"], above: "bad_request" },
  {
    limit: "descriptionCharsMax",
    operation: "update_session_metadata",
    field: ["description"],
    above: "bad_request",
  },
  { limit: "nameCharsMax", operation: "create_session", field: ["creator_team_name"], above: "bad_request" },
  { limit: "nameCharsMax", operation: "join_session", field: ["team_name"], above: "bad_request" },
  { limit: "nameCharsMax", operation: "join_session", field: ["peer_name"], above: "bad_request" },
  { limit: "nameCharsMax", operation: "join_group", field: ["name"], above: "bad_request" },
  { limit: "nameCharsMax", operation: "join_group", field: ["role"], above: "bad_request" },
  { limit: "reasonCharsMax", operation: "update_session_metadata", field: ["reason"], above: "bad_request" },
  { limit: "reasonCharsMax", operation: "set_status", field: ["reason"], above: "bad_request" },
  { limit: "reasonCharsMax", operation: "hold_session", field: ["reason"], above: "bad_request" },
  { limit: "slugCharsMax", operation: "create_session", field: ["slug"], above: "bad_request" },
  {
    limit: "idempotencyKeyCharsMax",
    operation: "post_message",
    field: ["idempotency_key"],
    above: "bad_request",
  },
];

/**
 * Returns a conclusion that begins with its own heading. The broker uses such a conclusion as the whole document, which
 * then has exactly this size.
 */
function withHeading(size: number): string {
  const heading = "## Conclusion\n\n";
  return `${heading}${letters(size - heading.length - 1)}\n`;
}

const transportNames = Object.keys(brokerTransports);

/**
 * Returns the transports that accept the operation. MCP refuses operations that control agents, regardless of their
 * size (PERSON-11).
 */
function transportsOf({ operation }: TextLimit): readonly string[] {
  const isPower = operations.some(({ name, human }) => name === operation && human === "power");
  return transportNames.filter((name) => name !== "mcp" || !isPower);
}

// Transports only translate (CAT-4), so the suite tests each limit over one of the transports, in rotation.
describe.each(transportNames)("at %s", (name) => {
  const here = textLimits.filter((row, index) => {
    const all = transportsOf(row);
    return selectShare(all, index, all.length).includes(name);
  });
  const cases = here.map((each) => [each.limit, each.operation, each.field.join("."), each] as const);
  it.each(cases)(
    "[LIMIT-1] %s of %s, %s",
    async (limit, operation, _path, { field, above, text = letters }) => {
      const transport = subject.transports.find((each) => each.name === name);
      const max = limits[limit];
      const session = await createSession();
      for (const [size, expected] of [
        [max - 1, "ok"],
        [max, "ok"],
        [max + 1, above],
      ] as const) {
        const attempt = async (): Promise<string> => {
          // Each attempt needs a new session, because it writes the document or concludes the session.
          const at = limit === "documentBytesMax" ? await createSession() : session;
          const valid = buildValidInputs({ ...at, person_id: subject.person_id })[operation];
          // The slug must differ from those used for other transports and sizes.
          const value = field[0] === "slug" ? `${name}-${letters(size - name.length - 1)}` : text(size);
          const call = transport?.callRaw(operation, withValue(valid, field, value));
          const code = await codeOf(Promise.resolve(call));
          // On a busy machine, a write can take longer than the broker's time limit.
          return code === "unavailable" ? attempt() : code;
        };
        expect(await attempt(), `${size}`).toBe(expected);
      }
    },
  );

  it("[LIMIT-1] documentBytesMax counts the document as it would become", async () => {
    const transport = subject.transports.find((each) => each.name === name);
    const sizes = [
      [-1, "ok"],
      [0, "ok"],
      [1, "payload_too_large"],
    ] as const;
    for (const [more, expected] of selectShare(sizes, transportNames.indexOf(name), transportNames.length)) {
      const half = letters(limits.documentBytesMax / 2);
      const appended = await createSession();
      await rest.call("update_session_doc", { ...appended, content: half, expected_version: 0 });
      const note = letters(limits.documentBytesMax / 2 - 1 + more);
      const append = transport?.callRaw("append_to_session_doc", { ...appended, text: note });
      expect(await codeOf(Promise.resolve(append)), `append, ${more}`).toBe(expected);

      const edited = await createSession();
      await rest.call("update_session_doc", { ...edited, content: `${half}!`, expected_version: 0 });
      const new_text = letters(limits.documentBytesMax / 2 + more);
      const edit = transport?.callRaw("edit_session_doc", { ...edited, old_text: "!", new_text });
      expect(await codeOf(Promise.resolve(edit)), `edit, ${more}`).toBe(expected);
    }
  });

  it("[IDEM-7] [LIMIT-1] anonymousIdempotencyKeyCharsMin", async () => {
    const transport = subject.transports.find((each) => each.name === name);
    const min = limits.anonymousIdempotencyKeyCharsMin;
    for (const [size, expected] of [
      [min - 1, "bad_request"],
      [min, "ok"],
      [min + 1, "ok"],
    ] as const) {
      const idempotency_key = `${name}${letters(size)}`.slice(-size).replace(/^./, name.charAt(0));
      const call = transport?.callRaw("create_session", {
        title: "Keyed",
        creator_team_name: name,
        idempotency_key,
      });
      expect(await codeOf(Promise.resolve(call)), `${size}`).toBe(expected);
    }
  });
});

describe("what a message has besides its text", () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `option ${index}`);

  it("[LIMIT-1] recipientsMax", async () => {
    const at = { session_id: subject.session_id, team_id: subject.team_id };
    for (const [more, expected] of aroundMax) {
      const to = Array<string>(limits.recipientsMax + more).fill("Cedar");
      expect(await codeOf(rest.call("post_message", { ...at, content: { text: "x" }, to }))).toBe(expected);
      expect(await codeOf(rest.call("send_message", { ...at, message: "x", to }))).toBe(expected);
      expect(await codeOf(rest.call("nudge", { ...at, to }))).toBe(expected);
    }
  });

  it("[SEND-9] [SEND-10] [LIMIT-1] optionsMax and titleCharsMax of an ask's options, and reasonCharsMax of an answer", async () => {
    const at = await createSession();
    const post = (content: object, reply_to?: number) =>
      rest.callRaw("post_message", { ...at, content: { text: "x", ...content }, reply_to });
    for (const [more, expected] of aroundMax) {
      const { cursor } = await rest.call("post_message", { ...at, content: { text: "x", kind: "ask" } });
      const answer = letters(limits.reasonCharsMax + more);
      expect(await codeOf(post({ answer }, cursor)), `answer, ${more}`).toBe(expected);
      const many = words(limits.optionsMax + more);
      expect(await codeOf(post({ kind: "ask", options: many })), `options, ${more}`).toBe(expected);
      const long = ["no", letters(limits.titleCharsMax + more)];
      expect(await codeOf(post({ kind: "ask", options: long })), `an option, ${more}`).toBe(expected);
    }
  });

  const aroundMax = [
    [-1, "ok"],
    [0, "ok"],
    [1, "bad_request"],
  ] as const;
});

describe("requests and frames", () => {
  it.each(["/api/sessions", "/mcp"])("[REST-5] [LIMIT-1] httpBodyBytesMax at %s", async (path) => {
    const input =
      path === "/mcp"
        ? { jsonrpc: "2.0", id: 1, method: "ping" }
        : { title: "Padded", creator_team_name: "Birch" };
    const text = JSON.stringify(input);
    for (const [size, status] of [
      [limits.httpBodyBytesMax - 1, 200],
      [limits.httpBodyBytesMax, 200],
      [limits.httpBodyBytesMax + 1, 413],
    ] as const) {
      const response = await fetch(new URL(path, subject.broker.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: text + " ".repeat(size - text.length),
      });
      expect(response.status, `${size} bytes`).toBe(status);
      await response.text();
    }
  });

  it("[WS-7] [LIMIT-1] frameBytesMax", async () => {
    const text = JSON.stringify({ type: "ping", id: 1 });
    for (const more of [-1, 0]) {
      const socket = await TestSocket.open(subject.broker.url);
      socket.sendText(text + " ".repeat(limits.frameBytesMax + more - text.length));
      expect(await socket.replyTo(1), `${more}`).toEqual({ type: "reply", id: 1, output: {} });
    }
    const socket = await TestSocket.open(subject.broker.url);
    socket.sendText(text + " ".repeat(limits.frameBytesMax + 1 - text.length));
    expect(await socket.closed).toBe(1009);
    await expectUnharmed(subject);
  });
});

describe("values in a request or frame", () => {
  const max = limits.jsonValuesMax;
  /** Returns a request as JSON, with a list that is long enough for the whole request to have this number of values. */
  const withValues = (values: number, request: (list: readonly number[]) => object) =>
    JSON.stringify(request(Array<number>(values - countValues(request([]))).fill(0)));
  function countValues(value: unknown): number {
    if (typeof value !== "object" || value === null) return 1;
    return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
  }

  async function post(path: string, body: string): Promise<{ status: number; said: string }> {
    const response = await fetch(new URL(path, subject.broker.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: response.status, said: await response.text() };
  }

  it("[REST-5] [LIMIT-1] jsonValuesMax at REST", async () => {
    const create = (extra: readonly number[]) => ({ title: "Many", creator_team_name: "Birch", extra });
    // All of these requests are refused, for an unknown field or even before the fields are read.
    for (const [values, said] of [
      [max - 1, 'unknown field \\"extra\\"'],
      [max, 'unknown field \\"extra\\"'],
      [max + 1, `more than ${max} values`],
    ] as const) {
      const answer = await post("/api/sessions", withValues(values, create));
      expect(answer, `${values}`).toEqual({ status: 400, said: expect.stringContaining(said) });
    }
  });

  it("[ERR-4] [LIMIT-1] jsonValuesMax at MCP, of all messages of a batch together", async () => {
    const ping = (extra: readonly number[]) => ({ jsonrpc: "2.0", id: 1, method: "ping", params: { extra } });
    const batch = (extra: readonly number[]) => [{ ...ping([]), id: 2 }, ping(extra)];
    for (const request of [ping, batch]) {
      expect((await post("/mcp", withValues(max - 1, request))).status).toBe(200);
      expect((await post("/mcp", withValues(max, request))).status).toBe(200);
      const refused = await post("/mcp", withValues(max + 1, request));
      expect(refused.status).toBe(400);
      expect(JSON.parse(refused.said)).toMatchObject({
        error: { code: -32700, data: { code: "bad_request", details: { values_max: max } } },
      });
    }
  });

  it("[WS-7] [LIMIT-1] jsonValuesMax in a frame", async () => {
    const request = (extra: readonly number[]) => ({
      type: "request",
      id: 1,
      operation: "get_app_info",
      input: { extra },
    });
    for (const values of [max - 1, max]) {
      const socket = await TestSocket.open(subject.broker.url);
      socket.sendText(withValues(values, request));
      expect(await socket.replyTo(1), `${values}`).toMatchObject({ error: { code: "bad_request" } });
    }
    const socket = await TestSocket.open(subject.broker.url);
    socket.sendText(withValues(max + 1, request));
    expect(await socket.closed).toBe(4400);
    await expectUnharmed(subject);
  });
});

describe("pages", () => {
  /** Creates a session with one message per size. The content of each message has that size, in bytes of JSON. */
  async function sessionWith(sizes: readonly number[]) {
    const at = await createSession();
    const reader = await rest.call("join_session", { session_id: at.session_id, team_name: "Reader" });
    const frame = countUtf8Bytes(JSON.stringify({ text: "" }));
    for (let first = 0; first < sizes.length; first += 50) {
      await Promise.all(
        sizes
          .slice(first, first + 50)
          .map((size) => webSocket.call("post_message", { ...at, content: { text: letters(size - frame) } })),
      );
    }
    return { ...at, reader: reader.team_id, cursor: reader.cursor };
  }

  it("[FEED-14] [LIMIT-1] pageMessagesMax and pageMessagesDefault", async () => {
    const {
      session_id,
      reader: team_id,
      cursor,
    } = await sessionWith(Array(limits.pageMessagesMax + 1).fill(20));
    const lengthOf = async (limit?: number) =>
      (await rest.call("get_history", { session_id, ...(limit !== undefined && { limit }) })).messages.length;
    expect(await lengthOf(limits.pageMessagesMax - 1)).toBe(limits.pageMessagesMax - 1);
    expect(await lengthOf(limits.pageMessagesMax)).toBe(limits.pageMessagesMax);
    expect(await lengthOf(limits.pageMessagesMax + 1)).toBe(limits.pageMessagesDefault);
    expect(await lengthOf()).toBe(limits.pageMessagesDefault);
    expect(await lengthOf(limits.pageMessagesDefault + 1)).toBe(limits.pageMessagesDefault + 1);
    expect(await lengthOf(0)).toBe(limits.pageMessagesDefault);

    const waitAfter = (since_cursor: number) =>
      rest.call("wait_for_messages", { session_id, team_id, since_cursor, timeout: 0 });
    for (const [skip, length, remaining] of [
      [2, limits.pageMessagesMax - 1, undefined],
      [1, limits.pageMessagesMax, undefined],
      [0, limits.pageMessagesMax, 1],
    ] as const) {
      const page = await waitAfter(cursor + skip);
      expect(page.messages).toHaveLength(length);
      expect(page.remaining).toBe(remaining);
    }
  });

  it("[FEED-14] [LIMIT-1] pageBytesMax, of the messages' contents", async () => {
    const piece = 64 * 1024 - 1024;
    const pieces = Math.floor(limits.pageBytesMax / piece);
    const rest8 = limits.pageBytesMax - pieces * piece;
    for (const [more, expected] of [
      [-1, pieces + 1],
      [0, pieces + 1],
      [1, pieces],
    ] as const) {
      const sizes = [rest8 + more, ...Array<number>(pieces).fill(piece)];
      const { session_id, team_id } = await sessionWith(sizes);
      const page = await rest.call("get_history", { session_id, team_id, limit: 500 });
      // The page is filled backwards from the newest message, so the join event at the beginning of the feed is never
      // on it.
      expect(page.messages, `${more}`).toHaveLength(expected);
    }
  });

  it("[WAIT-9] [LIMIT-1] compactPageCharsMax, of the messages' contents", async () => {
    const half = limits.compactPageCharsMax / 2;
    for (const [more, expected] of [
      [-1, 2],
      [0, 2],
      [1, 1],
    ] as const) {
      const { session_id } = await sessionWith([half, half + more]);
      const text = await readCompactly(session_id);
      expect(text.match(/^#\d+ Birch: x/gm), `${more}`).toHaveLength(expected);
      expect(text.length).toBeLessThan(limits.compactPageCharsMax + 1_000);
    }
  });

  async function readCompactly(session_id: string): Promise<string> {
    const response = await fetch(new URL("/mcp?view=compact", subject.broker.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_history", arguments: { session_id } },
      }),
    });
    return Object(await response.json()).result.content[0].text;
  }

  it("[DOC-4] [LIMIT-1] conflictContentBytesMax and conflictDiffBytesMax", async () => {
    async function conflictWith(content: string) {
      const at = await createSession();
      await rest.call("update_session_doc", { ...at, content, expected_version: 0 });
      const call = rest.call("update_session_doc", { ...at, content: "mine", expected_version: 0 });
      return call.catch((error: { details: { content?: string; diff?: string } }) => error.details);
    }
    for (const [size, included] of [
      [limits.conflictContentBytesMax - 1, true],
      [limits.conflictContentBytesMax, true],
      [limits.conflictContentBytesMax + 1, false],
    ] as const) {
      expect(await conflictWith(letters(size)), `${size}`).toHaveProperty("diff");
      expect("content" in (await conflictWith(letters(size))), `${size}`).toBe(included);
    }
    const { diff: small } = Object(await conflictWith(letters(100)));
    const around = countUtf8Bytes(small) - 100;
    for (const [size, included] of [
      [limits.conflictDiffBytesMax - 1, true],
      [limits.conflictDiffBytesMax, true],
      [limits.conflictDiffBytesMax + 1, false],
    ] as const) {
      expect("diff" in (await conflictWith(letters(size - around))), `${size}`).toBe(included);
    }
  });

  it("[SES-6] [LIMIT-1] sessionsPageMax and sessionsPageDefault", async () => {
    const max = limits.sessionsPageMax;
    const database = connectTestDatabase(subject.broker.databaseUrl);
    await database`
      INSERT INTO sessions (session_id, mesh_id, slug, title, description, created_by_team_id, settings, created_at, updated_at)
      SELECT gen_random_uuid(), mesh_id, 'listed-' || n, 'Listed', '', gen_random_uuid(), '{}', now(), now()
      FROM meshes, generate_series(0, ${max}::int) n`;
    await database`INSERT INTO feeds (session_id) SELECT session_id FROM sessions WHERE title = 'Listed'`;
    await database`INSERT INTO documents (session_id, updated_at) SELECT session_id, now() FROM sessions WHERE title = 'Listed'`;
    const list = async (limit?: number) =>
      (await rest.call("list_sessions", { query: "Listed", ...(limit !== undefined && { limit }) })).sessions
        .length;
    expect(await list()).toBe(limits.sessionsPageDefault);
    expect(await list(max - 1)).toBe(max - 1);
    expect(await list(max)).toBe(max);
    expect(await codeOf(list(max + 1))).toBe("bad_request");
    expect(await list(1)).toBe(1);
    expect(await codeOf(list(0))).toBe("bad_request");
  });

  it("[SES-6] [LIMIT-1] pageBytesMax, of sessions", async () => {
    const word = `wide${Date.now()}`;
    const escaped = "\u0001".repeat(limits.descriptionCharsMax);
    const ids: string[] = [];
    const create = async (description: string) => {
      const { session_id } = await rest.call("create_session", {
        title: word,
        description,
        creator_team_name: "Birch",
      });
      ids.unshift(session_id);
    };
    const list = (before?: string) =>
      rest.call("list_sessions", { query: word, limit: 200, ...(before !== undefined && { before }) });
    const bytesOf = (sessions: readonly object[]) =>
      sessions.reduce((sum, session) => sum + countUtf8Bytes(JSON.stringify(session)), 0);

    // The oldest session, the last on the page, is padded until the page is exactly full.
    await create("");
    const wide = Math.floor(limits.pageBytesMax / (6 * limits.descriptionCharsMax + 1_000));
    for (let n = 0; n < wide; n += 1) await create(escaped);
    const free = limits.pageBytesMax - bytesOf((await list()).sessions);
    const escapes = Math.floor(free / 6);
    for (const [more, listed] of [
      [-1, wide + 1],
      [0, wide + 1],
      [1, wide],
    ] as const) {
      const oldest = ids.at(-1);
      const description = "\u0001".repeat(escapes) + letters((free % 6) + more);
      const database = connectTestDatabase(subject.broker.databaseUrl);
      await database`UPDATE sessions SET description = ${description} WHERE session_id = ${oldest ?? ""}`;
      const { sessions, next_cursor } = await list();
      expect(sessions, `${more}`).toHaveLength(listed);
      expect(bytesOf(sessions)).toBeLessThanOrEqual(limits.pageBytesMax);
      expect(next_cursor === null, `${more}`).toBe(listed > wide);
    }
    const first = await list();
    const second = await list(first.next_cursor ?? "");
    expect(second.next_cursor).toBeNull();
    expect([...first.sessions, ...second.sessions].map((session) => session.session_id)).toEqual(ids);
  });

  it("[DOC-9] [LIMIT-1] versionsPageMax and versionsPageDefault", async () => {
    const at = await createSession();
    for (let version = 0; version <= limits.versionsPageDefault; version += 1) {
      await rest.call("append_to_session_doc", { ...at, text: "x" });
    }
    const list = async (limit?: number) =>
      rest.call("list_doc_versions", { ...at, ...(limit !== undefined && { limit }) });
    expect(await list()).toMatchObject({ has_more: true, versions: { length: limits.versionsPageDefault } });
    expect(await list(limits.versionsPageDefault + 1)).toMatchObject({ has_more: false });
    expect(await codeOf(list(limits.versionsPageMax - 1))).toBe("ok");
    expect(await codeOf(list(limits.versionsPageMax))).toBe("ok");
    expect(await codeOf(list(limits.versionsPageMax + 1))).toBe("bad_request");
    expect(await codeOf(list(0))).toBe("bad_request");
  });
});

describe("waiting", () => {
  it("[WAIT-5] [LIMIT-1] waitSecondsMax", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    try {
      for (const [seconds, expectedMs] of [
        [limits.waitSecondsMax - 1, (limits.waitSecondsMax - 1) * 1000],
        [limits.waitSecondsMax, limits.waitSecondsMax * 1000],
        [limits.waitSecondsMax + 1, limits.waitSecondsMax * 1000],
        [1e300, limits.waitSecondsMax * 1000],
      ] as const) {
        const at = await createSession();
        timers.mockClear();
        const socket = await TestSocket.open(subject.broker.url);
        socket.request(1, "wait_for_messages", { ...at, timeout: seconds });
        await expect
          .poll(() =>
            timers.mock.calls
              .map(([, ms]) => ms ?? 0)
              // Ignores the longer timers that detect a silent database. Waits with the same timeout share these
              // timers.
              .filter((ms) => ms >= 29_000 && ms < 29_000 + limits.silentDatabaseMsMax),
          )
          .toEqual([expectedMs]);
        socket.send({ type: "cancel", id: 1 });
        await socket.replyTo(1);
      }
    } finally {
      timers.mockRestore();
    }
  });

  it("[WAIT-6] [LIMIT-1] parkedWaitsPerPeerMax", async () => {
    const at = await createSession();
    const socket = await TestSocket.open(subject.broker.url);
    for (let id = 1; id <= limits.parkedWaitsPerPeerMax; id += 1) {
      socket.request(id, "wait_for_messages", at);
      await expect.poll(() => parkedWaits(subject.broker)).toBe(id);
    }
    expect(socket.replies()).toEqual([]);
    socket.request("one more", "wait_for_messages", at);
    expect(await socket.replyTo(1)).toMatchObject({ output: { messages: [], idle_polls: 1 } });
    await expect.poll(() => parkedWaits(subject.broker)).toBe(limits.parkedWaitsPerPeerMax);
    expect(socket.replies()).toHaveLength(1);
    socket.end();
    await expect.poll(() => parkedWaits(subject.broker)).toBe(0);
  });

  it("[WAIT-11] waits that share an id all end with their connection, and by one cancel", async () => {
    const at = await createSession();
    const socket = await TestSocket.open(subject.broker.url);
    for (const id of [7, 7, 8, 8]) socket.request(id, "wait_for_messages", at);
    await expect.poll(() => parkedWaits(subject.broker)).toBe(limits.parkedWaitsPerPeerMax);
    socket.send({ type: "cancel", id: 7 });
    await expect.poll(() => parkedWaits(subject.broker)).toBe(2);
    socket.end();
    await expect.poll(() => parkedWaits(subject.broker)).toBe(0);
  });

  async function parkedWaits(broker: TestBroker): Promise<number> {
    const text = await (await fetch(new URL("/metrics", broker.url))).text();
    return Number(/^\w*parked_waits (\d+)/m.exec(text)?.[1]);
  }
});

describe("one connection", () => {
  it("[WS-9] [LIMIT-1] unansweredRequestsPerConnectionMax", async () => {
    const { session_id } = await createSession();
    const join = (team_name: string) => rest.call("join_session", { session_id, team_name });
    const max = limits.unansweredRequestsPerConnectionMax;
    const teams: OutputOf<"join_session">[] = [];
    for (let n = 0; n * limits.parkedWaitsPerPeerMax < max; n += 1) teams.push(await join(`Team ${n}`));
    const end = teams.at(-1)?.cursor ?? 0;

    const socket = await TestSocket.open(subject.broker.url);
    const park = (id: number) => {
      const team = teams[id % teams.length];
      socket.request(id, "wait_for_messages", { session_id, team_id: team?.team_id, since_cursor: end });
    };
    for (let id = 1; id <= max - 2; id += 1) park(id);
    for (const parked of [max - 2, max - 1]) {
      // With this request, `parked + 1` requests are unanswered: first one below the limit, then exactly at it.
      socket.request(`beside ${parked}`, "get_app_info", {});
      expect(await socket.replyTo(`beside ${parked}`)).toHaveProperty("output");
      park(parked + 1);
    }
    // Pings are answered immediately and do not count.
    socket.send({ type: "ping", id: "ping" });
    expect(await socket.replyTo("ping")).toEqual({ type: "reply", id: "ping", output: {} });
    socket.request("one too many", "get_app_info", {});
    expect(await socket.closed).toBe(4429);
    await expectUnharmed(subject);
  });

  it("[WS-9] [LIMIT-1] subscriptionsPerConnectionMax, also when many are asked for at once", async () => {
    const max = limits.subscriptionsPerConnectionMax;
    const sessions = await Promise.all(Array.from({ length: max + 2 }, () => createSession("Followed")));
    const socket = await TestSocket.open(subject.broker.url);
    const subscribe = (id: number) =>
      socket.send({ type: "subscribe", id, kind: "follow", session_id: sessions[id]?.session_id });
    for (let id = 0; id < max - 1; id += 1) subscribe(id);
    for (let id = 0; id < max - 1; id += 1) expect(await socket.replyTo(id)).toHaveProperty("output");

    for (const id of [max - 1, max, max + 1]) subscribe(id);
    const last = await Promise.all([max - 1, max, max + 1].map((id) => socket.replyTo(id)));
    expect(last.filter((reply) => "output" in reply)).toHaveLength(1);
    expect(last.filter((reply) => "error" in reply)).toHaveLength(2);
    expect(last.find((reply) => "error" in reply)).toMatchObject({ error: { code: "too_many_requests" } });

    // A repeated subscription does not count twice, and ending a subscription makes room for another.
    socket.send({ type: "subscribe", id: "again", kind: "follow", session_id: sessions[0]?.session_id });
    expect(await socket.replyTo("again")).toHaveProperty("output");
    socket.send({ type: "unsubscribe", id: "end", kind: "follow", session_id: sessions[0]?.session_id });
    expect(await socket.replyTo("end")).toHaveProperty("output");
    socket.send({ type: "subscribe", id: "next", kind: "inbox", ...sessions[0] });
    expect(await socket.replyTo("next")).toHaveProperty("output");
  });

  it("[WS-5] [LIMIT-1] connectionsMax, and who comes too many cannot do harm", async () => {
    expect(limits.connectionsMax).toBeGreaterThan(1_000);
    const broker = await startTestBroker({ connectionsMax: 2 });
    const [first, second] = [await TestSocket.open(broker.url), await TestSocket.open(broker.url)];
    const third = new WebSocket(`${broker.url.replace(/^http/, "ws")}/ws`);
    const closed = new Promise((resolve) => third.once("close", resolve));
    third.on("error", () => undefined);
    third.once("upgrade", (response) => {
      // An invalid frame: unmasked, with reserved bits set.
      response.socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    });
    expect(await closed).toBe(4003);
    for (const socket of [first, second]) {
      socket.send({ type: "ping", id: 1 });
      expect(await socket.replyTo(1)).toHaveProperty("output");
    }
    second.end();
    await expect
      .poll(async () => {
        const again = await TestSocket.open(broker.url).catch(() => null);
        again?.end();
        return again !== null;
      })
      .toBe(true);
  });
});

it("[IDEM-1] [LIMIT-1] idempotencyHours", async () => {
  const database = await openDatabase({ target: subject.broker.databaseUrl });
  try {
    for (const [ms, gone] of [
      [-1, 0],
      [0, 0],
      // 2 ms rather than 1, because rows are stamped in whole milliseconds and the clock is finer.
      [2, 1],
    ] as const) {
      await rest.call("create_session", {
        title: "Kept",
        creator_team_name: "Birch",
        idempotency_key: `kept for a day, ${ms} ms`,
      });
      const age = `${limits.idempotencyHours} hours ${ms} milliseconds`;
      const purged = await database.transaction(async (tx) => {
        // `now()` is constant within a transaction.
        await tx.execute(sql`UPDATE idempotent_results SET created_at = now()`);
        await tx.execute(sql`
          UPDATE idempotent_results SET created_at = date_trunc('milliseconds', now()) + interval '1 millisecond' - ${age}::interval
          WHERE request_hash = (SELECT max(request_hash) FROM idempotent_results)`);
        return purgeRequests(tx, limits.idempotencyHours);
      });
      expect(purged, `${ms} ms beyond`).toBe(gone);
    }
  } finally {
    await database.close();
  }
});
