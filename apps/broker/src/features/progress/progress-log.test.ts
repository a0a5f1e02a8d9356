import { expect, it } from "vitest";
import { createLog } from "../../core/log.js";
import { limitLogLevel } from "./progress-log.js";

it("[PROGRESS-8] what is below the level of progress is left out of the log, and a failure never is", () => {
  const levels = ["debug", "info", "warn", "error"] as const;
  const logged = levels.map((level) => {
    const lines: string[] = [];
    const log = limitLogLevel(
      createLog((line) => lines.push(JSON.parse(line).level)),
      level,
    );
    log.info("asked");
    log.warn("slow");
    log.error("failed");
    return lines;
  });
  expect(logged).toEqual([
    ["info", "warn", "error"],
    ["info", "warn", "error"],
    ["warn", "error"],
    ["error"],
  ]);
});
