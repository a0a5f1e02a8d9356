import { interruptedError } from "../core/cli-error.js";
import { cutToWidth } from "../text/table.js";
import { wrapLine } from "../text/wrap-line.js";
import type { CommandContext } from "./command.js";
import { columnsOf, type TextStream } from "./io.js";

/** Whether somebody is there to answer a question. */
export function canAsk({ flags, io }: Pick<CommandContext, "flags" | "io">): boolean {
  return flags["input"] !== false && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Asks on the terminal. Ctrl+C ends the command as it does anywhere else, and leaves the terminal as it was. */
export interface Prompter {
  yesOrNo(question: { message: string; default: boolean }): Promise<boolean>;
  /** An answer in words, trimmed; Enter alone takes the default, which typing replaces and Tab puts there to be edited. */
  text(question: TextQuestion): Promise<string>;
  /** An answer that is not shown while it is typed. */
  secret(question: { message: string }): Promise<string>;
  /** One of several, which typing narrows down. */
  oneOf<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value>;
}

interface TextQuestion {
  readonly message: string;
  readonly default?: string | undefined;
  /** The fault of an answer, in a sentence; undefined when nothing is. */
  readonly problemOf: (answer: string) => string | undefined;
}

interface ChoiceQuestion<Value extends string> {
  readonly message: string;
  readonly default?: Value | undefined;
  readonly choices: (typed: string) => Promise<readonly Choice<Value>[]>;
}

interface Choice<Value extends string> {
  readonly value: Value;
  readonly name: string;
  /** Stands behind the name while one chooses, and stays where that is cut. */
  readonly beside?: string;
}

/** Asks by stderr, for stdout is for data. */
export function createPrompter({ io, signal }: Pick<CommandContext, "io" | "signal">): Prompter {
  const context = { input: io.stdin, output: io.stderr, signal };
  return {
    async yesOrNo(question) {
      const { confirm } = await import("./prompts.js");
      const message = betweenWords(question.message, io.stderr);
      return interruptible(() => confirm({ ...question, message }, context));
    },
    async secret({ message }) {
      const { password } = await import("./prompts.js");
      return interruptible(() => password({ message, mask: true }, context));
    },
    async text({ message, default: preset, problemOf }) {
      const { input } = await import("./prompts.js");
      const answer = await interruptible(() =>
        input(
          {
            message,
            ...(preset !== undefined && { default: preset }),
            validate: (text) => problemOf(text.trim()) ?? true,
          },
          context,
        ),
      );
      return answer.trim();
    },
    async oneOf({ message, default: preset, choices }) {
      const { search } = await import("./prompts.js");
      return interruptible(() =>
        search(
          {
            message,
            source: async (typed) =>
              (await choices(typed ?? "")).map((each) => inOneLine(each, message, io.stderr)),
            ...(preset !== undefined && { default: preset as never }),
          },
          context,
        ),
      );
    },
  };
}

/** A question in lines of the terminal, with room for the mark before it and for the answers behind. */
function betweenWords(message: string, terminal: TextStream): string {
  const [mark, answers] = ["? ", " (y/N)"];
  const lines = wrapLine(mark + message + answers, columnsOf(terminal) - 1, "  ").join("\n");
  return lines.slice(mark.length, -answers.length);
}

/** A choice that takes one line of the terminal, among the others and as the answer to the question. */
function inOneLine<Value extends string>(
  { value, name, beside }: Choice<Value>,
  message: string,
  terminal: TextStream,
) {
  const columns = columnsOf(terminal);
  const note = beside === undefined ? "" : `   ${beside}`;
  const cut = (used: number) => cutToWidth(name, columns - 1 - used, "…");
  return { value, name: cut("❯ ".length + note.length) + note, short: cut(`✔ ${message} `.length) };
}

/** Asks on the terminal whether something is meant; anything but yes is no. */
export async function askYesOrNo(
  message: string,
  context: Pick<CommandContext, "io" | "signal">,
): Promise<boolean> {
  return createPrompter(context).yesOrNo({ message, default: false });
}

async function interruptible<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && (error.name === "ExitPromptError" || error.name === "AbortPromptError")) {
      throw interruptedError();
    }
    throw error;
  }
}
