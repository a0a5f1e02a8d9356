import { expect, it } from "vitest";
import { limits } from "../core/limits.js";
import { createSlug } from "./slug.js";

it.each([
  ["Проверка релиза", "proverka-reliza"],
  ["リリース確認", "ririsu-que-ren"],
  ["发布检查 v2", "fa-bu-jian-cha-v2"],
  ["릴리스 점검", "lilliseu-jeomgeom"],
  ["Έλεγχος έκδοσης", "elegchos-ekdosis"],
  ["Größe prüfen", "grosse-prufen"],
  ["🚀 start", "rocket-start"],
  ["„Straße“ & Ünïcode!", "strasse-unicode"],
])("[SES-2] %s gets the readable slug %s", (title, slug) => {
  expect(createSlug(title)).toBe(slug);
});

it.each(["اختبار الإصدار", "בדיקת גרסה", "पूर्वावलोकन", "ทดสอบ", "ⅷ ½ ﬁ ①"])(
  "[SES-2] %s gets a slug of letters and digits",
  (title) => {
    expect(createSlug(title)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
  },
);

it("[SES-2] a title of nothing that is written has no slug, and a long one is cut between no hyphens", () => {
  expect(createSlug("\u0000\u200b\u{e0041} -- !")).toBe("");
  const long = createSlug("检查".repeat(40));
  expect(long.length).toBeLessThanOrEqual(limits.slugCharsMax);
  expect(long).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
});
