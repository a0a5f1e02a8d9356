import { type CloseReason, closeCodes, type limits } from "@merkle/wire";

type Limits = typeof limits;
type LimitName = keyof Limits;

/** A row for each limit: its name, its value with its unit, and what happens beyond it (LIMIT-1). */
export function describeLimits(all: Limits): string[][] {
  // The keys of the table below are exactly the names of the limits, or it would not compile.
  const names = Object.keys(all) as LimitName[];
  return names.map((name) => [`\`${name}\``, describeValue(name, all[name]), beyond[name]]);
}

const beyond: Readonly<Record<LimitName, string>> = {
  messageTextBytesMax: "413",
  documentBytesMax: "413, as sent and as it would become",
  titleCharsMax: "400",
  descriptionCharsMax: "400",
  nameCharsMax: "400",
  reasonCharsMax: "400",
  slugCharsMax: "400",
  summaryCharsMax: "400",
  optionsMax: "400",
  recipientsMax: "400",
  groupsPerPeerMax: "400",
  stateKeyCharsMax: "400",
  stateValueBytesMax: "413",
  stateKeysPerScopeMax: "409",
  stateHistoryMax: "the oldest values go",
  stateValueDepthMax: "400",
  stateValueToldBytesMax: "the value is left out; get_state has it (STATE-8)",
  watchesPerPeerMax: "409",
  memoryBytesMax: "413",
  tagsMax: "400",
  tagCharsMax: "400",
  projectIdCharsMax: "400",
  progressTitleCharsMax: "400",
  progressContentCharsMax: "400",
  progressTagsMax: "400",
  queryCharsMax: "400",
  thoughtBytesMax: "413",
  intentCharsMax: "400",
  auditIdCharsMax: "400",
  thoughtsPerAuditSessionMax: "409",
  thoughtsPageMax: "400",
  thoughtsPageDefault: "what a page has unless told",
  sealsListedMax: "the older ones are not listed",
  attentionIdCharsMax: "400",
  urlCharsMax: "400",
  meshNameCharsMax: "400",
  inviteUsesMax: "400",
  invitesListedMax: "the older ones are not listed",
  endedInviteDays: "it is forgotten",
  inviteSeconds: "how long an invite is good for unless told",
  inviteSecondsMax: "400",
  inviteCodeSeconds: "the code is good no more",
  inviteCodeTries: "the code is good no more",
  joinSecondsMax: "401",
  tokensListedMax: "the older ones are not listed",
  tokenSeconds: "how long a token is good for unless told",
  tokenSecondsMax: "400",
  observerSeconds: "how long an observer link is good for unless told",
  signInSeconds: "the link signs nobody in any more",
  signInSecondsMax: "400",
  browserSeconds: "the browser has to sign in again",
  ticketSeconds: "the ticket opens no connection any more",
  furtherSecretsMax: "the oldest of them is good no more",
  attentionItemsMax: "the rest is counted",
  attentionCountedMax: "as many are said",
  timelineBucketsMax: "400",
  timelineMarksMax: "the oldest are left out and counted",
  unreadCountedMax: "as many are said",
  idempotencyKeyCharsMax: "400",
  anonymousIdempotencyKeyCharsMin: "400 below it, in a call without a credential",
  httpBodyBytesMax: "413",
  frameBytesMax: closeWith("too_large"),
  frameFragmentsMax: "close 1008",
  jsonValuesMax: `400, and as a frame ${closeWith("bad_frame")}`,
  pageMessagesMax: "FEED-14, WAIT-9",
  pageMessagesDefault: "what a page has unless told",
  pageBytesMax: "the page ends before",
  compactPageCharsMax: "the compact page ends before",
  redactedVersionsMax: "400",
  conflictContentBytesMax: "a conflict's details leave the content out (DOC-4)",
  conflictDiffBytesMax: "a conflict's details leave the diff out (DOC-4)",
  sessionsPageMax: "400",
  sessionsPageDefault: "what a page has unless told",
  versionsPageMax: "400",
  versionsPageDefault: "what a page has unless told",
  statePageMax: "400",
  statePageDefault: "what a page has unless told",
  memoriesPageMax: "400",
  memoriesPageDefault: "what a page has unless told",
  progressPageMax: "400",
  progressPageDefault: "what a page has unless told",
  projectsPageMax: "400",
  progressSummaryCharsMax: "the rest is left out (PROGRESS-7)",
  searchHitsMax: "400",
  searchHitsDefault: "what an answer has unless told",
  waitSecondsMax: "means the same as the limit",
  parkedWaitsPerPeerMax: "the oldest is answered (WAIT-6)",
  nudgeAnswerMsMax: "the nudge is answered without it (NUDGE-2)",
  unansweredRequestsPerConnectionMax: closeWith("too_many_requests"),
  subscriptionsPerConnectionMax: "error reply",
  outboundBytesMax: "no more pushes on that socket until it has drained (WS-6)",
  undrainedMsMax: `${closeWith("slow_consumer")} (WS-6)`,
  flushRowsMax: "the rest goes with the next flush",
  flushBytesMax: "the rest goes with the next flush",
  appendQueueBytesMax: "503 (FEED-10)",
  unknownOutcomeMsMax: "503 (FEED-7)",
  silentDatabaseMsMax: "503 (FEED-7)",
  ringBytesPerSessionMax: "older messages are read from the database",
  ringBytesTotalMax: "older messages are read from the database",
  cachedCredentialsMax: "the longest unused is dropped and read again",
  cachedSessionsMax: "the longest unused is dropped and read again",
  liveMcpSessionsMax: "the longest unused is dropped and taken up again when it calls",
  connectionsMax: closeWith("too_many_connections"),
  connectionsPerAddressMax: "the connection is ended (GUARD-8)",
  requestHeadersMsMax: "400 (GUARD-9)",
  requestMsMax: "400 (GUARD-9)",
  helloMsMax: closeWith("no_hello"),
  helloBytesMax: closeWith("too_large"),
  unprovenConnectionsMax: `the oldest ends, ${closeWith("too_many_connections")}`,
  unprovenConnectionsPerAddressMax: `the oldest ends, ${closeWith("too_many_connections")}`,
  bodiesBytesMax: "503 (GUARD-9)",
  unfinishedFramesBytesMax: `${closeWith("unfinished_frame")} (GUARD-15)`,
  rateBucketsMax: "the longest unused is forgotten, and full again",
  idempotencyHours: "the key is free again (IDEM-1)",
  peerRetiredAfterDays: "the peer is retired (PEER-10)",
  receiptDays: "`delivered_at` is null (DELIVER-8)",
  stateEventMsMin: "changes in between have no event of their own (STATE-7)",
};

