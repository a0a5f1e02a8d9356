import { expect, it } from "vitest";
import { formatSettingValue, toSettingValue } from "./broker-settings.js";

it("[DASH-391] config set takes durations with a unit, or as the number that the setting's name means", () => {
  expect(toSettingValue("quiet_after_s", "900")).toEqual({ quiet_after_s: 900 });
  expect(toSettingValue("quiet_after_s", "15 min")).toEqual({ quiet_after_s: 900 });
  expect(toSettingValue("job_output_days", "2 weeks")).toEqual({ job_output_days: 14 });
  expect(() => toSettingValue("job_output_days", "36h")).toThrow("a number of days such as 30d or 2 weeks");
  expect(() => toSettingValue("quiet_after_s", "soon")).toThrow("a duration such as 10m or 2h");
  expect(() => toSettingValue("idle_polls", "10m")).toThrow("a whole number");
  expect(formatSettingValue("quiet_after_s", 900)).toBe("15 minutes");
  expect(formatSettingValue("job_output_days", 14)).toBe("14 days");
  expect(formatSettingValue("idle_polls", 10)).toBe("10");
});
