import * as z from "zod";
import { limits } from "../core/limits.js";
import { isStorable } from "../core/utf8.js";
import { asTeam, retryable, SessionRef } from "../core/values.js";
import { joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

/** The settings of a session. They restrict its teams, and all are off by default (SET-2). */
export const SessionSettings = z
  .object({
    conclude_by: z.enum(["anyone", "convener"]).meta({ description: "Who may conclude the session." }),
    metadata_by: z
      .enum(["anyone", "convener"])
      .meta({ description: "Who may change title and description." }),
    metadata_min_interval_s: z
      .int()
      .min(0)
      .max(86_400)
      .meta({ description: "Seconds between two changes of title or description; 0 for no limit." }),
    message_budget: z
      .int()
      .min(0)
      .max(1_000_000)
      .meta({ description: "Messages agents can post before a human replies; 0 for no limit." }),
    token_budget: z.int().min(0).max(1_000_000_000_000).meta({
      description:
        "Tokens, without cached tokens, that agents can report until a human resumes them; 0 for no limit.",
    }),
    team_token_budget: z
      .int()
      .min(0)
      .max(1_000_000_000_000)
      .meta({ description: "The same for each team; 0 for no limit." }),
    agent_concludes: z.enum(["proposes", "concludes"]).meta({
      description:
        "Whether an agent that drafts the conclusion proposes it to a person, or concludes directly.",
    }),
    claims: z.enum(["off", "warn", "refuse"]).meta({
      description:
        "What client hooks do when an agent edits a file that someone else has claimed. Shell commands bypass it.",
    }),
    claim_grace_s: z
      .int()
      .min(60)
      .max(86_400)
      .meta({ description: "Seconds until the claims of a disconnected peer are released." }),
  })
  .meta({ id: "SessionSettings" });

export type SessionSettings = z.output<typeof SessionSettings>;

export const sessionSettingsDefault: SessionSettings = {
  conclude_by: "anyone",
  metadata_by: "anyone",
  metadata_min_interval_s: 0,
  message_budget: 0,
  token_budget: 0,
  team_token_budget: 0,
  agent_concludes: "proposes",
  claims: "warn",
  claim_grace_s: 900,
};

export const SessionSettingsInput = z.strictObject(SessionSettings.partial().shape);

/** An address that agents can use to connect: http or https, without credentials, query or fragment. */
const ConnectionUrl = z
  // If the text is not a URL, `abort` skips the checks below.
  .url({ protocol: /^https?$/, error: "must be an http or https address", abort: true })
  .max(300)
  .refine(isStorable, { error: "must not contain NUL characters or lone surrogates" })
  .refine(
    (url) => {
      const { username, password, search, hash } = new URL(url);
      return !username && !password && !search && !hash;
    },
    { error: "must not contain credentials, a query or a fragment" },
  )
  // Refuses characters that URL parsers would accept, because agents get the address exactly as it was
  // written.
  .refine((url) => !/[\s<>"`\\^{|}\p{C}\p{Default_Ignorable_Code_Point}]/u.test(url), {
    error: "must not contain spaces, quotation marks, angle brackets or invisible characters",
  });

/**
 * Creates a setting for how long data is kept, in days. Feeds and records are kept permanently and have no
 * such setting (OPS-10).
 */
const days = (meaning: string) =>
  z
    .int()
    .min(0)
    .max(36_500)
    .meta({ description: `${meaning}; 0 for never.` });

/** The settings that a broker's operators can change while the broker runs (SET-1). */
export const BrokerSettings = z
  .object({
    public_url: ConnectionUrl.nullable().meta({
      description: "Address that agents use, a base or an MCP endpoint; null for the broker's own address.",
    }),
    idle_polls: z
      .int()
      .min(1)
      .max(1_000)
      .meta({ description: "Empty waits in a row before an agent should stop." }),
    mcp_wait_s: z.int().min(1).max(limits.waitSecondsMax).meta({
      description: "Default duration of a wait over MCP, in seconds: some clients end a call after 30 s.",
    }),
    brief_after: z.int().min(0).max(2_000).meta({
      description:
        "Above this many unread messages, a launched agent, or an agent that starts a conversation, gets a summary instead; 0 for never.",
    }),
    active_within_s: z.int().min(1).max(3_600).meta({ description: "A team seen this recently is active." }),
    disconnected_after_s: z
      .int()
      .min(2)
      .max(86_400)
      .meta({ description: "A team unseen for longer is disconnected." }),
    fold_after_s: z
      .int()
      .min(10)
      .max(86_400)
      .meta({ description: "A team that never posted or polled leaves the short roster after this time." }),
    quiet_after_s: z
      .int()
      .min(1)
      .max(86_400)
      .meta({ description: "An open session needs a human after this time without posts or polls." }),
    undelivered_after_s: z.int().min(1).max(2_592_000).meta({
      description: "A message that no recipient has received for this long needs a human.",
    }),
    unanswered_after_s: z.int().min(0).max(2_592_000).meta({
      description:
        "An ask, approval, proposal or task in review without a reply for this long counts as unanswered; 0 for never.",
    }),
    alert_inner_addresses: z.boolean().meta({
      description:
        "Whether alerts may be sent to addresses of this machine and its private networks, and over plain http there; whether test_connection may try them.",
    }),
    progress_days: days("Days until progress entries are deleted"),
    presence_days: days("Days until an absent peer's machine and self-description are deleted"),
    job_output_days: days("Days until the output of failed jobs is deleted"),
    dismissed_days: days("Days until a dismissed item comes back, if it is still open"),
    files_mb_max: z.int().min(0).max(1_000_000).meta({
      description: "Megabytes (1,000,000 bytes) that the files of a mesh may have in total; 0 refuses files.",
    }),
    exclusive_membership: z
      .boolean()
      .meta({ description: "Whether a member's agents may be in one open session at a time." }),
  })
  .meta({ id: "BrokerSettings" });

export type BrokerSettings = z.output<typeof BrokerSettings>;

export const brokerSettingsDefault: BrokerSettings = {
  public_url: null,
  idle_polls: 10,
  mcp_wait_s: 25,
  brief_after: 50,
  active_within_s: 10,
  disconnected_after_s: 60,
  fold_after_s: 600,
  quiet_after_s: 600,
  undelivered_after_s: 14_400,
  unanswered_after_s: 600,
  alert_inner_addresses: false,
  progress_days: 0,
  presence_days: 0,
  job_output_days: 90,
  dismissed_days: 0,
  files_mb_max: 1_000,
  exclusive_membership: false,
};

const RateLimit = z.object({ per_second: z.number(), burst: z.number() }).meta({ id: "RateLimit" });

const SettingsOutput = z.object({
  settings: BrokerSettings,
  rate_limits: z
    .record(z.string(), RateLimit)
    .nullable()
    .meta({ description: "Rate limits of the broker; null if it has none." }),
  connection_url: z.string().meta({ description: "The MCP endpoint that agents are given." }),
  base_url: z.string(),
  session_settings: SessionSettings.optional(),
});

function compactSettings(output: z.output<typeof SettingsOutput>): string {
  const entries = Object.entries({ ...output.settings, ...output.session_settings });
  return joinLines(
    `agents use ${output.connection_url}`,
    ...entries.map(([key, value]) => `${key} ${value}`),
    `rate limits ${output.rate_limits ? "on" : "off"}`,
  );
}

export const getSettings = operation("get_settings", {
  summary:
    "Read the broker's settings and the URL that agents connect to; with session_id, that session's settings too.",
  input: z.strictObject({ session_id: SessionRef.optional() }),
  output: SettingsOutput,
  errors: ["not_found"],
  compact: compactSettings,
});

export const updateSettings = operation("update_settings", {
  summary: "Change settings of the broker, or of one session. Omitted settings stay unchanged.",
  unlisted: true,
  input: z
    .strictObject({
      settings: z.strictObject(BrokerSettings.partial().shape).optional(),
      session_id: SessionRef.optional(),
      session_settings: SessionSettingsInput.optional(),
      ...asTeam,
      ...retryable,
    })
    .refine((input) => (input.session_settings === undefined) === (input.session_id === undefined), {
      error: "session_id and session_settings go together",
    })
    .refine((input) => input.settings !== undefined || input.session_settings !== undefined, {
      error: "name settings, or session_id with session_settings",
    }),
  output: SettingsOutput,
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: compactSettings,
});
