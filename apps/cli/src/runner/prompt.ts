import type { RunnableJob } from "@merkle/broker";

/**
 * What the agent reads from stdin: which skill it uses, and the job as a labelled block. Whatever comes from people
 * is on one line each, so that it cannot pass for another label.
 */
export function toPrompt(
  { kind, job_id, parameters }: Pick<RunnableJob, "kind" | "job_id" | "parameters">,
  agentCommand: string,
): string {
  const block = { "Job ID": String(job_id), ...parameters, "Agent command": agentCommand };
  return [
    `Use the merkle-${kind} skill.`,
    "",
    ...Object.entries(block).map(([label, value]) => `${label}: ${toLine(value)}`),
    "",
    "When done, exit 0. On any unrecoverable error, exit non-zero: whoever started the job is shown what you wrote to stderr.",
    "",
  ].join("\n");
}

function toLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}