function closeWith(reason: CloseReason): string {
  return `close ${closeCodes[reason].code}`;
}

/** The value in the unit that its name says. */
function describeValue(name: LimitName, value: number): string {
  if (name.includes("Bytes")) return describeBytes(value);
  const unit = units.find(([word]) => name.includes(word))?.[1];
  return [value.toLocaleString("en-US"), ...(unit === undefined ? [] : [unit])].join(" ");
}

const units: readonly (readonly [word: string, unit: string])[] = [
  ["Chars", "characters"],
  ["Seconds", "s"],
  ["Ms", "ms"],
  ["Hours", "h"],
  ["Days", "days"],
  ["jsonValues", "values"],
  ["pageMessages", "messages"],
  ["sessionsPage", "sessions"],
  ["versionsPage", "versions"],
  ["statePage", "keys"],
  ["stateKeys", "keys"],
  ["stateHistory", "values"],
  ["stateValueDepth", "levels"],
  ["memoriesPage", "memories"],
  ["progressPage", "entries"],
  ["projectsPage", "projects"],
  ["progressTags", "tags"],
  ["searchHits", "hits"],
  ["flushRows", "messages"],
];

function describeBytes(bytes: number): string {
  const kib = bytes / 1024;
  return kib >= 1024 ? `${kib / 1024} MiB` : `${kib} KiB`;
}
