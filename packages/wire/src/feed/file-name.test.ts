import fc from "fast-check";
import { expect, it } from "vitest";
import { FileName } from "./attachment.js";
import { toFileName } from "./file-name.js";

it.each([
  ["shot.png", "shot.png"],
  [".gitignore", ".gitignore"],
  ["C:\\Users\\ana\\build.log", "build.log"],
  ["../../etc/passwd", "passwd"],
  ["a\nb.txt", "a_b.txt"],
  ["photo\u202Egpj.exe", "photo_gpj.exe"],
  [" notes ", "notes"],
  ["..", "file"],
  ["", "file"],
  [`${"é".repeat(200)}.log`, `${"é".repeat(98)}.log`],
])("[ATTACH-3] the name %j is sent as %j", (name, sent) => {
  expect(toFileName(name)).toBe(sent);
});

it("[ATTACH-3] every name that is sent is accepted", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
      expect(FileName.safeParse(toFileName(name))).toMatchObject({ success: true });
    }),
  );
});
