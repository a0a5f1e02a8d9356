import { expect, it } from "vitest";
import { formatApproval } from "./approval-text.js";

it("[APPROVE-9] shows all of a command, an edit as a diff, anything else as JSON, and hides no field and no sign", () => {
  const show = (input: object) => formatApproval(JSON.stringify(input));
  expect(show({ command: "ls -l\u200b", description: "look" })).toEqual({
    text: "ls -l\\u200b",
    why: "look",
  });
  expect(show({ command: "ls", timeout: 9 }).text).toBe('ls\n{\n  "timeout": 9\n}');
  // A field that belongs to a different tool is shown as JSON, even next to a command.
  expect(show({ command: "ls", content: "x" }).text).toContain('"content": "x"');
  expect(show({ file_path: "/a", old_string: "one", new_string: "two\nthree", replace_all: true }).text).toBe(
    '/a\n- one\n+ two\n+ three\n{\n  "replace_all": true\n}',
  );
  expect(show({ file_path: "/a", content: "one" }).text).toBe("/a\n+ one");
  expect(show({ url: "https://a.example", description: 7 }).text).toContain('"description": 7');
  expect(formatApproval("no JSON\u202e")).toEqual({ text: "no JSON\\u202e", why: null });
  // A carriage return would overwrite the text before it, so it is escaped instead of being shown as a line
  // break.
  expect(show({ command: "echo a\rrm b" }).text).toBe("echo a\\u000drm b");
});
