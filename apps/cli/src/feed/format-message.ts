import { formatMessageFile, isRedacted, listMessageFiles, type Message } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { neutralise, questionTool } from "@merkle/wire/text";
import { isObject } from "../core/is-object.js";
import { formatRemoval } from "../document/versions.js";
import { quoteMarkedName } from "../sessions/peer-names.js";
import { cutText, isolateRightToLeft, toOneLine } from "../text/one-line.js";

/** How messages are formatted for this terminal. */
interface MessageStyle {
  readonly arrow: string;
  readonly dot: string;
  dim(text: string): string;
  /** Renders the Markdown of a neutralised text. Without this function the text is printed as written. */
  render?(text: string): string;
}

/** How the team that posted a message is displayed. */
export interface AuthorStyle {
  /** Whether the team belongs to the reader. */
  readonly isOwn: boolean;
  colour(text: string): string;
}

/**
 * Formats a message for people, without a final line break. Removes control sequences from text written by
 * others. Indents all lines after the first, so that no line can pose as another message.
 */
export function formatMessage(message: Message, author: AuthorStyle, style: MessageStyle): string {
  const prefix = `${toLocalTime(message.posted_at)} #${message.sequence}`;
  if (message.type === "system") {
    const text = isRedacted(message) ? describeRemoved(message) : describeEvent(message, style.arrow);
    return style.dim(`${prefix} ${style.dot} ${text}`);
  }
  const name = author.colour(formatAuthor(message, author));
  const head = [
    `${style.dim(prefix)} ${name} ${style.arrow} ${formatRecipients(message.to)}`,
    ...formatLabels(message),
  ];
  const body = isRedacted(message) ? style.dim(describeRemoval(message)) : formatBody(message, style);
  return [`${head.join(gap)}${gap}${body}`, ...formatFiles(message, style)].join(`\n${indent}`);
}

/** Returns a line for each of the message's files (CLI-193). */
function formatFiles(message: Message, style: MessageStyle): string[] {
  return listMessageFiles(message).map((file) =>
    style.dim(`file: ${isolateRightToLeft(formatMessageFile(file))}`),
  );
}

const gap = "  ";

function formatAuthor({ from, content }: Message, { isOwn }: AuthorStyle): string {
  const team = isOwn ? "you" : isolateRightToLeft(quoteMarkedName(from?.team ?? ""));
  const name = from?.peer === undefined ? team : `${team}/${isolateRightToLeft(quoteMarkedName(from.peer))}`;
  return from?.human ? `${name} (human)` : content["guest"] === true ? `${name} (guest)` : name;
}

/** Returns the labels of a message: its kind, its priority, and which message it replies to. */
function formatLabels({ priority, reply_to: replyTo, content }: Message): string[] {
  const { kind, answer, text } = content;
  const answered = answer === text ? `answers #${replyTo}` : `answers #${replyTo} ${quoteLine(answer)}`;
  return [
    priority === "now" && "NOW",
    kind === "ask" && "ASK",
    kind === "decision" && "DECISION",
    content["private"] === true && "PRIVATE",
    replyTo !== undefined && (answer === undefined ? `re #${replyTo}` : answered),
  ].filter((each) => each !== false);
}

const label = /^\s*(?:NOW|ASK|DECISION|PRIVATE|re #|answers #)/;

/**
 * Formats a message's text. Text that begins like a label gets a prefix, so that it cannot pose as a label.
 */
function formatBody({ content }: Message, style: MessageStyle): string {
  // Ignore any other fields, such as `text`: they are not part of the content that the sender encrypted.
  if (content["private"] === true) return style.dim(`${formatInline(content["bytes"])} bytes, sealed`);
  const text = neutralise(toText(content["text"]));
  const rendered = style.render?.(text) || text;
  const prefix = label.test(text) || label.test(removeColours(rendered)) ? ": " : "";
  return `${prefix}${indentLines(rendered)}${formatOptions(content["options"])}`;
}

function describeRemoved(message: Message): string {
  return `${formatInline(message.content["event"])}, ${describeRemoval(message)}`;
}

function describeRemoval({ redaction }: Message): string {
  return formatRemoval(redaction, indent);
}

function formatOptions(options: unknown): string {
  if (!Array.isArray(options)) return "";
  return `   ${options.map((each, index) => `[${index + 1} ${formatInline(each)}]`).join(" ")}`;
}

/** Returns a message's local date. A line with the date is printed whenever it changes. */
export function toLocalDay(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getFullYear(), padNumber(at.getMonth() + 1), padNumber(at.getDate())].join("-");
}

