import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "./obey.js";
import type { ModelPrompt } from "./shown.js";

/** One step of an agent's work: a tool call. */
export interface Step {
  readonly tool: string;
  readonly input: unknown;
  /** Texts that the agent must have seen before it takes the step. Until then, its turn ends. */
  readonly after?: readonly string[];
  /** Delays the step, as hours of work would. */
  readonly until?: Promise<unknown>;
}

/** How long the model takes for each reply, so that messages arrive during turns as they do in a real session. */
const thinkMs = 2_000;

/**
 * A model that takes these steps in order, and reads messages when a nudge announces them without showing them. It
 * keeps no state, because a client may discard a reply.
 */
export function follow(steps: readonly Step[]): (shown: ModelPrompt) => Promise<Answer> {
  return async ({ news, conversation, messages }) => {
    await delay(thinkMs);
    if (isNudge(news) && !/\d Merkle messages?\b/.test(news)) return { calls: [check] };
    const step = steps[callsIn(messages).filter((tool) => tool !== check.tool).length];
    if (!step || step.after?.some((text) => !conversation.includes(text))) return { text: "Done for now." };
    await step.until;
    return { calls: [step] };
  };
}

/** Returns the names of the tools that the model has called, in order. */
function callsIn(messages: ModelPrompt["messages"]): string[] {
  const blocks = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content : [],
  );
  return blocks.flatMap(({ type, name }) => (type === "tool_use" && name !== undefined ? [name] : []));
}

export const isNudge = (text: string) => /Merkle nudge \d+:/.test(text);

/** The plan: one file for each task. */
export const files = ["one.js", "two.js", "three.js"] as const;
export const answer = "Greet in English.";
const reportOf = (file: string) => `${file} is done and committed.`;
const post = (text: string, more: object = {}) => merkle("post_message", { content: { text, ...more } });

/** What the members of a team do, in order. */
export interface TeamScripts {
  lead(prompt: string): readonly Step[];
  worker(prompt: string, task: number, work: Work): readonly Step[];
}

/**
 * The first script. It stays as it is, so that its costs can be compared between versions: workers claim files and
 * report by post.
 */
export const withPosts: TeamScripts = { lead: leadScript, worker: workerScript };

/** The second script: a task names its files, and a worker's loop is `claim_task`, work, `finish_task`. */
export const withLoop: TeamScripts = { lead: leadLoop, worker: workerLoop };

/** The lead creates the tasks, writes the plan, asks a human, records the answer and concludes. */
function leadScript(prompt: string): readonly Step[] {
  const plan = `# Greetings\n\n## Plan\n\n${files.map((file) => `- ${file}\n`).join("")}\n## Decisions\n`;
  const ask = { text: "In which language?", kind: "ask", options: ["English", "Latin"] };
  return [
    { ...post("I lead this session and write the plan."), after: [prompt] },
    ...files.map((file) => merkle("create_task", { title: `Write ${file}` })),
    merkle("update_session_doc", { content: plan, expected_version: 0 }),
    merkle("post_message", { content: ask, to: ["@humans"] }),
    { ...merkle("append_to_session_doc", { text: `- ${answer}` }), after: [answer] },
    { ...merkle("conclude_session", { summary_section: "All files greet." }), after: files.map(reportOf) },
  ];
}

/** The work on one task in the client's own tools. */
interface Work {
  readonly edit: Step;
  readonly commit: Step;
}

/** A worker claims its task and its file, announces both and reports both. */
function workerScript(prompt: string, task: number, { edit, commit }: Work): readonly Step[] {
  const file = files[task - 1] ?? "";
  const scope = `repo:${file}`;
  return [
    { ...post(`I take task ${task}.`), after: [prompt] },
    merkle("claim_task", { task }),
    merkle("claim", { scope }),
    edit,
    commit,
    merkle("finish_task", { task, result: `${file} greets.` }),
    post(reportOf(file)),
    merkle("release", { scope }),
    merkle("wait_for_messages", {}),
  ];
}

/** Like {@link leadScript}, with a summary for an introduction, and results in place of reports. */
function leadLoop(prompt: string): readonly Step[] {
  const [, ...steps] = leadScript(prompt);
  const summary = "I lead this session and write the plan.";
  return [
    { ...merkle("set_summary", { summary }), after: [prompt] },
    ...files.map((file) => merkle("create_task", { title: `Write ${file}`, files: [file] })),
    ...steps.slice(files.length),
  ];
}

/** A worker follows the loop of AGENTS.md and the server's instructions. */
function workerLoop(prompt: string, task: number, { edit, commit }: Work): readonly Step[] {
  return [
    { ...merkle("set_summary", { summary: `I do task ${task}.` }), after: [prompt] },
    merkle("claim_task", { task }),
    edit,
    commit,
    merkle("finish_task", { task, result: reportOf(files[task - 1] ?? "") }),
  ];
}

function merkle(tool: string, input: unknown): Step {
  return { tool: `mcp__merkle__${tool}`, input };
}

const check = merkle("check_messages", {});
