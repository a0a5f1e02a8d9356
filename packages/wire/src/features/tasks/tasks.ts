import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  inSession,
  lineOfChars,
  Reason,
  retryable,
  Sequence,
  StorableText,
  TaskNumber,
  Timestamp,
  Title,
  textOfBytes,
  Uuid,
} from "../../core/values.js";
import { formatMessageLines, formatMessageTime } from "../../feed/compact.js";
import { Message } from "../../feed/message.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { formatScope } from "../../text/scope.js";
import { FileScope, Repository } from "./claims.js";
import { rules } from "./rules.js";
import { TaskChange, TaskCheck } from "./values.js";

const operation = describeOperations(rules);

/**
 * `open`: the task can be claimed. `blocked`: it waits for another task. `in_review`: it waits for proof that
 * it is done (TASK-2).
 */
export const TaskState = z.enum(["open", "blocked", "claimed", "in_review", "done", "cancelled"]);
export type TaskState = z.output<typeof TaskState>;

const TaskText = textOfBytes(limits.taskTextBytesMax);
const Assignee = StorableText.trim()
  .min(1)
  .max(2 * limits.nameCharsMax + 1)
  .meta({ description: "Assignee: a team or peer (default: anyone who claims it)." });
const Label = lineOfChars(limits.tagCharsMax).toLowerCase();
const Labels = z.array(Label).max(limits.taskLabelsMax);
const Blockers = z
  .array(TaskNumber)
  .max(limits.taskBlockersMax)
  .meta({ description: "Tasks that block it." });
const Link = z.union([
  z.strictObject({ message: Sequence.min(1) }),
  z.strictObject({ section: lineOfChars(limits.titleCharsMax) }),
]);
const Links = z
  .array(Link)
  .max(limits.taskLinksMax)
  .meta({ description: "Messages of the feed, by number, and sections of the document, by heading." });
const Files = z.array(FileScope).max(limits.taskFilesMax).meta({
  description: "Files claimed with it, such as src/auth/**.",
});
const Check = TaskCheck.meta({
  description:
    "How it is proved done, set by humans: a command that the assignee runs, or the name of a reviewer.",
});
const Fence = z.int().min(1).optional().meta({
  description: "Claim number from claim_task: refused if the task was claimed again since.",
});
const Proof = z.strictObject({
  exit_code: z.int().min(-1).max(255),
  tail: textOfBytes(limits.checkTailBytesMax).default(""),
});

export const Task = z
  .object({
    task: TaskNumber,
    session_id: Uuid,
    title: z.string(),
    text: z.string(),
    state: TaskState,
    assignee: z.string().nullable(),
    holder: z.string().nullable().meta({ description: "Who has claimed it; once it is done, who did it." }),
    mine: z.boolean().meta({ description: "Whether you hold it." }),
    claimed_at: Timestamp.nullable(),
    handed_back_at: Timestamp.nullable().meta({
      description: "Since when it is open again because its holder went offline.",
    }),
    fence: z.int().meta({ description: "The number of its last claim." }),
    blocked_by: z.array(TaskNumber),
    waits_for: z.array(TaskNumber).meta({ description: "Unfinished tasks among them." }),
    labels: z.array(z.string()),
    links: z.array(z.union([z.object({ message: Sequence }), z.object({ section: z.string() })])),
    files: z.array(z.string()).meta({ description: "Claimed by its holder, as long as there is one." }),
    check: z.union([z.object({ command: z.string() }), z.object({ reviewer: z.string() })]).nullable(),
    result: z.string().nullable(),
    proof: z.object({ exit_code: z.int(), tail: z.string() }).nullable(),
    to_review: z.boolean().meta({ description: "Whether it is in review and you are its reviewer." }),
    unanswered: z.boolean().meta({
      description: "Whether it has been in review for longer than the broker's `unanswered_after_s`.",
    }),
    created_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Task" });
export type Task = z.output<typeof Task>;

/** Formats a line such as `7 claimed by Birch/oak since 14:05:01, waits for 3: rotate tokens`. */
function formatTaskLine(task: Task): string {
  // An older broker's tasks have no files.
  const { state, holder, claimed_at, assignee, waits_for, labels, files = [], check } = task;
  const facts = [
    state,
    task.unanswered && "unanswered",
    holder !== null && `by ${formatInlineName(holder)}`,
    state === "claimed" && claimed_at && `since ${formatMessageTime(claimed_at)}`,
    holder === null && assignee !== null && `for ${formatInlineName(assignee)}`,
    waits_for.length > 0 && `waits for ${waits_for.join(", ")}`,
    labels.length > 0 && labels.map((label) => formatInlineName(`+${label}`)).join(" "),
    files.length > 0 && `on ${formatFiles(files.slice(0, 3))}${files.length > 3 ? " …" : ""}`,
    check &&
      ("command" in check ? "checked by a command" : `reviewed by ${formatInlineName(check.reviewer)}`),
  ].filter(Boolean);
  return `- ${task.task} ${facts.join(" ")}: ${task.title}`;
}

const formatFiles = (files: readonly string[]) =>
  files.map((file) => formatInlineName(formatScope(file))).join(", ");

/** Formats everything that a task's holder needs to know about it. */
function formatFullTask(task: Task): string {
  const { text, check, links, files = [], result, proof } = task;
  return joinLines(
    formatTaskLine(task),
    text !== "" && ` text: ${text}`,
    files.length > 3 && ` files: ${formatFiles(files)}`,
    links.length > 0 &&
      ` see ${links.map((link) => ("message" in link ? `#${link.message}` : `section ${formatInlineName(link.section)}`)).join(", ")}`,
    check && "command" in check && ` check, to be run and reported as proof: ${check.command}`,
    result !== null && ` result: ${result}`,
    proof && ` proof: exit ${proof.exit_code}${proof.tail === "" ? "" : `: ${proof.tail}`}`,
  );
}

export const createTask = operation("create_task", {
  summary: "Add a task to the session, for an assignee or for anyone who claims it.",
  loadedUpfront: true,
  unlisted: ["links", "check"],
  unlistedOverStdio: ["labels"],
  input: z.strictObject({
    ...inSession,
    title: Title,
    text: TaskText.default(""),
    assignee: Assignee.optional(),
    blocked_by: Blockers.default([]),
    labels: Labels.default([]),
    links: Links.default([]),
    files: Files.default([]),
    check: Check.optional(),
    ...asTeam,
    ...retryable,
  }),
  output: Task,
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ task, state }) => `task ${task} ${state}`,
});

