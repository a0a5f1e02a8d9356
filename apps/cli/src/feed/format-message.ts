import { isRedacted, type Message } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { isObject } from "../core/is-object.js";
import { removalText } from "../document/versions.js";
import { nameBesideMark } from "../sessions/peer-names.js";
import { cutText, isolated, oneLine } from "../text/one-line.js";

/** How messages are formatted for this terminal. */
interface MessageStyle {
  readonly arrow: string;
  readonly dot: string;
  dim(text: string): string;
}

/** How the team that posted a message is displayed. */
export interface Author {
  /** Whether the team belongs to the reader. */
  readonly own: boolean;
  colour(text: string): string;
}

/**
 * Formats a message for people, without a final line break. Removes control sequences from text written by
 * others. Indents all lines after the first, so that no line can pose as another message.
 */
export function formatMessage(message: Message, author: Author, style: MessageStyle): string {
  const place = `${localTime(message.posted_at)} #${message.sequence}`;
  if (message.type === "system") {
    const told = isRedacted(message) ? describeRemoved(message) : describeEvent(message, style.arrow);
    return style.dim(`${place} ${style.dot} ${told}`);
  }
  const name = author.colour(nameOf(message, author));
  const head = [`${style.dim(place)} ${name} ${style.arrow} ${readers(message.to)}`, ...labelsOf(message)];
  const body = isRedacted(message) ? style.dim(removal(message)) : bodyOf(message, style);
  return `${head.join(gap)}${gap}${body}`;
}

const gap = "  ";

function nameOf({ from, content }: Message, { own }: Author): string {
  const team = own ? "you" : isolated(nameBesideMark(from?.team ?? ""));
  const name = from?.peer === undefined ? team : `${team}/${isolated(nameBesideMark(from.peer))}`;
  return from?.human ? `${name} (human)` : content["guest"] === true ? `${name} (guest)` : name;
}

/** Returns the labels of a message: its kind, its priority, and which message it replies to. */
function labelsOf({ priority, reply_to: replyTo, content }: Message): string[] {
  const { kind, answer, text } = content;
  const answered = answer === text ? `answers #${replyTo}` : `answers #${replyTo} ${quotedLine(answer)}`;
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
function bodyOf({ content }: Message, style: MessageStyle): string {
  // Ignore any other fields, such as `text`: they are not part of the content that the sender encrypted.
  if (content["private"] === true) return style.dim(`${inLine(content["bytes"])} bytes, sealed`);
  const text = textOf(content["text"]);
  return `${label.test(neutralise(text)) ? ": " : ""}${indented(text)}${optionsText(content["options"])}`;
}

function describeRemoved(message: Message): string {
  return `${inLine(message.content["event"])}, ${removal(message)}`;
}

function removal({ redaction }: Message): string {
  return removalText(redaction, indent);
}

function optionsText(options: unknown): string {
  if (!Array.isArray(options)) return "";
  return `   ${options.map((each, index) => `[${index + 1} ${inLine(each)}]`).join(" ")}`;
}

/** Returns a message's local date. A line with the date is printed whenever it changes. */
export function localDay(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getFullYear(), padded(at.getMonth() + 1), padded(at.getDate())].join("-");
}

function localTime(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(padded).join(":");
}

function padded(number: number): string {
  return String(number).padStart(2, "0");
}

/** Formats a message's recipients. */
export function readers(to: readonly string[]): string {
  return to.map((each) => (each === "*" ? "everyone" : isolated(oneLine(each)))).join(", ");
}

function describeEvent({ content }: Message, arrow: string): string {
  const { event, at: _at, ...fields } = content;
  switch (event) {
    case "team_joined":
      return `${inLine(fields["team"])} joined`;
    case "team_left":
      return `${inLine(fields["team"])} left`;
    case "session_metadata_updated":
      return describeChanges(fields, arrow);
    case "session_concluded":
      return `concluded by ${inLine(fields["by"])}, document v${inLine(fields["document_version"])}`;
    case "session_held":
      return `held by ${inLine(fields["by"])}${fields["reason"] ? `: ${indented(textOf(fields["reason"]))}` : ""}`;
    case "session_resumed":
      return `resumed by ${inLine(fields["by"])}`;
    case "topic_opened":
      return `topic ${inLine(fields["topic_id"])} opened by ${inLine(fields["by"])}: ${indented(textOf(fields["title"]))}`;
    case "topic_closed":
      return `topic ${inLine(fields["topic_id"])} closed by ${inLine(fields["by"])}: ${inLine(fields["reason"])}`;
    case "topic_reopened":
      return `topic ${inLine(fields["topic_id"])} reopened by ${inLine(fields["by"])}: ${indented(textOf(fields["title"]))}`;
    case "settings_changed":
      return `${inLine(fields["by"])} changed ${describeSettings(fields["changes"], arrow)}`;
    case "proposal_decided":
      return `proposal ${inLine(fields["proposal_id"])}: ${inLine(fields["decision"])} by ${inLine(fields["by"])}`;
    case "budget_spent":
      return `agents have reached their limit of ${inLine(fields["budget"])} messages; they can post again after a message from a human`;
    case "task_changed":
      return describeTask(fields);
    case "claim_changed":
      return describeClaim(fields);
    case "approval_ended":
      return describeApproval(fields);
    case "state_changed":
      return describeState(fields, arrow);
    case "message_redacted":
      return describeRedaction(fields);
    default:
      return [textOf(event), ...Object.entries(fields).map(([name, value]) => `${name} ${textOf(value)}`)]
        .map(inLine)
        .join(", ");
  }
}

