import { unreadCountedMax } from "./unread-text.js";

/**
 * All limits of Merkle. Sizes are UTF-8 bytes unless the name says characters or messages. Units come last in
 * a name. A value at its limit is accepted, one above it is refused (LIMIT-1).
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
  /** Nesting of arrays and objects. */
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
  /** Length of the text that a comment marks, in UTF-16 units. */
  quoteCharsMax: 2_000,
  /** Length of the stored context on each side of the marked text. */
  quoteContextCharsMax: 64,
  topicMessageBytesMax: 16 * 1024,
  /** All open topics of a source are located again whenever its text changes. */
  openTopicsPerSourceMax: 200,
  topicsPageMax: 200,
  topicsPageDefault: 100,
  topicMessagesPageMax: 100,
  /** The note of a proposal, and the remark of a decision. */
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
  /** Number of meshes in open mode after which only a verified human can create another. */
  openMeshesMax: 20,
  idempotencyKeyCharsMax: 200,
  /** A key without a credential must be hard to guess, because repeating it returns a credential. */
  anonymousIdempotencyKeyCharsMin: 16,
  /** Number of texts in one call that look like credentials. Each is looked up (AUTH-6). */
  quotedSecretsMax: 1_000,
  httpBodyBytesMax: 2 * 1024 * 1024,
  frameBytesMax: 2 * 1024 * 1024,
  frameFragmentsMax: 1_024,
  /** Number of JSON values in one body or frame, including nested ones. No call needs a hundred. */
  jsonValuesMax: 10_000,

  // Contents of a reply.
  pageMessagesMax: 500,
  pageMessagesDefault: 100,
  pageBytesMax: 512 * 1024,
  /** A compact page is read by a model, for which every character costs tokens. */
  compactPageCharsMax: 20_000,
  /** Each version may be as long as a document, and all are hashed in one statement. */
  redactedVersionsMax: 500,
  conflictContentBytesMax: 8 * 1024,
  conflictDiffBytesMax: 64 * 1024,
  sessionsPageMax: 200,
  sessionsPageDefault: 50,
  versionsPageMax: 500,
  versionsPageDefault: 100,
  statePageMax: 500,
  statePageDefault: 100,
  /** Number of past values kept per key. */
  stateHistoryMax: 100,
  /** A larger value is left out of events, pushes and conflicts. get_state returns it. */
  stateValueToldBytesMax: 8 * 1024,
  memoriesPageMax: 100,
  memoriesPageDefault: 20,
  progressPageMax: 100,
  progressPageDefault: 20,
  projectsPageMax: 200,
  /**
   * Length of a progress entry's summary: a model's reply, or the content itself if no model is available.
   */
  progressSummaryCharsMax: 500,
  thoughtsPageMax: 100,
  thoughtsPageDefault: 50,
  sealsListedMax: 100,
  searchHitsMax: 50,
  searchHitsDefault: 20,
  attentionItemsMax: 200,
  /** Number of items counted for each kind. */
  attentionCountedMax: 1_000,
  timelineBucketsMax: 200,
  timelineMarksMax: 500,
  /** Briefs. */
  briefCharsMax: 4_000,
  briefSessionsMax: 10,
  /** Unread messages are counted up to this number. */
  unreadCountedMax,

  // Waiting.
  waitSecondsMax: 30,
  parkedWaitsPerPeerMax: 4,
  /**
   * With more teams in the session, only the convener's waits end when a team joins or leaves or the title
   * changes.
   */
  endsWaitsTeamsMax: 4,
  /** Minimum interval at which these changes end a peer's waits. */
  endsWaitsMsMin: 5_000,
  /** How long a nudge waits for the replies of the clients that received it. */
  nudgeAnswerMsMax: 2_000,

  // Each connection.
  unansweredRequestsPerConnectionMax: 64,
  subscriptionsPerConnectionMax: 64,
  pipelinedRequestsMax: 32,
  /** Frames received faster than the rate of their address allows. */
  waitingFramesPerConnectionMax: 256,
  outboundBytesMax: 1024 * 1024,
  undrainedMsMax: 10_000,

  // The appender.
  flushRowsMax: 1_000,
  flushBytesMax: 1024 * 1024,
  appendQueueBytesMax: 8 * 1024 * 1024,
  unknownOutcomeMsMax: 5_000,
  /** Longer than the database's own timeouts, so only a database that does not respond reaches it. */
  silentDatabaseMsMax: 15_000,

  // Memory of the broker.
  ringBytesPerSessionMax: 256 * 1024,
  ringBytesTotalMax: 64 * 1024 * 1024,
  cachedCredentialsMax: 10_000,
  cachedSessionsMax: 10_000,
  liveMcpSessionsMax: 1_000,
  /** A client's version, name and capabilities. */
  mcpInitializeBytesMax: 16 * 1024,
  connectionsMax: 10_000,
  /** Applies only if rates are limited. An office behind one address has many agents. */
  connectionsPerAddressMax: 1_000,
  /** A request over a slow connection may take long, but not forever. */
  requestHeadersMsMax: 10_000,
  requestMsMax: 60_000,
  /** Only in invite mode: limits of a connection until its client has authenticated. */
  helloMsMax: 10_000,
  helloBytesMax: 8 * 1024,
  unprovenConnectionsMax: 1_000,
  unprovenConnectionsPerAddressMax: 100,
  /** Total size of all request bodies that are being read. */
  bodiesBytesMax: 64 * 1024 * 1024,
  /** Total size of all WebSocket messages that are incomplete. */
  unfinishedFramesBytesMax: 64 * 1024 * 1024,
  /** Bytes that may be in flight to a client before it has shown that it reads. */
  unreadBytesMin: 32 * 1024,
  /** Number of token buckets kept for each kind of rate. */
  rateBucketsMax: 10_000,

  // Files.
  /** Size of an imported bundle as it is sent. */
  bundleBytesMax: 2 * 1024 * 1024 * 1024,
  /** Minimum rate for the reader of an export and the sender of an import, measured over the window below. */
  transferBytesPerSecondMin: 8 * 1024,
  transferWindowMs: 30_000,

  // Identity.
  inviteUsesMax: 1_000,
  invitesListedMax: 500,
  /** How long an ended invite is still listed. */
  endedInviteDays: 30,
  inviteSeconds: 24 * 60 * 60,
  inviteSecondsMax: 30 * 24 * 60 * 60,
  /** A spoken code is short, so it is valid only for a short time and a few tries. */
  inviteCodeSeconds: 10 * 60,
  inviteCodeTries: 5,
  /** Maximum difference between the clocks of the broker and of a client that signs with a key. */
  clockSkewSecondsMax: 5 * 60,
  tokensListedMax: 500,
  tokenSeconds: 90 * 24 * 60 * 60,
  tokenSecondsMax: 366 * 24 * 60 * 60,
  observerSeconds: 7 * 24 * 60 * 60,
  /** Lifetime of a link that verifies a person. The link printed at the first start is valid for a day. */
  verificationSeconds: 5 * 60,
  firstVerificationSeconds: 24 * 60 * 60,
  signInSeconds: 10 * 60,
  signInSecondsMax: 24 * 60 * 60,
  browserSeconds: 30 * 24 * 60 * 60,
  ticketSeconds: 30,
  /**
   * A client that a member has authorised with OAuth. Without another authorisation it gets no second token.
   */
  clientTokenSeconds: 30 * 24 * 60 * 60,
  clientCodeSeconds: 60,
  clientRegistrationSeconds: 366 * 24 * 60 * 60,
  clientRedirectsMax: 5,
  clientRedirectCharsMax: 300,
  /**
   * Number of machines and browsers of a member with a credential of the same team or person. Beyond it the
   * oldest becomes invalid.
   */
  furtherSecretsMax: 20,

  // Time.
  idempotencyHours: 24,
  /** A peer not seen for this long is retired, and its name becomes available. */
  peerRetiredAfterDays: 7,
  /** How long the time of a delivery is kept. The fact of the delivery is kept permanently. */
  receiptDays: 30,
  /** Minimum interval between state_changed events for one key. The last change always gets an event. */
  stateEventMsMin: 1_000,
} as const;

