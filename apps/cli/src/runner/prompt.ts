import type { RunnableJob } from "@merkle/broker";
import { neutralJson } from "@merkle/wire/plain";

/**
 * What the agent reads from stdin: which skill it uses, and the job as a labelled block, a value on each line. Most of the
 * values come from people, and none of them can pass for another line or end the block (RUNNER-26).
 */
export function toPrompt(
  { kind, job_id, parameters }: Pick<RunnableJob, "kind" | "job_id" | "parameters">,
  agentCommand: string,
): string {
  const told = Object.entries(parameters).map(([label, value]) => [label, toValue(value)]);
  const block = [["Job ID", String(job_id)], ...told, ["Agent command", agentCommand]];
  return [
    `Use the merkle-${kind} skill.`,
    "",
    ...block.map(([label, value]) => `${label}: ${value}`),
    "",
    "When done, exit 0. On any unrecoverable error, exit non-zero: whoever started the job is shown what you wrote to stderr.",
    "",
  ].join("\n");
}

/** No colon, so no label; no quotation mark, no tag, no line break, and nothing that looks like another character. */
const plain = /^[\w./@+' -]*$/;

/** What is more than plain words stands as a JSON string, which it cannot close, without any tag. */
function toValue(text: string): string {
  return plain.test(text) ? text : neutralJson(text).replaceAll("<", "\\u003c");
}
