import { findEventKind, findRedactedVersions, isRedacted, type Message } from "@merkle/wire";
import { planTool, questionTool, shortenAddress, turnEndTool } from "@merkle/wire/text";
import { showHidden } from "../../text/markdown/hidden-characters";

/** The text that describes an event. */
export interface EventText {
  readonly text: string;
  readonly reason: string | null;
}

/** True for events that the feed may fold into one line. All other events have their own row. */
export function isFoldable({ type, event }: Message): boolean {
  return type === "system" && findEventKind(event)?.isFoldable === true;
}

/** Describes a system message in words. For an unknown event, returns the event's name. */
export function describeEvent(message: Message): EventText {
  const readField = (name: string) => readText(message[name]);
  const by = isolate(shortenAddress(readField("by") ?? "Someone"));
  const team = isolate(readField("team") ?? "A team");
  if (isRedacted(message)) return describeRedacted(message);
  switch (message.event) {
    case "team_joined":
      return toEventText(`${team} joined`);
    case "team_left":
      return toEventText(`${team} left`);
    case "session_metadata_updated":
      return toEventText(`${by} changed ${describeChanges(message["changes"])}`, readField("reason"));
    case "session_concluded":
      return toEventText(`${by} concluded the session with document v${String(message["document_version"])}`);
    case "session_held":
      return toEventText(`${by} put the session on hold: agents cannot post`, readField("reason"));
    case "session_resumed":
      return toEventText(`${by} resumed the session`);
    case "topic_opened":
      return toEventText(
        `${by} commented on ${describeQuote(readField("quote"))}: ${isolate(readField("title") ?? "")}`,
      );
    case "topic_closed":
      return toEventText(
        `${by} closed the comment ${quote(readField("title") ?? "")}: ${readField("reason")}`,
      );
    case "topic_reopened":
      return toEventText(`${by} reopened the comment ${quote(readField("title") ?? "")}`);
    case "settings_changed":
      return toEventText(`${by} changed ${describeSettings(message["changes"])}`);
    case "proposal_decided":
      return toEventText(
        `${by} ${decisionVerbs[readField("decision") ?? ""] ?? "decided on"} proposal ${String(message["proposal_id"])}`,
      );
    case "budget_spent":
      return toEventText(`Agents reached the message limit (${String(message["budget"])})`);
    case "task_changed":
      return toEventText(describeTaskChange(message, by), readField("reason") ?? readField("result"));
    case "claim_changed":
      return toEventText(describeClaimChange(message, by), readField("reason"));
    case "approval_ended":
    case "approval_revoked":
      return toEventText(describeApproval(message, by));
    case "state_changed":
      return toEventText(`${by} ${describeStateChange(message)}`);
    case "message_redacted":
      return toEventText(`${by} removed the text of ${describeRedactedText(message)}`, readField("reason"));
    default:
      // A broker of another version may post events that this page does not know.
      return toEventText((message.event ?? "An event").replaceAll("_", " "));
  }
}

const decisionVerbs: Readonly<Record<string, string>> = {
  reject: "rejected",
  return: "requested changes to",
  rebase: "rebased",
};

const claimChanges: Readonly<Record<string, string>> = {
  claimed: "claimed",
  released: "released",
  handed_back: "returned",
};

function describeClaimChange(message: Message, by: string): string {
  const scope = isolate(readText(message["scope"]) ?? "");
  const change = readText(message["change"]) ?? "";
  if (change === "expired") return `The claim on ${scope} expired`;
  return `${by} ${claimChanges[change] ?? "changed the claim on"} ${scope}`;
}

/** What the tools by which an agent asks its user are requests for, and the verbs for an answer. */
const requestWords: Readonly<Record<string, readonly [what: string, allowed: string, denied: string]>> = {
  [questionTool]: ["question", "answered", "declined"],
  [planTool]: ["plan", "approved", "rejected"],
  [turnEndTool]: ["question", "answered", "declined"],
};