/** A rate limit: a burst of `burst` calls, refilled with `per_second` calls per second. */
export interface RateLimit {
  readonly per_second: number;
  readonly burst: number;
}

/**
 * Rate limits of a broker that can be reached from other machines (GUARD-5). They stop floods without
 * affecting normal work. The basis is 30 busy agents of one member, behind one address. A busy agent takes
 * one step per second: two calls and the reads of its hooks, five in total. A message wakes all waits of a
 * session, and readers cannot follow more than five per second. Thirty agents that start together create or
 * join as many sessions and persons, twice. The limits of a session allow two such members. The limits of an
 * address, which count all calls and the dashboard's files, allow three, or all of them reconnecting
 * together.
 */
export const rateLimits = {
  /**
   * Requests, upgrades and frames of one address (for IPv6, its /64), counted before anything in them is
   * read.
   */
  address: { per_second: 1_000, burst: 10_000 },
  /** Upgrades per address: a connection costs more to open than to use, and stays open. */
  upgrade: { per_second: 20, burst: 100 },
  /** Wrong spoken invite codes per address. All other credentials are too long to guess. */
  failed_proof: { per_second: 0.5, burst: 100 },
  /** Rates of one member, in all sessions together. */
  member_read: { per_second: 300, burst: 3_000 },
  member_write: { per_second: 150, burst: 1_500 },
  member_wait: { per_second: 300, burst: 3_000 },
  member_create: { per_second: 5, burst: 100 },
  /** Rates of one session, for all callers together. */
  session_read: { per_second: 600, burst: 6_000 },
  session_write: { per_second: 300, burst: 3_000 },
  session_wait: { per_second: 600, burst: 6_000 },
  session_create: { per_second: 10, burst: 200 },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type RateLimitName = keyof typeof rateLimits;

export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

/** Limits on concurrent work: for one principal, and for all principals together. */
export interface Share {
  /** Maximum number of a principal's concurrent requests. */
  readonly each: number;
  readonly observer: number;
  /** Number of a principal's further requests that may wait. Beyond that: `too_many_requests`. */
  readonly waiting: number;
  /** Maximum number of requests in progress, shared by all principals in turn. Null: no limit. */
  readonly total: number | null;
}

/**
 * Limits for operations that take long or stay open (GUARD-24), sufficient for one person with several tabs.
 */
export const shares = {
  export: { each: 2, observer: 1, waiting: 0, total: 8 },
  import: { each: 2, observer: 1, waiting: 0, total: 2 },
  stream: { each: 200, observer: 20, waiting: 0, total: null },
  search: { each: 4, observer: 2, waiting: 100, total: 8 },
  history_page: { each: 2, observer: 1, waiting: 100, total: 4 },
} as const satisfies Readonly<Record<string, Share>>;

export type ShareName = keyof typeof shares;
