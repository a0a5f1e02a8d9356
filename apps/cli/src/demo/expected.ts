import type { Message } from "@merkle/wire";
import { CliError, exitCodes } from "../core/cli-error.js";
import { cast, type Expected } from "./story.js";

/** Whether this message is the one that the story has here. */
export function isExpected(expected: Expected, message: Message): boolean {
  if (expected.by !== authorOf(message) || expected.event !== (message.event ?? "said")) return false;
  switch (expected.event) {
    case "said":
      return message.content["text"] === expected.text;
    case "session_metadata_updated":
      return newTitleOf(message) === expected.title && message.content["reason"] === expected.reason;
    case "team_joined":
    case "session_concluded":
      return true;
  }
}

/** The team behind a message: its author, or the one that the event is about. */
export function authorOf({ from, content }: Message): string {
  return toName(from?.team ?? String(content["by"] ?? content["team"] ?? ""));
}

/** The name in the cast: a guest whose name a verified person has is given a number, `Ana (2)`. */
export function toName(shown: string): string {
  return shown.startsWith(`${cast.ana} (`) ? cast.ana : shown;
}

/** `Atlas to say "Server is written."` */
export function describeExpected(expected: Expected): string {
  switch (expected.event) {
    case "said":
      return `${expected.by} to say ${JSON.stringify(expected.text)}`;
    case "team_joined":
      return `${expected.by} to join`;
    case "session_metadata_updated":
      return `${expected.by} to rename the session to ${JSON.stringify(expected.title)}`;
    case "session_concluded":
      return `${expected.by} to conclude the session`;
  }
}

/** `#4 from Cedar: "Hello"`, `#4, session_concluded by Cedar`. */
export function describeMessage(message: Message): string {
  const { sequence, event, content } = message;
  if (event) return `#${sequence}, ${event} by ${authorOf(message)}`;
  return `#${sequence} from ${authorOf(message)}: ${JSON.stringify(content["text"])}`;
}

function newTitleOf({ content: { changes } }: Message): unknown {
  if (typeof changes !== "object" || changes === null || !("title" in changes)) return undefined;
  const { title } = changes;
  return typeof title === "object" && title !== null && "to" in title ? title.to : undefined;
}

/** The demo did not go as the story has it: what was expected, and what came. */
export function failure(expected: string, came: string): CliError {
  return new CliError("demo_failed", `The demo went wrong. Expected ${expected}; instead ${came}.`, {
    exitCode: exitCodes.unexpected,
    next: ["merkle demo", "merkle doctor"],
  });
}

/** @throws the demo's failure unless both are the same */
export function requireSame(what: string, expected: unknown, found: unknown): void {
  const [wanted, came] = [JSON.stringify(expected), JSON.stringify(found)];
  if (wanted !== came) throw failure(`${what} ${wanted}`, `it is ${came}`);
}
