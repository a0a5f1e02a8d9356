import { unreadCountedMax } from "./unread-text.js";

/**
 * Every bound of Merkle in one place. Sizes are UTF-8 bytes unless the name says characters or messages; a unit stands
 * last in the name. A value at its limit is accepted, one above it is refused (LIMIT-1).
 */
export const limits = {
  // Input of a caller.
  messageTextBytesMax: 64 * 1024,
  documentBytesMax: 512 * 1024,
  titleCharsMax: 200,
  descriptionCharsMax: 8_000,
  nameCharsMax: 100,
  reasonCharsMax: 500,
  slugCharsMax: 48,
  summaryCharsMax: 500,
  optionsMax: 10,
  recipientsMax: 50,
  groupsPerPeerMax: 50,
  stateKeyCharsMax: 200,
  stateValueBytesMax: 64 * 1024,
  /** Lists and objects within one another. */
  stateValueDepthMax: 100,
  stateKeysPerScopeMax: 10_000,
  watchesPerPeerMax: 100,
  memoryBytesMax: 16 * 1024,
  tagsMax: 20,
  tagCharsMax: 50,
  personaPromptBytesMax: 8 * 1024,
  personasPerMeshMax: 100,
  perspectiveBytesMax: 64 * 1024,
  jobsListedDefault: 20,
  jobsListedMax: 100,
  /** The text that a comment marks; UTF-16 units. */
  quoteCharsMax: 2_000,
  /** The text before the marked one, and as much behind it, that is kept with it. */
  quoteContextCharsMax: 64,
  topicMessageBytesMax: 16 * 1024,
  /** Each of them is looked for whenever their text changes. */
  openTopicsPerSourceMax: 200,
  topicsPageMax: 200,
  topicsPageDefault: 100,
  topicMessagesPageMax: 100,
  /** The note that goes with a proposal, and the remark about one. */
  proposalNoteCharsMax: 2_000,
  hunksChosenMax: 2_000,
  proposalsPageDefault: 20,
  proposalsPageMax: 100,
  unfinishedTasksPerSessionMax: 10_000,
  taskTextBytesMax: 16 * 1024,
  taskResultBytesMax: 8 * 1024,
  taskLabelsMax: 20,
  taskBlockersMax: 50,
  taskLinksMax: 20,
  taskPartsMax: 20,
  checkCommandCharsMax: 500,
  checkTailBytesMax: 4 * 1024,
  tasksPageMax: 500,
  tasksPageDefault: 100,
  scopeCharsMax: 300,
  claimsPerSessionMax: 1_000,
  claimSecondsMin: 60,
  claimSecondsMax: 7 * 24 * 60 * 60,
  approvalInputBytesMax: 64 * 1024,
  approvalFolderCharsMax: 4_096,
  approvalDevicesMax: 5,
  approvalsWaitingPerPeerMax: 20,
  approvalLeaseSeconds: 90,
  approvalsEndedShown: 50,
  projectIdCharsMax: 100,
  progressTitleCharsMax: 100,
  progressContentCharsMax: 10_000,
  progressTagsMax: 10,
  sourcesListedDefault: 500,
  sourcesListedMax: 2_000,
  queryCharsMax: 500,
  thoughtBytesMax: 16 * 1024,
  intentCharsMax: 2_000,
  auditIdCharsMax: 200,
  thoughtsPerAuditSessionMax: 10_000,
  attentionIdCharsMax: 200,
  urlCharsMax: 2_000,
  alertTargetsMax: 20,
  alertSecretCharsMax: 200,
  meshNameCharsMax: 50,
  /** Where everybody is let in: so many meshes are there before only a verified human makes another. */
  openMeshesMax: 20,
  idempotencyKeyCharsMax: 200,
  /** A key that stands alone, without a credential beside it, hands out a credential when repeated: it must not be guessed. */
  anonymousIdempotencyKeyCharsMin: 16,
  /** Texts of one call in the form of a credential, each of which is looked up (AUTH-6). */
  quotedSecretsMax: 1_000,
  httpBodyBytesMax: 2 * 1024 * 1024,
  frameBytesMax: 2 * 1024 * 1024,
  frameFragmentsMax: 1_024,
  /** In one body or frame, each list and object counted together with all that it holds; no call has use for a hundred. */
  jsonValuesMax: 10_000,

  // Contents of a reply.
  pageMessagesMax: 500,
  pageMessagesDefault: 100,
  pageBytesMax: 512 * 1024,
  /** A compact page is read by a model, which pays for each character. */
  compactPageCharsMax: 20_000,
  /** Each may be as long as a document may, and all are hashed in one statement. */
  redactedVersionsMax: 500,
  conflictContentBytesMax: 8 * 1024,
  conflictDiffBytesMax: 64 * 1024,
  sessionsPageMax: 200,
  sessionsPageDefault: 50,
  versionsPageMax: 500,
  versionsPageDefault: 100,
  statePageMax: 500,
  statePageDefault: 100,
  /** So many of a key's last values are kept. */
  stateHistoryMax: 100,
  /** A larger value is left out of events, pushes and conflicts; get_state has it. */
  stateValueToldBytesMax: 8 * 1024,
  memoriesPageMax: 100,
  memoriesPageDefault: 20,
  progressPageMax: 100,
  progressPageDefault: 20,
  projectsPageMax: 200,
  /** The summary of a progress entry: a model's answer, or the content itself where no model answers. */
  progressSummaryCharsMax: 500,
  thoughtsPageMax: 100,
  thoughtsPageDefault: 50,
  sealsListedMax: 100,
  searchHitsMax: 50,
  searchHitsDefault: 20,
  attentionItemsMax: 200,
  /** So many of a kind are counted. */
  attentionCountedMax: 1_000,
  timelineBucketsMax: 200,
  timelineMarksMax: 500,
  /** The text of a brief. */
  briefCharsMax: 4_000,
  briefSessionsMax: 10,
  /** Unread messages are counted up to here. */
  unreadCountedMax,

  // Waiting.
  waitSecondsMax: 30,
  parkedWaitsPerPeerMax: 4,
  /** In a session of more teams their coming, their going and a new title end the convener's waits alone. */
  endsWaitsTeamsMax: 4,
  /** So rarely these end a peer's waits. */
  endsWaitsMsMin: 5_000,
  /** How long a nudge waits for the clients that it reached to say what they did. */
  nudgeAnswerMsMax: 2_000,

  // One connection.
  unansweredRequestsPerConnectionMax: 64,
  subscriptionsPerConnectionMax: 64,
  pipelinedRequestsMax: 32,
  /** Frames that came sooner than their address may send them. */
  waitingFramesPerConnectionMax: 256,
  outboundBytesMax: 1024 * 1024,
  undrainedMsMax: 10_000,

  // The appender.
  flushRowsMax: 1_000,
  flushBytesMax: 1024 * 1024,
  appendQueueBytesMax: 8 * 1024 * 1024,
  unknownOutcomeMsMax: 5_000,
  /** Longer than anything may take that the database still has a say in. */
  silentDatabaseMsMax: 15_000,

  // Memory of the broker.
  ringBytesPerSessionMax: 256 * 1024,
  ringBytesTotalMax: 64 * 1024 * 1024,
  cachedCredentialsMax: 10_000,
  cachedSessionsMax: 10_000,
  liveMcpSessionsMax: 1_000,
  /** A client says its version, its name and what it can do. */
  mcpInitializeBytesMax: 16 * 1024,
  connectionsMax: 10_000,
  /** Where rates are limited; an office behind one address has many agents. */
  connectionsPerAddressMax: 1_000,
  /** A request over a weak line may come slowly, but not take for ever. */
  requestHeadersMsMax: 10_000,
  requestMsMax: 60_000,
  /** Where members alone are let in: what a connection may take and send until its client has proved who it is. */
  helloMsMax: 10_000,
  helloBytesMax: 8 * 1024,
  unprovenConnectionsMax: 1_000,
  unprovenConnectionsPerAddressMax: 100,
  /** The bodies of all requests that are being read, together. */
  bodiesBytesMax: 64 * 1024 * 1024,
  /** All WebSocket messages that have begun and not ended, together. */
  unfinishedFramesBytesMax: 64 * 1024 * 1024,
  /** On its way to a client that has not shown yet that it reads. */
  unreadBytesMin: 32 * 1024,
  /** The buckets that are kept for each kind of rate. */
  rateBucketsMax: 10_000,

  // Files.
  /** A bundle that is imported, as it is sent. */
  bundleBytesMax: 2 * 1024 * 1024 * 1024,
  /** The minimum rate of an export's reader and an import's sender, over the time for which the broker waits for them. */
  transferBytesPerSecondMin: 8 * 1024,
  transferWindowMs: 30_000,

  // Identity.
  inviteUsesMax: 1_000,
  invitesListedMax: 500,
  /** How long an invite that has ended is still shown. */
  endedInviteDays: 30,
  inviteSeconds: 24 * 60 * 60,
  inviteSecondsMax: 30 * 24 * 60 * 60,
  /** A spoken code is short, so it is good for little time and few tries. */
  inviteCodeSeconds: 10 * 60,
  inviteCodeTries: 5,
  /** How far the clocks of the broker and of a client that signs with a key may differ. */
  clockSkewSecondsMax: 5 * 60,
  tokensListedMax: 500,
  tokenSeconds: 90 * 24 * 60 * 60,
  tokenSecondsMax: 366 * 24 * 60 * 60,
  observerSeconds: 7 * 24 * 60 * 60,
  /** A link that verifies a person; the one that a start prints is good for a day. */
  verificationSeconds: 5 * 60,
  firstVerificationSeconds: 24 * 60 * 60,
  signInSeconds: 10 * 60,
  signInSecondsMax: 24 * 60 * 60,
  browserSeconds: 30 * 24 * 60 * 60,
  ticketSeconds: 30,
  /** A client that a member let in by OAuth. It gets no second token without being asked for again. */
  clientTokenSeconds: 30 * 24 * 60 * 60,
  clientCodeSeconds: 60,
  clientRegistrationSeconds: 366 * 24 * 60 * 60,
  clientRedirectsMax: 5,
  clientRedirectCharsMax: 300,
  /** How many machines and browsers of a member hold a credential of the same team or person; the oldest gives way. */
  furtherSecretsMax: 20,

  // Time.
  idempotencyHours: 24,
  /** A peer that was not seen for longer is retired: its name is free again. */
  peerRetiredAfterDays: 7,
  /** So long it is known when a message was delivered; that it was, for ever. */
  receiptDays: 30,
  /** At most one state_changed event a second for one key; the last change always has one. */
  stateEventMsMin: 1_000,
} as const;

