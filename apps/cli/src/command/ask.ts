import { interruptedError } from "../core/cli-error.js";
import { cutToWidth } from "../text/display-width.js";
import { wrapLine } from "../text/wrap-line.js";
import type { CommandContext } from "./command.js";
import { getColumns, type TextStream } from "./io.js";

/** Returns whether someone is at the terminal to answer a question. */
export function canAsk({ flags, io }: Pick<CommandContext, "flags" | "io">): boolean {
  return flags["input"] !== false && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Asks questions at the terminal. Ctrl+C ends the command as usual and restores the terminal. */
export interface Prompter {
  confirm(question: { message: string; default: boolean }): Promise<boolean>;
  /**
   * Asks for text and trims the answer. Enter accepts the default, typing replaces it, and Tab inserts it for
   * editing.
   */
  askText(question: TextQuestion): Promise<string>;
  /** Asks for text without displaying the typed characters. */
  askSecret(question: { message: string }): Promise<string>;
  /** Asks for one of several choices. Typing filters the list. */
  choose<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value>;
}

interface TextQuestion {
  readonly message: string;
  readonly default?: string | undefined;
  /** Returns a sentence about what is wrong with an answer, or undefined if the answer is valid. */
  readonly findProblem: (answer: string) => string | undefined;
}

interface ChoiceQuestion<Value extends string> {
  readonly message: string;
  readonly default?: Value | undefined;
  readonly listChoices: (typed: string) => Promise<readonly PromptChoice<Value>[]>;
}

interface PromptChoice<Value extends string> {
  readonly value: Value;
  readonly name: string;
  /** A note after the choice's name. Shown only in the list, and never truncated. */
  readonly beside?: string;
}

/** Creates a prompter that writes to stderr, because stdout is for data. */
export function createPrompter({ io, signal }: Pick<CommandContext, "io" | "signal">): Prompter {
  const context = { input: io.stdin, output: io.stderr, signal };
  return {
    async confirm(question) {
      const { confirm } = await import("./prompts.js");
      const message = wrapQuestion(question.message, io.stderr);
      return runPrompt(() => confirm({ ...question, message }, context));
    },
    async askSecret({ message }) {
      const { password } = await import("./prompts.js");
      return runPrompt(() => password({ message, mask: true }, context));
    },
    async askText({ message, default: preset, findProblem }) {
      const { input } = await import("./prompts.js");
      const answer = await runPrompt(() =>
        input(
          {
            message,
            ...(preset !== undefined && { default: preset }),
            validate: (text) => findProblem(text.trim()) ?? true,
          },
          context,
        ),
      );
      return answer.trim();
    },
    async choose({ message, default: preset, listChoices }) {
      const { search } = await import("./prompts.js");
      return runPrompt(() =>
        search(
          {
            message,
            source: async (typed) =>
              (await listChoices(typed ?? "")).map((each) => fitChoice(each, message, io.stderr)),
            ...(preset !== undefined && { default: preset as never }),
          },
          context,
        ),
      );
    },
  };
}

/**
 * Wraps a question to the terminal's width, leaving room for the mark before it and the possible answers
 * after it.
 */
function wrapQuestion(message: string, terminal: TextStream): string {
  const [mark, answers] = ["? ", " (y/N)"];
  const lines = wrapLine(mark + message + answers, getColumns(terminal) - 1, "  ").join("\n");
  return lines.slice(mark.length, -answers.length);
}

/** Shortens a choice to fit one line of the terminal, both in the list and as the final answer. */
function fitChoice<Value extends string>(
  { value, name, beside }: PromptChoice<Value>,
  message: string,
  terminal: TextStream,
) {
  const columns = getColumns(terminal);
  const note = beside === undefined ? "" : `   ${beside}`;
  const cut = (used: number) => cutToWidth(name, columns - 1 - used, "…");
  return { value, name: cut("❯ ".length + note.length) + note, short: cut(`✔ ${message} `.length) };
}

/** Asks a yes-or-no question on the terminal. The default is no. */
export async function askYesOrNo(
  message: string,
  context: Pick<CommandContext, "io" | "signal">,
): Promise<boolean> {
  return createPrompter(context).confirm({ message, default: false });
}

async function runPrompt<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && (error.name === "ExitPromptError" || error.name === "AbortPromptError")) {
      throw interruptedError();
    }
    throw error;
  }
}
