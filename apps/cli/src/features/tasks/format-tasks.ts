import type { Task } from "@merkle/wire";
import { formatScope } from "@merkle/wire/text";
import { type Column, formatRows } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { indentText, toOneLine } from "../../text/one-line.js";
import { toAge } from "../../text/time.js";

type ListedTask = Task & { readonly session?: string };

/** Returns the columns of a list of tasks. Only tasks of several sessions name their session. */
export function listTaskColumns({ bold, dim }: Output): Column<ListedTask>[] {
  return [
    {
      head: "Session",
      isOptional: true,
      cell: ({ session }) => ({ text: toOneLine(session ?? ""), paint: dim }),
    },
    { head: "Task", cell: ({ task }) => ({ text: String(task), paint: bold }) },
    {
      head: "State",
      cell: ({ state, unanswered }) => (unanswered ? "in review, unanswered" : state.replace("_", " ")),
    },
    {
      head: "Title",
      widthMin: 12,
      cell: ({ title, labels }) =>
        [toOneLine(title), ...labels.map((label) => `+${toOneLine(label)}`)].join(" "),
    },
    {
      head: "Work",
      widthMin: 14,
      isOptional: true,
      cell: (task) => ({ text: formatWork(task), paint: dim }),
    },
  ];
}

/** Returns one line about a task. */
export function formatTaskLine(task: Task, output: Output): string {
  const { columns, signs, dim } = output;
  return formatRows([task], listTaskColumns(output), { columns, signs, dim, isTerminal: false });
}

/** Returns who works on a task, what it waits for, and its files. */
function formatWork(task: Task): string {
  return [formatHolder(task), formatWait(task), formatFiles(task)].filter((each) => each !== "").join(", ");
}

function formatHolder({ state, holder, claimed_at, assignee }: Task): string {
  if (holder !== null)
    return state === "claimed" ? `${toOneLine(holder)} ${toAge(claimed_at ?? "")}` : toOneLine(holder);
  return assignee === null ? "" : `for ${toOneLine(assignee)}`;
}

function formatWait({ waits_for, handed_back_at }: Task): string {
  if (waits_for.length > 0) return `after ${waits_for.join(", ")}`;
  return handed_back_at === null ? "" : `returned ${toAge(handed_back_at)} ago`;
}

function formatFiles({ files: [first, ...others] }: Task): string {
  if (first === undefined) return "";
  return `on ${toOneLine(formatScope(first))}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/** Formats a task with everything that the peer working on it needs to know. */
export function formatTask(task: Task, output: Output): string {
  const { text, files, check, result, proof } = task;
  const facts = [
    formatTaskLine(task, output),
    text !== "" && indentText(text),
    files.length > 0 && `  files: ${files.map((file) => toOneLine(formatScope(file))).join(", ")}`,
    check &&
      ("command" in check
        ? `  check: ${toOneLine(check.command)}`
        : `  reviewed by ${toOneLine(check.reviewer)}`),
    proof && `  proof: exit ${proof.exit_code}`,
    result !== null && `  result: ${indentText(result)}`,
  ];
  return facts.filter((each) => typeof each === "string").join("\n");
}