/** How often something may be done: `burst` times at once, and from then on `per_second` times a second. */
export interface RateLimit {
  readonly per_second: number;
  readonly burst: number;
}

/**
 * How often the broker lets be called, where others than this machine's people can reach it (GUARD-5). A rate stops floods and
 * never work: reckoned are 30 busy agents of one member, behind one address. A busy agent takes a step a second, and a step
 * is two calls and what its hooks read, five in all; a message wakes the waits of a whole session at once, and five a
 * second are as many as anybody can follow. 30 agents that are started together make or join as many sessions and people
 * twice over. A session has room for two such members, and an address, where calls of every kind count, and pages and their
 * parts, for three of them and for all of them coming back at once.
 */
export const rateLimits = {
  /** Requests, upgrades and frames of one address (of IPv6: of its /64), before anything in them is looked at. */
  address: { per_second: 1_000, burst: 10_000 },
  /** Upgrades of one address: a connection takes more work to open than to use, and stays. */
  upgrade: { per_second: 20, burst: 100 },
  /** Wrong spoken codes of invites from one address. Whatever else proves somebody is too long to be guessed. */
  failed_proof: { per_second: 0.5, burst: 100 },
  /** The rates of one member, whatever the session. */
  member_read: { per_second: 300, burst: 3_000 },
  member_write: { per_second: 150, burst: 1_500 },
  member_wait: { per_second: 300, burst: 3_000 },
  member_create: { per_second: 5, burst: 100 },
  /** In one session, whoever calls. */
  session_read: { per_second: 600, burst: 6_000 },
  session_write: { per_second: 300, burst: 3_000 },
  session_wait: { per_second: 600, burst: 6_000 },
  session_create: { per_second: 10, burst: 200 },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type RateLimitName = keyof typeof rateLimits;

export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

/** The places of one principal, and of all of them together. */
export interface Share {
  /** How many a principal may use at the same time. */
  readonly each: number;
  readonly observer: number;
  /** How many more of a principal's requests wait for their turn; beyond, `too_many_requests`. */
  readonly waiting: number;
  /** How many the broker works on at the same time, for all principals in turn. Null: not bounded. */
  readonly total: number | null;
}

/** The places for what takes long or stays open (GUARD-24), enough for one person with several tabs. */
export const shares = {
  export: { each: 2, observer: 1, waiting: 0, total: 8 },
  import: { each: 2, observer: 1, waiting: 0, total: 2 },
  stream: { each: 200, observer: 20, waiting: 0, total: null },
  search: { each: 4, observer: 2, waiting: 100, total: 8 },
  history_page: { each: 2, observer: 1, waiting: 100, total: 4 },
} as const satisfies Readonly<Record<string, Share>>;

export type ShareName = keyof typeof shares;
