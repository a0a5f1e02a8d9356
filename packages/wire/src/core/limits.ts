import { unreadCountedMax } from "./unread-text.js";

/**
 * All limits of Merkle. Sizes are in UTF-8 bytes, unless a name says characters or messages. Each name ends
 * with its unit. A value equal to its limit is accepted, and any larger value is refused (LIMIT-1).
 */
export const limits = {
  // Limits on the input of calls.
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
  attachmentsMax: 10,
  /** Size of one file, as it is uploaded. Files are streamed, so `httpBodyBytesMax` does not apply to them. */
  attachmentBytesMax: 10_000_000,
  fileNameBytesMax: 200,
  mediaTypeCharsMax: 100,
  filesPageMax: 500,
  filesPageDefault: 100,
  groupsPerPeerMax: 50,
  stateKeyCharsMax: 200,
  stateValueBytesMax: 64 * 1024,
  /** Maximum nesting depth of arrays and objects in a state value. */
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
  /** Length of the passage that a comment refers to, in UTF-16 units. */
  quoteCharsMax: 2_000,
  /** Length of the context stored on each side of the passage. */
  quoteContextCharsMax: 64,
  topicMessageBytesMax: 16 * 1024,
  /** Limited because all open topics of a source are located again whenever its text changes. */
  openTopicsPerSourceMax: 200,
  topicsPageMax: 200,
  topicsPageDefault: 100,
  topicMessagesPageMax: 100,
  /** Also the maximum length of the remark that explains a decision. */
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
  taskFilesMax: 20,
  /** A call for the next task passes over at most this many tasks whose files another peer has claimed. */
  tasksPassedOverMax: 20,
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
  approvalAgainHours: 24,
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
  /** In open mode, once this many meshes exist, only a verified human can create another. */
  openMeshesMax: 20,
  idempotencyKeyCharsMax: 200,
  /**
   * An idempotency key used without a credential must be hard to guess, because repeating the call returns a
   * credential.
   */
  anonymousIdempotencyKeyCharsMin: 16,
  /** Number of strings in one call that look like credentials. Each of them is looked up (AUTH-6). */
  quotedSecretsMax: 1_000,
  httpBodyBytesMax: 2 * 1024 * 1024,
  frameBytesMax: 2 * 1024 * 1024,
  frameFragmentsMax: 1_024,
  /**
   * Number of JSON values in one body or frame, including nested ones. Real calls have fewer than a hundred.
   */
  jsonValuesMax: 10_000,

  // Limits on the content of replies.
  pageMessagesMax: 500,
  pageMessagesDefault: 100,
  pageBytesMax: 512 * 1024,
  /** Models read compact pages, and every character costs them tokens. */
  compactPageCharsMax: 20_000,
  /** A claimed task comes with at most this many messages about it, newest kept. */
  taskThreadMessagesMax: 20,
  taskThreadBytesMax: 16 * 1024,
  /**
   * Number of document versions in one redaction. Each may be as long as a document, and one statement hashes
   * them all.
   */
  redactedVersionsMax: 500,
  conflictContentBytesMax: 8 * 1024,
  conflictDiffBytesMax: 64 * 1024,
  sessionsPageMax: 200,
  sessionsPageDefault: 50,
  versionsPageMax: 500,
  versionsPageDefault: 100,
  statePageMax: 500,
  statePageDefault: 100,
  /** Number of past values that are kept for each key. */
  stateHistoryMax: 100,
  /** A larger value is left out of events, pushes and conflicts. It can be read with get_state. */
  stateValueToldBytesMax: 8 * 1024,
  memoriesPageMax: 100,
  memoriesPageDefault: 20,
  progressPageMax: 100,
  progressPageDefault: 20,
  projectsPageMax: 200,
  /**
   * Length of a progress entry's summary. The summary comes from a model or, if no model is available, from
   * the entry's content.
   */
  progressSummaryCharsMax: 500,
  thoughtsPageMax: 100,
  thoughtsPageDefault: 50,
  sealsListedMax: 100,
  searchHitsMax: 50,
  searchHitsDefault: 20,
  attentionItemsMax: 200,
  /** Items of each kind are counted up to this number. */
  attentionCountedMax: 1_000,
  timelineBucketsMax: 200,
  timelineMarksMax: 500,
  /** Limits on briefs. */
  briefCharsMax: 4_000,
  briefSessionsMax: 10,
  /** Unread messages are counted up to this number. */
  unreadCountedMax,

  // Limits on waits.
  waitSecondsMax: 30,
  parkedWaitsPerPeerMax: 4,
  /** If the session has more teams than this, changes to its title or teams end only the convener's waits. */
  endsWaitsTeamsMax: 4,
  /** Minimum interval at which changes to a session's title or teams end a peer's waits. */
  endsWaitsMsMin: 5_000,
  /** How long a nudge waits for replies from the clients that received it. */
  nudgeAnswerMsMax: 2_000,

  // Limits on each connection.
  unansweredRequestsPerConnectionMax: 64,
  subscriptionsPerConnectionMax: 64,
  pipelinedRequestsMax: 32,
  /** Number of frames that wait because they arrived faster than the rate limit of their address allows. */
  waitingFramesPerConnectionMax: 256,
  outboundBytesMax: 1024 * 1024,
  undrainedMsMax: 10_000,

  // Limits on the appender.
  flushRowsMax: 1_000,
  flushBytesMax: 1024 * 1024,
  appendQueueBytesMax: 8 * 1024 * 1024,
  unknownOutcomeMsMax: 5_000,
  /**
   * Longer than the database's own timeouts, so this limit is reached only if the database does not respond
   * at all.
   */
  silentDatabaseMsMax: 15_000,

  // Limits on the broker's memory and connections.
  ringBytesPerSessionMax: 256 * 1024,
  ringBytesTotalMax: 64 * 1024 * 1024,
  cachedCredentialsMax: 10_000,
  cachedSessionsMax: 10_000,
  liveMcpSessionsMax: 1_000,
  /** Size of a client's version, name and capabilities. */
  mcpInitializeBytesMax: 16 * 1024,
  connectionsMax: 10_000,
  /**
   * Applies only if rates are limited. The limit is high, because an office may have many agents behind one
   * address.
   */
  connectionsPerAddressMax: 1_000,
  /** A request over a slow connection may take a long time, but not forever. */
  requestHeadersMsMax: 10_000,
  requestMsMax: 60_000,
  /** In invite mode, limits on a connection until its client has authenticated. */
  helloMsMax: 10_000,
  helloBytesMax: 8 * 1024,
  unprovenConnectionsMax: 1_000,
  unprovenConnectionsPerAddressMax: 100,
  /** Total size of all request bodies that are currently being read. */
  bodiesBytesMax: 64 * 1024 * 1024,
  /** Total size of all incomplete WebSocket messages. */
  unfinishedFramesBytesMax: 64 * 1024 * 1024,
  /** Number of bytes that may be in flight to a client that has not read anything yet. */
  unreadBytesMin: 32 * 1024,
  /** Number of token buckets that are kept for each kind of rate limit. */
  rateBucketsMax: 10_000,

  // Limits on file transfers.
  /** Size of an imported bundle, as it is transferred. */
  bundleBytesMax: 2 * 1024 * 1024 * 1024,
  /**
   * Minimum rate at which a client must read an export or send an import, averaged over `transferWindowMs`.
   */
  transferBytesPerSecondMin: 8 * 1024,
  transferWindowMs: 30_000,
  /** Size of the parts in which a file is stored. An upload and a download each hold about one part in memory. */
  fileChunkBytes: 256 * 1024,
  /** How long an upload can be resumed, and its file be attached. */
  uploadHours: 24,

  // Limits on invites, tokens and credentials.
  inviteUsesMax: 1_000,
  invitesListedMax: 500,
  /** Number of days that an invite stays listed after it has ended. */
  endedInviteDays: 30,
  inviteSeconds: 24 * 60 * 60,
  inviteSecondsMax: 30 * 24 * 60 * 60,
  /** A spoken code is short, so it is valid only for a short time and a few tries. */
  inviteCodeSeconds: 10 * 60,
  inviteCodeTries: 5,
  /** Maximum difference between the broker's clock and the clock of a client that signs with a key. */
  clockSkewSecondsMax: 5 * 60,
  tokensListedMax: 500,
  tokenSeconds: 90 * 24 * 60 * 60,
  tokenSecondsMax: 366 * 24 * 60 * 60,
  observerSeconds: 7 * 24 * 60 * 60,
  /**
   * Lifetime of a link that verifies a person. The link that is printed when a broker first starts is valid
   * for a day.
   */
  verificationSeconds: 5 * 60,
  firstVerificationSeconds: 24 * 60 * 60,
  signInSeconds: 10 * 60,
  signInSecondsMax: 24 * 60 * 60,
  browserSeconds: 30 * 24 * 60 * 60,
  ticketSeconds: 30,
  /**
   * Lifetime of the token of a client that a member has authorised with OAuth. The client needs another
   * authorisation to get a new token.
   */
  clientTokenSeconds: 30 * 24 * 60 * 60,
  clientCodeSeconds: 60,
  clientRegistrationSeconds: 366 * 24 * 60 * 60,
  clientRedirectsMax: 5,
  clientRedirectCharsMax: 300,
  /**
   * Number of additional credentials for the same team or person, for instance on a member's other machines.
   * If there are more, the oldest becomes invalid.
   */
  furtherSecretsMax: 20,

  // Periods and intervals.
  idempotencyHours: 24,
  /** A peer that has not been seen for this long is retired, so that others can use its name. */
  peerRetiredAfterDays: 7,
  /** How long the time of a delivery is kept. The fact that a message was delivered is kept permanently. */
  receiptDays: 30,
  /**
   * Minimum interval between two state_changed events about the same key. The last change is always reported.
   */
  stateEventMsMin: 1_000,
} as const;

