import type { FilePlan, PlannedChange } from "./plan-file.js";

/**
 * Formats the changes as one diff per file. Omits context lines, which belong to the user and may contain
 * secrets.
 */
export function describePlans(plans: readonly FilePlan[]): string {
  return plans
    .filter((each) => each.current !== each.next)
    .map(({ path, current, next, changes }) =>
      [
        `--- ${current === null ? "/dev/null" : path}`,
        `+++ ${next === null ? "/dev/null" : path}`,
        ...changes.map(describeChange),
      ].join("\n"),
    )
    .join("\n\n");
}

/** Returns the planned changes as data for programs: each file with the action on it. */
export function toJson(plans: readonly FilePlan[]) {
  return plans.map((plan) => ({
    path: plan.path,
    action: actionOf(plan),
    parts: plan.changes.map((each) => each.path.join(".")),
  }));
}

function actionOf({ current, next }: FilePlan): "none" | "create" | "remove" | "change" {
  if (current === next) return "none";
  if (current === null) return "create";
  return next === null ? "remove" : "change";
}

function describeChange({ path, edit, foreign }: PlannedChange): string {
  const hidden = "(your earlier value, not shown)";
  const lines = [
    ...signed("-", foreign === "removed" ? hidden : edit.removed),
    ...signed("+", foreign === "added" ? hidden : edit.added),
  ];
  return [`@@ ${path.join(".")} @@`, ...lines].join("\n");
}

function signed(sign: string, text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => sign + line);
}