function toLocalTime(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(padNumber).join(":");
}

function padNumber(number: number): string {
  return String(number).padStart(2, "0");
}

/** Formats a message's recipients. */
export function formatRecipients(to: readonly string[]): string {
  return to.map((each) => (each === "*" ? "everyone" : isolateRightToLeft(toOneLine(each)))).join(", ");
}

function describeEvent({ content }: Message, arrow: string): string {
  const { event, at: _at, ...fields } = content;
  switch (event) {
    case "team_joined":
      return `${formatInline(fields["team"])} joined`;
    case "team_left":
      return `${formatInline(fields["team"])} left`;
    case "session_metadata_updated":
      return describeChanges(fields, arrow);
    case "session_concluded":
      return `concluded by ${formatInline(fields["by"])}, document v${formatInline(fields["document_version"])}`;
    case "session_held":
      return `held by ${formatInline(fields["by"])}${fields["reason"] ? `: ${indentText(toText(fields["reason"]))}` : ""}`;
    case "session_resumed":
      return `resumed by ${formatInline(fields["by"])}`;
    case "topic_opened":
      return `topic ${formatInline(fields["topic_id"])} opened by ${formatInline(fields["by"])}: ${indentText(toText(fields["title"]))}`;
    case "topic_closed":
      return `topic ${formatInline(fields["topic_id"])} closed by ${formatInline(fields["by"])}: ${formatInline(fields["reason"])}`;
    case "topic_reopened":
      return `topic ${formatInline(fields["topic_id"])} reopened by ${formatInline(fields["by"])}: ${indentText(toText(fields["title"]))}`;
    case "settings_changed":
      return `${formatInline(fields["by"])} changed ${describeSettings(fields["changes"], arrow)}`;
    case "proposal_decided":
      return `proposal ${formatInline(fields["proposal_id"])}: ${formatInline(fields["decision"])} by ${formatInline(fields["by"])}`;
    case "budget_spent":
      return `agents have reached their limit of ${formatInline(fields["budget"])} messages; they can post again after a message from a human`;
    case "task_changed":
      return describeTask(fields);
    case "claim_changed":
      return describeClaim(fields);
    case "approval_ended":
      return describeApproval(fields);
    case "approval_revoked":
      return describeApproval({ ...fields, decision: "revoked" });
    case "state_changed":
      return describeState(fields, arrow);
    case "message_redacted":
      return describeRedaction(fields);
    default:
      return [toText(event), ...Object.entries(fields).map(([name, value]) => `${name} ${toText(value)}`)]
        .map(formatInline)
        .join(", ");
  }
}

/** Formats changes to settings, such as `message budget 0 → 50, claim grace 900 s → 60 s`. */
function describeSettings(changes: unknown, arrow: string): string {
  return Object.entries(Object(changes))
    .map(([name, change]) => {
      const { from, to } = Object(change);
      const unit = name.endsWith("_s") ? " s" : "";
      const formatValue = (value: unknown) =>
        `${typeof value === "number" ? value.toLocaleString("en") : toText(value)}${unit}`;
      const words = name.replace(/_s$/, "").replaceAll("_", " ");
      return formatInline(`${words} ${formatValue(from)} ${arrow} ${formatValue(to)}`);
    })
    .join(", ");
}

/** Formats a redaction, such as `Ana removed the text of #405: holds a key`. */
function describeRedaction({
  by,
  redacted_sequence,
  document_versions,
  reason,
}: Record<string, unknown>): string {
  const { from, to }: { from?: unknown; to?: unknown } = Object(document_versions);
  const versions = from === to ? `v${formatInline(from)}` : `v${formatInline(from)} to v${formatInline(to)}`;
  const what =
    redacted_sequence === undefined ? `document ${versions}` : `#${formatInline(redacted_sequence)}`;
  const why = typeof reason === "string" ? `: ${indentText(reason)}` : "";
  return `${formatInline(by)} removed the text of ${what}${why}`;
}

/**
 * Formats a task event, such as `Birch/oak: task 7 done: rotate tokens (in auth/rotate.ts)`. For a released task,
 * includes its previous holder.
 */
