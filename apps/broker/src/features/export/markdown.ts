import { findConclusion, findSession, readDocument, type SessionRow } from "@merkle/db";
import {
  formatMessageFile,
  listMessageFiles,
  MerkleError,
  type Message,
  type Participant,
} from "@merkle/wire";
import { formatInlineAddress, neutralise } from "@merkle/wire/text";
import type { SessionIdentity } from "../../identity/session-directory.js";
import { readRoster } from "../../sessions/roster/list-peers.js";
import type { SealServices } from "../seal/feature.js";
import { type ExportedRecord, toRecordedMessage } from "./exported-record.js";
import { readFeed } from "./log-lines.js";

/**
 * Yields a session as one readable page (EXPORT-4): title and teams, the conclusion, the feed, the document,
 * and the signed head. Text written by users is in code fences that the text itself cannot close. Markdown in
 * it is therefore not rendered, so users cannot add links, pictures or headings to the page.
 */
export async function* formatMarkdown(
  services: SealServices,
  { session, recorded }: { readonly session: SessionIdentity; readonly recorded: ExportedRecord },
): AsyncGenerator<string> {
  const { database } = services;
  const row = await findSession(database.orm, database.meshId, session.sessionId);
  if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  const roster = await readRoster(services, session);
  yield formatHead(row, roster, recorded);
  const conclusion = await findConclusion(database.orm, session.sessionId);
  if (row.closedAt && conclusion !== null) yield `## Conclusion\n\n${wrapInFence(conclusion, "markdown")}\n`;
  yield "## Feed\n\n";
  for await (const rows of readFeed(database, session.sessionId, recorded.size)) {
    yield rows.map((each) => formatEntry(toRecordedMessage(each, recorded.recordId))).join("");
  }
  const document = await readDocument(database.orm, session.sessionId);
  if (document && document.version > 0)
    yield `## Document, version ${document.version}\n\n${wrapInFence(document.content, "markdown")}\n`;
  yield formatSeal(recorded);
}

function formatHead(
  row: SessionRow,
  roster: readonly Participant[],
  { recordId, size }: ExportedRecord,
): string {
  const times = row.closedAt
    ? `${row.createdAt.toISOString()} to ${row.closedAt.toISOString()}`
    : `since ${row.createdAt.toISOString()}, open`;
  const teams = roster.map(
    ({ team_name, kind }) => `- ${escapeMarkdown(team_name)}${kind === "agent" ? "" : ` (${kind})`}\n`,
  );
  const description = row.description.trim() === "" ? "" : `${wrapInFence(row.description, "markdown")}\n`;
  return (
    `# ${escapeMarkdown(row.title)}\n\n${description}` +
    `- Session: ${escapeMarkdown(row.slug)} (${recordId})\n- Time: ${times}\n- Messages: ${size}\n\n` +
    `## Teams\n\n${teams.length > 0 ? teams.join("") : "None.\n"}\n`
  );
}

function formatEntry(message: Message): string {
  const { sequence, posted_at } = message;
  if (message.type === "system") return `- #${sequence} ${posted_at} ${wrapInCode(formatEvent(message))}\n\n`;
  const text = formatText(message);
  return `**#${sequence}** ${posted_at} ${formatTitle(message)}\n\n${text === null ? "" : `${text}\n`}`;
}

/** Returns the heading of a message, for example `Alex's Team/atlas (human) → @backend, re #9, ask`. */
function formatTitle({ from, to, reply_to, content, priority }: Message): string {
  const author = escapeMarkdown(formatInlineAddress(from?.team ?? "", from?.peer));
  const isForAll = to.every((recipient) => recipient === "*");
  const facts = [
    `${author}${from?.human ? " (human)" : ""}${isForAll ? "" : ` → ${to.map(escapeMarkdown).join(", ")}`}`,
    reply_to !== undefined && `re #${reply_to}`,
    typeof content["kind"] === "string" && escapeMarkdown(content["kind"]),
    content["private"] === true && "private",
    priority !== "next" && priority,
  ];
  return facts.filter((fact) => typeof fact === "string").join(", ");
}

function formatText(message: Message): string | null {
  const { content, redaction } = message;
  if (redaction) {
    const { by, at, reason } = redaction;
    const whom = by === null ? "" : ` by ${escapeMarkdown(by)}`;
    return `(its text was removed${whom}${at === null ? "" : `, ${at}`}${reason === null ? "" : `: ${escapeMarkdown(reason)}`})\n`;
  }
  if (content["private"] === true) return `(sealed, ${String(content["bytes"])} bytes)\n`;
  const { text, answer, options } = content;
  const files = listMessageFiles(message);
  const parts = [
    typeof text === "string" ? wrapInFence(text, "text") : null,
    typeof answer === "string" ? `Answer: ${wrapInCode(answer)}\n` : null,
    Array.isArray(options) ? `Options: ${options.map((each) => wrapInCode(String(each))).join(" ")}\n` : null,
    files.length > 0
      ? `Files: ${files.map((each) => wrapInCode(formatMessageFile(each))).join(" ")}\n`
      : null,
  ];
  return parts.filter((part) => part !== null).join("\n");
}

function formatEvent({ content }: Message): string {
  const { event, at: _at, head: _head, ...fields } = content;
  const facts = Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [String(event), ...facts].join(", ");
}

function formatSeal({ head, size }: ExportedRecord): string {
  const { root, at, key_id, document } = head;
  return (
    `## Seal\n\n- Messages: ${size}\n- Root: \`${root}\`\n- Document: version ${document.version}\n` +
    `- Signed: ${at}, by the key \`${key_id}\`\n\n` +
    "This page cannot be verified; the bundle can: `merkle export` and `merkle verify`. A root does not prove that the " +
    "content is true or complete.\n"
  );
}

/** Wraps text in a fence longer than any run of backticks in the text. */
function wrapInFence(text: string, language: string): string {
  const clean = neutralise(text);
  const fence = "`".repeat(Math.max(3, measureBacktickRun(clean) + 1));
  return `${fence}${language}\n${clean}${clean.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** Formats text as inline code. */
function wrapInCode(text: string): string {
  const clean = neutralise(text).replaceAll("\n", " ");
  const ticks = "`".repeat(measureBacktickRun(clean) + 1);
  return `${ticks} ${clean} ${ticks}`;
}

/** Escapes text for use within a line of Markdown, so that no character in it is interpreted as markup. */
function escapeMarkdown(text: string): string {
  return neutralise(text)
    .replaceAll("\n", " ")
    .replace(/[\\`*_[\]#!|<>&~:@]|(?<=www)\./gi, (char) => `\\${char}`);
}

function measureBacktickRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
