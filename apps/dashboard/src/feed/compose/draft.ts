import type { InputOf, Message } from "@merkle/wire";
import { textOf } from "../store/message-text";

export type DraftKind = "message" | "ask" | "decision";
export type DraftPriority = "now" | "next" | "low";

/** The message that a draft replies to, as it is quoted above the text. */
export interface Quoted {
  readonly sequence: number;
  readonly author: string;
  readonly text: string;
  /** Whether the draft settles this ask. */
  readonly answers: boolean;
  /** The answers of an ask to choose from; empty when any text will do. */
  readonly options: readonly string[];
}

/** A message before it is posted. */
export interface Draft {
  readonly text: string;
  /** The recipients by the names that the broker accepts. Empty: everyone. */
  readonly to: readonly string[];
  readonly kind: DraftKind;
  /** The options of an ask, blank ones included while they are written. */
  readonly options: readonly string[];
  readonly priority: DraftPriority;
  readonly quoted: Quoted | null;
}

export const emptyDraft: Draft = {
  text: "",
  to: [],
  kind: "message",
  options: [],
  priority: "next",
  quoted: null,
};

type PostInput = Omit<InputOf<"post_message">, "team_id" | "idempotency_key">;

/** The draft as the operation takes it. An answer is never an ask at once, and blank options are left out. */
export function toPostInput(draft: Draft, sessionId: string): PostInput {
  const { quoted, to, priority } = draft;
  return {
    session_id: sessionId,
    content: { text: draft.text, ...toKind(draft) },
    ...(to.length > 0 ? { to: [...to] } : {}),
    ...(priority === "next" ? {} : { priority }),
    ...(quoted === null ? {} : { reply_to: quoted.sequence }),
  };
}

function toKind({ kind, options, quoted, text }: Draft): Partial<PostInput["content"]> {
  const answer = quoted?.answers ? { answer: answerOf(quoted, text) } : {};
  if (kind === "decision") return { ...answer, kind };
  if (kind === "message" || quoted?.answers) return answer;
  const given = writtenOptions(options);
  return given.length === 0 ? { kind } : { kind, options: given };
}

/** An ask with options accepts only these. The text matches an option regardless of case and surrounding space. */
function answerOf({ options }: Quoted, text: string): string {
  const written = text.trim();
  return options.find((option) => option.toLowerCase() === written.toLowerCase()) ?? written;
}

export function writtenOptions(options: readonly string[]): string[] {
  return options.map((option) => option.trim()).filter((option) => option !== "");
}

/** Returns why the broker would refuse the draft, as far as the page knows; null if it can be sent. */
export function problemOf(draft: Draft, bytesMax: number): string | null {
  if (draft.text.trim() === "") return "Write something first.";
  const bytes = bytesOf(draft.text);
  if (bytes > bytesMax) return `Messages can be up to ${bytesMax} bytes; this one has ${bytes}.`;
  if (draft.quoted?.answers) return answerProblem(draft.quoted, draft.text);
  if (draft.kind === "ask" && writtenOptions(draft.options).length === 1) {
    return "Add at least two options, or none.";
  }
  return null;
}

function answerProblem({ options }: Quoted, text: string): string | null {
  const isOption = options.some((option) => option.toLowerCase() === text.trim().toLowerCase());
  if (options.length > 0 && !isOption)
    return `Answer with one of: ${options.join(", ")}. Or choose “Reply without answering”.`;
  return text.trim().length > answerCharsMax ? `Answers can be up to ${answerCharsMax} characters.` : null;
}

const answerCharsMax = 500;

const utf8 = new TextEncoder();

export function bytesOf(text: string): number {
  return utf8.encode(text).length;
}

/** A message as it is quoted in a reply or an answer. */
export function toQuoted(message: Message, answers: boolean): Quoted {
  const { options } = message.content;
  return {
    sequence: message.sequence,
    author: message.from === null ? "the broker" : authorOf(message.from),
    text: (message.type === "chat" ? textOf(message) : (message.event ?? "")).slice(0, quotedCharsMax),
    answers,
    options: Array.isArray(options) ? options.filter((option) => typeof option === "string") : [],
  };
}

const quotedCharsMax = 300;

function authorOf({ team, peer }: NonNullable<Message["from"]>): string {
  return peer === undefined ? team : `${team}/${peer}`;
}
