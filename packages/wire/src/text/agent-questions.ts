import { isObject } from "../core/is-object.js";
import { questionTool, turnEndTool } from "./agent-requests.js";

/** A question of an agent to its user, with the options that the agent offers. */
export interface AgentQuestion {
  readonly question: string;
  /** A label of one or two words. */
  readonly header: string;
  readonly isMultiSelect: boolean;
  readonly options: readonly QuestionOption[];
}

export interface QuestionOption {
  readonly label: string;
  readonly description: string;
  /** A draft of what the option would result in. */
  readonly preview: string | null;
}

/** The answer to one question: options by their labels, and the user's own text. */
export interface QuestionAnswer {
  readonly options: string[];
  readonly text?: string | undefined;
}

/**
 * Returns the questions in the input of a tool call, or null if the tool asks nothing. Also returns null if
 * an answer could not be assigned to one question and option, because two have the same text.
 *
 * @param input - the tool's input as JSON
 */
export function parseQuestions(tool: string, input: string): readonly AgentQuestion[] | null {
  if (tool !== questionTool) return null;
  const questions = toList(parseInput(input)["questions"], toQuestion);
  return questions && hasDistinct(questions, ({ question }) => question) ? questions : null;
}

/**
 * Describes what is wrong with the answers to an agent's questions: each question needs an answer, with
 * options that were offered. Returns null for valid answers.
 */
export function describeAnswerProblem(
  questions: readonly AgentQuestion[],
  answers: readonly QuestionAnswer[],
): string | null {
  if (answers.length !== questions.length)
    return `must contain one answer for each of the ${questions.length} questions`;
  for (const [index, { question, options, isMultiSelect }] of questions.entries()) {
    const { options: chosen, text } = answers[index] ?? { options: [] };
    const unknown = chosen.find((label) => options.every((option) => option.label !== label));
    const count = chosen.length + (text === undefined ? 0 : 1);
    const quoted = JSON.stringify(question);
    if (unknown !== undefined) return `names ${JSON.stringify(unknown)}, which ${quoted} does not offer`;
    if (count === 0) return `must answer ${quoted}`;
    if (count > 1 && !isMultiSelect) return `must choose one option of ${quoted}`;
    if (new Set(chosen).size < chosen.length) return `names an option of ${quoted} twice`;
  }
  return null;
}

/** Formats an answer as the agent gets it. */
export function formatAnswer({ options, text }: QuestionAnswer): string {
  return [...options, ...(text === undefined ? [] : [text])].join(", ");
}

/** Returns whether a text ends with a question mark, apart from quotation marks and Markdown around it. */
export function endsWithQuestion(text: string): boolean {
  return /[?\u037e\u061f\uff1f][\s"'”’»)\]*_`]*$/u.test(text);
}

/** Returns the text with which an agent has ended its turn, or null for any other request. */
export function parseTurnEnd(tool: string, input: string): string | null {
  const { last_assistant_message: text } = parseInput(input);
  return tool === turnEndTool && typeof text === "string" ? text : null;
}

function parseInput(input: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function toQuestion(value: unknown): AgentQuestion | null {
  if (!isObject(value)) return null;
  const { question, header, multiSelect = false } = value;
  const options = toList(value["options"], toOption);
  if (!isText(question) || !isText(header) || typeof multiSelect !== "boolean" || !options) return null;
  if (!hasDistinct(options, ({ label }) => label)) return null;
  return { question, header, isMultiSelect: multiSelect, options };
}

function toOption(value: unknown): QuestionOption | null {
  if (!isObject(value)) return null;
  const { label, description = "", preview = null } = value;
  if (!isText(label) || typeof description !== "string") return null;
  return preview === null || typeof preview === "string" ? { label, description, preview } : null;
}

/** Returns null unless the value is a list with at least one element, all of which can be converted. */
function toList<Element>(value: unknown, convert: (each: unknown) => Element | null): Element[] | null {
  if (!Array.isArray(value)) return null;
  const elements = value.map(convert).filter((each) => each !== null);
  return elements.length > 0 && elements.length === value.length ? elements : null;
}

function hasDistinct<Element>(elements: readonly Element[], read: (each: Element) => string): boolean {
  return new Set(elements.map(read)).size === elements.length;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