/**
 * A rate limit. Up to `burst` calls can be made without waiting, and the allowance refills at `per_second`.
 */
export interface RateLimit {
  readonly per_second: number;
  readonly burst: number;
}

/**
 * Rate limits of a broker that other machines can reach (GUARD-5). They stop floods without affecting normal
 * work. They are based on one member with 30 busy agents behind one address. A busy agent takes one step per
 * second, which costs two calls and the reads by its hooks, five requests in total. A message ends all waits
 * in its session, and readers cannot follow more than five messages per second. Thirty agents that start at
 * the same time make thirty calls that create or join something, and this may happen twice. The limits of a
 * session are enough for two such members. The limits of an address also count the dashboard's files, and are
 * enough for three such members or for all agents reconnecting at once.
 */
export const rateLimits = {
  /**
   * Requests, upgrades and frames from one address (for IPv6, from its /64). They are counted before their
   * content is read.
   */
  address: { per_second: 1_000, burst: 10_000 },
  /** Upgrades to WebSocket from one address. A connection costs more to open than to use, and stays open. */
  upgrade: { per_second: 20, burst: 100 },
  /** Wrong spoken invite codes from one address. All other credentials are too long to guess. */
  failed_proof: { per_second: 0.5, burst: 100 },
  /** Limits per member, across all sessions. */
  member_read: { per_second: 300, burst: 3_000 },
  member_write: { per_second: 150, burst: 1_500 },
  member_wait: { per_second: 300, burst: 3_000 },
  member_create: { per_second: 5, burst: 100 },
  /** Limits per session, across all callers. */
  session_read: { per_second: 600, burst: 6_000 },
  session_write: { per_second: 300, burst: 3_000 },
  session_wait: { per_second: 600, burst: 6_000 },
  session_create: { per_second: 10, burst: 200 },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type RateLimitName = keyof typeof rateLimits;

export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

/** A limit on concurrent requests, both for each principal and for all principals together. */
export interface Share {
  /** Maximum number of concurrent requests from one principal. */
  readonly each: number;
  readonly observer: number;
  /**
   * Maximum number of further requests that may wait for each principal. More are refused with
   * `too_many_requests`.
   */
  readonly waiting: number;
  /** Maximum number of concurrent requests from all principals, who take turns. Null for no limit. */
  readonly total: number | null;
}

/**
 * Limits for operations that take a long time or stay open (GUARD-24). They are enough for one person with
 * several tabs.
 */
export const shares = {
  export: { each: 2, observer: 1, waiting: 0, total: 8 },
  import: { each: 2, observer: 1, waiting: 0, total: 2 },
  stream: { each: 200, observer: 20, waiting: 0, total: null },
  file: { each: 4, observer: 2, waiting: 20, total: 16 },
  search: { each: 4, observer: 2, waiting: 100, total: 8 },
  history_page: { each: 2, observer: 1, waiting: 100, total: 4 },
} as const satisfies Readonly<Record<string, Share>>;

export type ShareName = keyof typeof shares;

/** How many devices a person can name whose words count, besides the home from which an agent is launched (OWN-1). */
export const ownDevicesMax = 5;