const listing = {
  state: z
    .enum(["unfinished", "ready", ...TaskState.options, "all"])
    .default("unfinished")
    .meta({ description: "ready: tasks that you can claim." }),
  mine: z
    .boolean()
    .default(false)
    .meta({ description: "Only tasks that you hold or that are assigned to you." }),
  label: Label.optional(),
  limit: z.int().min(1).max(limits.tasksPageMax).default(limits.tasksPageDefault),
};

export const listTasks = operation("list_tasks", {
  summary: "List the session's tasks: which are ready, who does what, and what blocks what.",
  unlisted: ["order"],
  unlistedOverStdio: ["limit", "label"],
  input: z.strictObject({
    ...inSession,
    ...listing,
    order: z.enum(["oldest", "newest"]).default("oldest").meta({ description: "By number." }),
    after: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .default(0)
      .meta({ description: "next_after of the last page." }),
    ...asTeam,
  }),
  output: z.object({
    tasks: z.array(Task),
    next_after: z.int().nullable(),
    total: z.int().meta({ description: "How many tasks match, on all pages." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ tasks, next_after, total }) =>
    joinLines(
      ...tasks.map(formatTaskLine),
      tasks.length === 0 && "no such tasks",
      next_after !== null && `${tasks.length} of ${total}; more: after ${next_after}`,
    ),
});

export const listAllTasks = operation("list_all_tasks", {
  summary: "List the unfinished tasks of all open sessions, the longest untouched first.",
  unlisted: true,
  input: z.strictObject({
    query: StorableText.trim()
      .min(1)
      .max(limits.queryCharsMax)
      .optional()
      .meta({ description: "Only tasks with all these words in title, text or labels." }),
    limit: listing.limit,
    ...asTeam,
  }),
  output: z.object({
    tasks: z.array(Task.extend({ session: z.string(), session_title: z.string() })),
    total: z.int(),
  }),
  errors: ["unauthorized"],
  compact: ({ tasks }) =>
    joinLines(
      ...tasks.map((task) => `${formatTaskLine(task)} (${formatInlineName(task.session)})`),
      tasks.length === 0 && "no tasks",
    ),
});

export const getTask = operation("get_task", {
  summary: "Read a task with its details and history.",
  unlistedOverStdio: true,
  input: z.strictObject({ ...inSession, task: TaskNumber, ...asTeam }),
  output: Task.extend({
    history: z
      .array(
        z.object({
          sequence: Sequence,
          change: TaskChange,
          by: z.string(),
          reason: z.string().nullable(),
          at: Timestamp,
        }),
      )
      .meta({ description: "Its last 100 changes in the feed, oldest first." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ history, ...task }) =>
    joinLines(
      formatFullTask(task),
      ...history.map(
        ({ sequence, change, by, reason, at }) =>
          `- #${sequence} ${formatMessageTime(at)} ${change} by ${formatInlineName(by)}${reason === null ? "" : `: ${reason}`}`,
      ),
    ),
});

export const updateTask = operation("update_task", {
  summary: "Change a task's title, text, assignee, blockers or files, or cancel it.",
  unlisted: ["links", "check", "fence"],
  unlistedOverStdio: true,
  input: z
    .strictObject({
      ...inSession,
      task: TaskNumber,
      title: Title.optional(),
      text: TaskText.optional(),
      assignee: Assignee.nullable().optional(),
      blocked_by: Blockers.optional(),
      labels: Labels.optional(),
      links: Links.optional(),
      files: Files.optional(),
      check: Check.nullable().optional(),
      state: z.enum(["cancelled"]).optional().meta({ description: "Cancels the task." }),
      reason: Reason.optional(),
      fence: Fence,
      ...asTeam,
      ...retryable,
    })
    .refine(
      ({ title, text, assignee, blocked_by, labels, links, files, check, state }) =>
        [title, text, assignee, blocked_by, labels, links, files, check, state].some(
          (each) => each !== undefined,
        ),
      { error: "name at least one field to change" },
    ),
  output: Task,
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: formatFullTask,
});

export const claimTask = operation("claim_task", {
  summary:
    "Claim a task with its files, or without a number the next ready task, and read its messages. Exactly one caller gets it, while connected.",
  loadedUpfront: true,
  unlisted: ["repository"],
  unlistedOverStdio: ["label"],
  input: z
    .strictObject({
      ...inSession,
      task: TaskNumber.optional(),
      label: Label.optional().meta({ description: "Only one with this label." }),
      repository: Repository.optional(),
      ...asTeam,
      ...retryable,
    })
    .refine(({ task, label }) => task === undefined || label === undefined, {
      error: "name a task, or a label for the next one, not both",
    }),
  output: z.object({
    task: Task.nullable().meta({ description: "Null when none is ready." }),
    thread: z.array(Message).meta({
      description: "The last messages about it, oldest first: linked ones, replies, and reasons of changes.",
    }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ task, thread = [] }) =>
    task === null
      ? "no task is ready for you"
      : joinLines(
          formatFullTask(task),
          task.files?.length > 0 && " these files are claimed for you until you finish or release it",
          ...thread.map(formatMessageLines),
        ),
});

export const releaseTask = operation("release_task", {
  summary: "Release a claimed task. A reviewer can return a task in review to its author.",
  // Not listed, because the tool `release` also does this.
  unlisted: true,
  input: z.strictObject({
    ...inSession,
    task: TaskNumber,
    reason: Reason.optional(),
    fence: Fence,
    ...asTeam,
    ...retryable,
  }),
  output: Task,
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ task, state }) => `task ${task} ${state}`,
});

export const finishTask = operation("finish_task", {
  summary:
    "Report your claimed task as done, with its result: notifies its creator, releases its files. A task with a check also needs its proof, or it stays in review.",
  loadedUpfront: true,
  unlisted: ["fence"],
  input: z.strictObject({
    ...inSession,
    task: TaskNumber,
    result: textOfBytes(limits.taskResultBytesMax).default("").meta({ description: "The result." }),
    proof: Proof.optional().meta({
      description: "Exit code and end of output of its check, which you ran.",
    }),
    fence: Fence,
    ...asTeam,
    ...retryable,
  }),
  output: Task.extend({
    ready: z.array(TaskNumber).meta({ description: "Tasks that only it blocked." }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ task, state, check, ready }) =>
    joinLines(
      `task ${task} ${state}`,
      state === "in_review" &&
        check &&
        "command" in check &&
        ` run its check and report it as proof: ${check.command}`,
      ready.length > 0 && `now ready: ${ready.join(", ")}`,
    ),
});

export const splitTask = operation("split_task", {
  summary: "Split a task into parts that block it; if it is claimed, it is released.",
  unlisted: ["fence"],
  unlistedOverStdio: true,
  input: z.strictObject({
    ...inSession,
    task: TaskNumber,
    parts: z
      .array(z.strictObject({ title: Title, text: TaskText.default("") }))
      .min(1)
      .max(limits.taskPartsMax),
    fence: Fence,
    ...asTeam,
    ...retryable,
  }),
  output: z.object({ task: Task, parts: z.array(Task) }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ task, parts }) => joinLines(formatTaskLine(task), ...parts.map(formatTaskLine)),
});
