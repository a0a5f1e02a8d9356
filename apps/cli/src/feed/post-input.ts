import type { InputOf } from "@merkle/wire";
import { usageError } from "../core/cli-error.js";
import { readOneOf, readWholeNumber } from "../core/flag-values.js";
import { type Flags, findFlag, isSet, listFlagValues, splitList } from "../core/flags.js";

/** The fields of a posted message, except its text. */
type PostInput = Pick<InputOf<"post_message">, "to" | "priority" | "reply_to"> & {
  readonly content: Omit<InputOf<"post_message">["content"], "text">;
};

/**
 * Converts the flags of `merkle post`. @throws CliError `usage` for contradictory flags, before the broker is
 * called
 */
export function readPostInput(flags: Flags): PostInput {
  const isAsk = isSet(flags, "ask");
  const isDecision = isSet(flags, "decision");
  const options = listFlagValues(flags, "option");
  const answer = findFlag(flags, "answer");
  const recipients = listFlagValues(flags, "to");
  const to = splitList(recipients);
  const priority = readOneOf(findFlag(flags, "priority"), "--priority", ["now", "next", "low"]);
  const replyTo = readWholeNumber(findFlag(flags, "replyTo")?.replace(/^#/, ""), "--reply-to", {
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  });
  if (isAsk && isDecision) throw usageError("A message can be a question or a decision, not both.");
  if (isAsk && answer !== undefined) throw usageError("A question cannot also be an answer.");
  if (options.length > 0 && !isAsk) throw usageError("--option can only be used with --ask.");
  if (options.length === 1) throw usageError("Give --option at least twice, or not at all.");
  if (answer !== undefined && replyTo === undefined)
    throw usageError("--answer needs --reply-to with the number of the question.");
  if (recipients.length > 0 && to.length === 0) throw usageError("--to is empty.");
  return {
    content: {
      ...(isAsk ? { kind: "ask" as const } : isDecision ? { kind: "decision" as const } : {}),
      ...(options.length > 0 ? { options: [...options] } : {}),
      ...(answer === undefined ? {} : { answer }),
    },
    ...(to.length > 0 ? { to } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
  };
}
