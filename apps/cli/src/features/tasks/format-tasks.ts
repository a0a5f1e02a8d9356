import type { Task } from "@merkle/wire";
import { formatScope } from "@merkle/wire/text";
import type { Output } from "../../command/output.js";
import { indentText, toOneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { toAge } from "../../text/time.js";

/** Returns one line per task: number, state, title, the holder or the tasks that block it, and its files. */
export function formatTasks(
  tasks: readonly (Task & { readonly session?: string })[],
  output: Output,
): string {
  const rows = tasks.map((task) => [
    ...(task.session === undefined ? [] : [{ text: toOneLine(task.session), paint: output.dim }]),
    { text: String(task.task), paint: output.bold },
    { text: task.unanswered ? "in review, unanswered" : task.state.replace("_", " ") },
    { text: [toOneLine(task.title), ...task.labels.map((label) => `+${toOneLine(label)}`)].join(" ") },
    {
      text: [formatHolder(task), formatWait(task), formatFiles(task)]
        .filter((each) => each !== "")
        .join(", "),
      paint: output.dim,
    },
  ]);
  const last = (rows[0]?.length ?? 1) - 1;
  return formatTable(rows, {
    columns: output.columns,
    // The columns for the session and the holder are shortened before the title.
    flexible: [...(last > 3 ? [0] : []), [last, 14], last - 1],
    more: output.signs.more,
  });
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
    formatTasks([task], output),
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
