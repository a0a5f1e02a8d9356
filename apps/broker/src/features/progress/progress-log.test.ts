import { expect, it } from "vitest";
import { createLog } from "../../core/log.js";
import { atLevel } from "./progress-log.js";

it("[PROGRESS-8] what is below the level of progress is left out of the log, and a failure never is", () => {
  const levels = ["debug", "info", "warn", "error"] as const;
  const told = levels.map((level) => {
    const lines: string[] = [];
    const log = atLevel(
      createLog((line) => lines.push(JSON.parse(line).level)),
      level,
    );
    log.info("asked");
    log.warn("slow");
    log.error("failed");
    return lines;
  });
  expect(told).toEqual([["info", "warn", "error"], ["info", "warn", "error"], ["warn", "error"], ["error"]]);
});
