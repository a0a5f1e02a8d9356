import { type InputOf, MerkleError, type Task } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { describeScopeProblem, formatScope, toFileScope } from "@merkle/wire/text";

/** A task as people enter it. Labels and files are separated by commas. */
export interface TaskDraft {
  readonly title: string;
  readonly text: string;
  readonly assignee: string;
  readonly blockedBy: readonly number[];
  readonly labels: string;
  readonly files: string;
  readonly command: string;
}

export type TaskField = keyof TaskDraft;
export type TaskProblems = { readonly [Field in TaskField]?: string | undefined };

export const emptyDraft: TaskDraft = {
  title: "",
  text: "",
  assignee: "",
  blockedBy: [],
  labels: "",
  files: "",
  command: "",
};

export function toDraft({ title, text, assignee, blocked_by, labels, files, check }: Task): TaskDraft {
  return {
    title,
    text,
    assignee: assignee ?? "",
    blockedBy: blocked_by,
    labels: labels.join(", "),
    files: files.map(formatScope).join(", "),
    command: check && "command" in check ? check.command : "",
  };
}

type TaskPatch = Omit<InputOf<"update_task">, "session_id" | "task" | "team_id">;

/**
 * Returns the fields that a person has changed, as input. Null if there are none. Other fields keep what somebody else may have
 * written in between.
 */
export function findChanges(before: TaskDraft, draft: TaskDraft): TaskPatch | null {
  const { title, text, labels, files, assignee, blockedBy } = draft;
  const isChanged = (field: TaskField) => String(draft[field]) !== String(before[field]);
  const patch: TaskPatch = {
    ...(isChanged("title") && { title }),
    ...(isChanged("text") && { text }),
    ...(isChanged("assignee") && { assignee: assignee.trim() || null }),
    ...(isChanged("blockedBy") && { blocked_by: [...blockedBy] }),
    ...(isChanged("labels") && { labels: splitEntries(labels) }),
    ...(isChanged("files") && { files: splitEntries(files) }),
  };
  return Object.keys(patch).length === 0 ? null : patch;
}

/** Returns the entries of a list that is separated by commas. */
export function splitEntries(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** Returns why fields would be refused, each with what to enter instead. Empty if the draft can be sent. */
export function listProblems(draft: TaskDraft): TaskProblems {
  const [labels, files] = [splitEntries(draft.labels), splitEntries(draft.files)];
  const longLabel = labels.find((each) => each.length > limits.tagCharsMax);
  const badFiles = files.flatMap((file) => {
    const problem = describeScopeProblem(toFileScope(file));
    return problem === null ? [] : [`${file}: ${problem}.`];
  });
  const problems: Readonly<Record<TaskField, string | false | undefined>> = {
    title: draft.title.trim() === "" && "Enter a title.",
    text:
      new TextEncoder().encode(draft.text).length > limits.taskTextBytesMax &&
      `Shorten the description to ${limits.taskTextBytesMax / 1024} kB. Longer texts go into the document.`,
    assignee: /^\s*[@*]/.test(draft.assignee) && "Enter a team or a peer, such as Birch or Birch/oak.",
    blockedBy:
      draft.blockedBy.length > limits.taskBlockersMax &&
      `Choose at most ${limits.taskBlockersMax} tasks, not ${draft.blockedBy.length}.`,
    labels:
      longLabel === undefined
        ? labels.length > limits.taskLabelsMax && `Enter at most ${limits.taskLabelsMax} labels.`
        : `Shorten ${longLabel} to ${limits.tagCharsMax} characters.`,
    files:
      badFiles[0] ?? (files.length > limits.taskFilesMax && `Enter at most ${limits.taskFilesMax} files.`),
    command: false,
  };
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem)) as TaskProblems;
}

const fieldsByInput: Readonly<Record<string, TaskField>> = {
  title: "title",
  text: "text",
  assignee: "assignee",
  blocked_by: "blockedBy",
  labels: "labels",
  files: "files",
  check: "command",
};

/** Returns the fields that a refusal of the broker is about. Null if it is about none of them. */
export function findRefusedFields(error: unknown): TaskProblems | null {
  if (!(error instanceof MerkleError)) return null;
  const { message, details } = error;
  if ("unknown" in details || "circle" in details) return { blockedBy: message };
  if ("to" in details) return { assignee: describeUnknownAssignee(details) };
  const inputs: readonly unknown[] = Array.isArray(details["fields"]) ? details["fields"] : [];
  const problems = inputs.flatMap((each) => {
    const { field = "", problem = "" } = each as { field?: string; problem?: string };
    const [name = ""] = field.split(".");
    const target = fieldsByInput[name];
    return target === undefined ? [] : [[target, `Not accepted: ${problem}.`] as const];
  });
  return problems.length === 0 ? null : (Object.fromEntries(problems) as TaskProblems);
}

function describeUnknownAssignee(details: Readonly<Record<string, unknown>>): string {
  const names = Array.isArray(details["there"]) ? details["there"].slice(0, 10).join(", ") : "";
  return `No single team or peer is called "${String(details["to"])}".${names === "" ? "" : ` Enter one of ${names}.`}`;
}