function describeApproval(message: Message, by: string): string {
  const owner = isolate(shortenAddress(readText(message["of"]) ?? ""));
  const tool = readText(message["tool"]) ?? "";
  const [what, allowed, denied] = requestWords[tool] ?? [
    `request to use ${isolate(tool)}`,
    "allowed",
    "denied",
  ];
  const request = `${owner}’s ${what}`;
  if (message.event === "approval_revoked") return `${by} no longer allows again ${request}`;
  switch (message["decision"]) {
    case "allowed":
      return `${by} ${allowed} ${request}${message["again"] === undefined ? "" : " for this launch"}`;
    case "denied":
      return `${by} ${denied} ${request}`;
    case "left":
      return `${by} left ${request} for the terminal`;
    default:
      return `${request} was answered in the terminal`;
  }
}

const taskChanges: Readonly<Record<string, string>> = {
  created: "added",
  updated: "changed",
  claimed: "claimed",
  released: "released",
  handed_back: "returned",
  in_review: "asked for review of",
  done: "finished",
  cancelled: "cancelled",
};

function describeTaskChange(message: Message, by: string): string {
  const task = `task ${String(message["task"])}, ${quote(readText(message["title"]) ?? "")}`;
  const change = readText(message["change"]) ?? "";
  return change === "ready" ? `Ready now: ${task}` : `${by} ${taskChanges[change] ?? "changed"} ${task}`;
}

/** Example: `the message budget from 0 to 50`. */
function describeSettings(changes: unknown): string {
  return Object.entries(Object(changes))
    .map(([name, change]) => {
      const { from, to } = Object(change);
      const unit = name.endsWith("_s") ? " s" : "";
      const formatValue = (value: number | string) => value.toLocaleString("en") + unit;
      const settingName = settingNames[name] ?? `the ${name.replace(/_s$/, "").replaceAll("_", " ")}`;
      return `${settingName} from ${formatValue(from)} to ${formatValue(to)}`;
    })
    .join(", ");
}

const settingNames: Readonly<Record<string, string>> = {
  conclude_by: "who may conclude",
  agent_concludes: "how agents conclude",
};

const redactedEvents: Readonly<Record<string, string>> = {
  session_metadata_updated: "A change to title or description",
  session_held: "A hold",
  state_changed: "A state change",
  task_changed: "A task change",
  claim_changed: "A change to a claim",
  message_redacted: "A removal",
  topic_opened: "A comment",
  topic_closed: "A closed comment",
};

/** Describes an event whose text was removed. The kind of event is still known. */
function describeRedacted({ event = "", redaction }: Message): EventText {
  const by = redaction?.by ?? null;
  const byText = by === null ? "" : ` by ${isolate(by)}`;
  return toEventText(
    `${redactedEvents[event] ?? event.replaceAll("_", " ")}; its text was removed${byText}`,
    redaction?.reason ?? null,
  );
}

function describeRedactedText(message: Message): string {
  const versions = findRedactedVersions(message);
  if (!versions) return `message ${String(message["redacted_sequence"])}`;
  const { from, to } = versions;
  return from === to ? `version ${from} of the document` : `versions ${from} to ${to} of the document`;
}

function toEventText(text: string, reason: string | null = null): EventText {
  return { text, reason: reason === null || reason === "" ? null : showHidden(reason) };
}

const quoteCharsMax = 80;

function describeQuote(text: string | null): string {
  if (text === null) return "the document";
  return quote(text.length > quoteCharsMax ? `${text.slice(0, quoteCharsMax)}…` : text);
}

const valueCharsMax = 120;

function describeStateChange(message: Message): string {
  const key = isolate(readText(message["key"]) ?? "");
  if (message["deleted"] === true) return `deleted ${key}`;
  if (message["value"] === undefined) return `set ${key}`;
  const value = JSON.stringify(message["value"]);
  return `set ${key} to ${isolate(value.length > valueCharsMax ? `${value.slice(0, valueCharsMax)}…` : value)}`;
}

function describeChanges(changes: unknown): string {
  const { title, description } = Object(changes);
  const parts = [
    isChange(title) && `the title from ${quote(title.from)} to ${quote(title.to)}`,
    isChange(description) && "the description",
  ];
  return parts.filter((part) => part !== false).join(" and ") || "the session";
}

function isChange(value: unknown): value is { from: string; to: string } {
  const { from, to } = Object(value);
  return typeof from === "string" && typeof to === "string";
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function quote(text: string): string {
  return `“${isolate(text)}”`;
}

/** Wraps a name in isolate characters, so that it cannot reorder the words around it in any writing direction. */
function isolate(text: string): string {
  return `\u2068${showHidden(text)}\u2069`;
}