/** Formats changes to settings, such as `message budget 0 → 50, claim grace 900 s → 60 s`. */
function describeSettings(changes: unknown, arrow: string): string {
  return Object.entries(Object(changes))
    .map(([name, change]) => {
      const { from, to } = Object(change);
      const unit = name.endsWith("_s") ? " s" : "";
      const shown = (value: unknown) =>
        `${typeof value === "number" ? value.toLocaleString("en") : textOf(value)}${unit}`;
      const words = name.replace(/_s$/, "").replaceAll("_", " ");
      return inLine(`${words} ${shown(from)} ${arrow} ${shown(to)}`);
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
  const versions = from === to ? `v${inLine(from)}` : `v${inLine(from)} to v${inLine(to)}`;
  const what = redacted_sequence === undefined ? `document ${versions}` : `#${inLine(redacted_sequence)}`;
  const why = typeof reason === "string" ? `: ${indented(reason)}` : "";
  return `${inLine(by)} removed the text of ${what}${why}`;
}

/**
 * Formats a task event, such as `Birch/oak: task 7 claimed: rotate tokens`. For a released task, includes its
 * previous holder.
 */
function describeTask({ by, task, title, change, holder, reason }: Record<string, unknown>): string {
  const whose = holder === undefined ? "" : ` from ${inLine(holder)}`;
  const why = typeof reason === "string" ? ` (${inLine(reason)})` : "";
  return `${inLine(by)}: task ${inLine(task)} ${inLine(change).replaceAll("_", " ")}${whose}: ${inLine(title)}${why}`;
}

/** Formats a claim event, such as `Birch/oak: repo:src/auth/** claimed`. */
function describeClaim({ by, scope, shared, change, holder, reason }: Record<string, unknown>): string {
  const whose = holder === undefined ? "" : ` from ${inLine(holder)}`;
  const why = typeof reason === "string" ? ` (${inLine(reason)})` : "";
  return `${inLine(by)}: ${inLine(scope)} ${inLine(change).replaceAll("_", " ")}${shared === true ? ", shared" : ""}${whose}${why}`;
}

/**
 * Formats an approval event, such as `Ana allowed Birch/oak Bash, approval 7 (4f1d0c9a…)`. The request itself
 * is shown only as a hash.
 */
function describeApproval({ approval, of, tool, hash, decision, by }: Record<string, unknown>): string {
  const who = by === null ? "the terminal" : inLine(by);
  const how = { allowed: "allowed", denied: "denied", left: "left to the terminal", withdrawn: "answered" };
  const did = how[inLine(decision) as keyof typeof how] ?? inLine(decision);
  return `${who} ${did} approval ${inLine(approval)}, ${inLine(tool)} of ${inLine(of)} (${inLine(hash).slice(0, 8)})`;
}

/**
 * Formats a state event, such as `Atlas: deploy_frozen → true (v3)`. For a value that is too long to show,
 * names the command `merkle state get`.
 */
function describeState({ by, key, value, version, deleted }: Record<string, unknown>, arrow: string): string {
  const name = inLine(key);
  const author = inLine(by);
  if (deleted === true) return `${author} deleted ${name} (v${inLine(version)})`;
  if (value === undefined) return `${author} changed ${name} (v${inLine(version)}, too large to show)`;
  return `${author}: ${name} ${arrow} ${isolated(cutText(oneLine(JSON.stringify(value)), valueCharsMax))} (v${inLine(version)})`;
}

const valueCharsMax = 200;

function describeChanges({ by, changes, reason }: Record<string, unknown>, arrow: string): string {
  const changed = isObject(changes) ? changes : {};
  const told = [
    "title" in changed && `renamed the session: ${describeChange(changed["title"], arrow)}`,
    "description" in changed && "changed the description",
  ].filter((each) => each !== false);
  return `${inLine(by)} ${told.join(" and ")} (${indented(textOf(reason))})`;
}

function describeChange(change: unknown, arrow: string): string {
  const { from, to }: Record<string, unknown> = typeof change === "object" ? { ...change } : {};
  return `${quotedLine(from)} ${arrow} ${quotedLine(to)}`;
}

function quotedLine(text: unknown): string {
  return JSON.stringify(inLine(text));
}

/** The indentation of a message's lines after the first: the width of a time and a space. */
export const indent = " ".repeat(9);

function indented(text: string): string {
  return isolated(neutralise(text)).replaceAll("\n", `\n${indent}`);
}

/**
 * Formats any value on one line. Numbers are escaped too, because events of an imported session may contain
 * any value.
 */
function inLine(value: unknown): string {
  return isolated(oneLine(textOf(value)));
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}
