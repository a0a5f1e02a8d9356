import { formatApproval, parseQuestions, parseTurnEnd, showInvisible } from "@merkle/wire/text";

/** Returns what an agent asks, as plain text without invisible characters. */
export function formatRequest(tool: string, input: string): string {
  const questions = parseQuestions(tool, input);
  const turnEnd = parseTurnEnd(tool, input);
  if (turnEnd !== null) return showInvisible(turnEnd);
  if (!questions) return formatApproval(input).text;
  return questions.map(({ question }) => showInvisible(question)).join("\n");
}

/** Returns the first line of a request, with an ellipsis if there are more. */
export function formatRequestLine(tool: string, input: string): string {
  const [first = "", ...others] = formatRequest(tool, input).trim().split("\n");
  return others.length === 0 ? first : `${first} …`;
}