function describeTask({ by, task, title, change, holder, reason, result }: Record<string, unknown>): string {
  const whose = holder === undefined ? "" : ` from ${formatInline(holder)}`;
  const more = reason ?? result;
  const why =
    typeof more === "string" ? ` (${isolateRightToLeft(cutText(toOneLine(more), resultCharsMax))})` : "";
  return `${formatInline(by)}: task ${formatInline(task)} ${formatInline(change).replaceAll("_", " ")}${whose}: ${formatInline(title)}${why}`;
}

/** Formats a claim event, such as `Birch/oak: repo:src/auth/** claimed`. */
function describeClaim({ by, scope, shared, change, holder, reason }: Record<string, unknown>): string {
  const whose = holder === undefined ? "" : ` from ${formatInline(holder)}`;
  const why = typeof reason === "string" ? ` (${formatInline(reason)})` : "";
  return `${formatInline(by)}: ${formatInline(scope)} ${formatInline(change).replaceAll("_", " ")}${shared === true ? ", shared" : ""}${whose}${why}`;
}

/**
 * Formats an approval event, such as `Ana allowed Birch/oak Bash, approval 7 (4f1d0c9a…)`. The request itself
 * is shown only as a hash.
 */
function describeApproval({
  approval,
  of,
  tool,
  hash,
  decision,
  by,
  again,
}: Record<string, unknown>): string {
  const who = by === null ? "the terminal" : formatInline(by);
  const verbs = {
    allowed: tool === questionTool ? "answered" : "allowed",
    denied: "denied",
    left: "left to the terminal",
    withdrawn: "answered",
    revoked: "no longer allows again the command of",
  };
  const verb = verbs[formatInline(decision) as keyof typeof verbs] ?? formatInline(decision);
  return `${who} ${verb} approval ${formatInline(approval)}, ${formatInline(tool)} of ${formatInline(of)} (${formatInline(hash).slice(0, 8)})${describeRepeat(approval, again)}`;
}

function describeRepeat(approval: unknown, again: unknown): string {
  if (typeof again !== "number") return "";
  return again === approval ? ", also again in this launch" : `, as approval ${again} for this launch`;
}

/**
 * Formats a state event, such as `Atlas: deploy_frozen → true (v3)`. For a value that is too long to show,
 * names the command `merkle state get`.
 */
function describeState({ by, key, value, version, deleted }: Record<string, unknown>, arrow: string): string {
  const name = formatInline(key);
  const author = formatInline(by);
  if (deleted === true) return `${author} deleted ${name} (v${formatInline(version)})`;
  if (value === undefined) return `${author} changed ${name} (v${formatInline(version)}, too large to show)`;
  return `${author}: ${name} ${arrow} ${isolateRightToLeft(cutText(toOneLine(JSON.stringify(value)), valueCharsMax))} (v${formatInline(version)})`;
}

const valueCharsMax = 200;

/** Length of a task's result in a line. A reason is never longer. */
const resultCharsMax = limits.reasonCharsMax;

function describeChanges({ by, changes, reason }: Record<string, unknown>, arrow: string): string {
  const changed = isObject(changes) ? changes : {};
  const descriptions = [
    "title" in changed && `renamed the session: ${describeChange(changed["title"], arrow)}`,
    "description" in changed && "changed the description",
  ].filter((each) => each !== false);
  return `${formatInline(by)} ${descriptions.join(" and ")} (${indentText(toText(reason))})`;
}

function describeChange(change: unknown, arrow: string): string {
  const { from, to }: Record<string, unknown> = typeof change === "object" ? { ...change } : {};
  return `${quoteLine(from)} ${arrow} ${quoteLine(to)}`;
}

function quoteLine(text: unknown): string {
  return JSON.stringify(formatInline(text));
}

/** The indentation of a message's lines after the first: the width of a time and a space. */
export const indent = " ".repeat(9);

function indentText(text: string): string {
  return indentLines(neutralise(text));
}

function indentLines(text: string): string {
  return isolateRightToLeft(text).replaceAll("\n", `\n${indent}`);
}

function removeColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one.
  return text.replace(/\u001b\[\d+m/g, "");
}

/**
 * Formats any value on one line. Numbers are escaped too, because events of an imported session may contain
 * any value.
 */
function formatInline(value: unknown): string {
  return isolateRightToLeft(toOneLine(toText(value)));
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}
