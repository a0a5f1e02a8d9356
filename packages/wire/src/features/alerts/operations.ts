import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, lineOfChars, retryable, StorableText, Timestamp, Uuid } from "../../core/values.js";
import { AlertKind } from "../../operations/attention.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const TargetUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https address", abort: true })
  .max(limits.urlCharsMax)
  .pipe(StorableText)
  .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
    error: "must not contain credentials",
  });
const Base64Url = StorableText.max(limits.alertSecretCharsMax).regex(/^[A-Za-z0-9_-]+={0,2}$/, {
  error: "must be base64url",
});
const url = TargetUrl.meta({ description: "A secret: it is kept encrypted and never shown again." });

export const AlertTo = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("push").meta({ description: "A browser's own subscription (RFC 8030)." }),
      endpoint: TargetUrl,
      p256dh: Base64Url,
      auth: Base64Url,
    }),
    z.strictObject({
      kind: z.literal("webhook"),
      url,
      secret: StorableText.max(limits.alertSecretCharsMax)
        .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, {
          error: "must be whsec_ and at least 24 bytes in base64",
        })
        .meta({ description: "Secret with which the receiver checks signatures (Standard Webhooks)." }),
    }),
    z.strictObject({
      kind: z.literal("ntfy"),
      url: url.refine((text) => /^\/(?:.+\/)?[^/]+$/.test(new URL(text).pathname), {
        error: "must end with the topic, such as https://ntfy.sh/my-topic",
      }),
      token: StorableText.min(1)
        .max(limits.alertSecretCharsMax)
        .regex(/^[\x21-\x7e]+$/, { error: "must be letters, digits and other visible ASCII characters" })
        .optional(),
    }),
    z.strictObject({ kind: z.literal("slack"), url }),
    z.strictObject({ kind: z.literal("discord"), url }),
  ])
  .meta({ id: "AlertTo" });

/** The destination to which alerts are sent. */
export type AlertTo = z.output<typeof AlertTo>;

const MinuteOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time such as 22:00" });

export const QuietHours = z.strictObject({
  from: MinuteOfDay,
  to: MinuteOfDay,
  time_zone: StorableText.min(1)
    .max(100)
    .refine(isTimeZone, { error: "must be a time zone such as Europe/Berlin" }),
});

export type QuietHours = z.output<typeof QuietHours>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const AlertTarget = z
  .object({
    target_id: Uuid,
    kind: z.enum(["push", "webhook", "ntfy", "slack", "discord"]),
    name: z.string(),
    host: z.string().nullable().meta({
      description: "Host of its address; null if the broker can no longer decrypt it.",
    }),
    about: z.array(AlertKind),
    quiet: QuietHours.nullable().meta({ description: "Quiet hours: alerts are held until their end." }),
    created_at: Timestamp,
    last_sent_at: Timestamp.nullable(),
    problem: z.string().nullable().meta({ description: "Why the last alert failed." }),
    waiting: z.int().meta({ description: "Alerts waiting to be sent." }),
    given_up: z.int().meta({ description: "Alerts that failed after all retries." }),
    ended: z
      .boolean()
      .meta({ description: "The address reported that it no longer exists; nothing is sent there." }),
  })
  .meta({ id: "AlertTarget" });

/** A person's alert destination, with its status. Its secrets are never returned. */
export type AlertTarget = z.output<typeof AlertTarget>;

/** An alert as programs receive it. */
export interface AlertContent {
  readonly id: string;
  readonly kind: AlertKind | "test";
  /** Title of the session or file that the alert is about. */
  readonly title: string;
  readonly body: string;
  /** The dashboard's path for the item that the alert is about. */
  readonly path: string;
}

function formatTarget({ target_id, kind, name, host, about, problem, ended }: AlertTarget): string {
  const state = ended ? ", gone" : problem === null ? "" : `, failing: ${problem}`;
  return `- ${target_id} ${kind} ${formatInlineName(name)} at ${host ?? "?"}, about ${about.join(", ")}${state}`;
}

export const listAlertTargets = operation("list_alert_targets", {
  summary: "List a person's alert destinations and their status.",
  unlisted: true,
  input: z.strictObject({ ...asTeam }),
  output: z.object({
    targets: z.array(AlertTarget),
    push_key: z
      .string()
      .meta({ description: "The broker's public key, with which a browser subscribes (VAPID)." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ targets }) =>
    joinLines(...targets.map(formatTarget), targets.length === 0 && "nothing is sent anywhere"),
});

export const putAlertTarget = operation("put_alert_target", {
  summary: "Add or change an alert destination of a person. Omitted fields stay unchanged.",
  unlisted: true,
  input: z
    .strictObject({
      target_id: Uuid.optional().meta({ description: "Destination to change; omit to add one." }),
      to: AlertTo.optional(),
      name: lineOfChars(limits.nameCharsMax).optional(),
      about: z.array(AlertKind).max(AlertKind.options.length).optional(),
      quiet: QuietHours.nullable().optional(),
      ...asTeam,
      ...retryable,
    })
    .refine((input) => input.target_id !== undefined || (input.to && input.name && input.about), {
      error: "a new one takes to, name and about",
    }),
  output: AlertTarget,
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: formatTarget,
});

export const deleteAlertTarget = operation("delete_alert_target", {
  summary: "Remove an alert destination and its address.",
  unlisted: true,
  input: z.strictObject({ target_id: Uuid, ...asTeam, ...retryable }),
  output: z.object({ removed: z.literal(true) }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: () => "removed",
});

export const testAlert = operation("test_alert", {
  summary: "Send a test alert now and return the response.",
  unlisted: true,
  input: z.strictObject({ target_id: Uuid, ...asTeam, ...retryable }),
  output: z.object({
    arrived: z.boolean(),
    status: z.int().nullable().meta({ description: "HTTP status; null without a response." }),
    answer: z.string().meta({ description: "In a sentence." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ answer }) => `answer: ${answer}`,
});
