import { describe, expect, it } from "vitest";
import { commandGroups } from "../commands.js";
import { complete } from "./complete.js";
import { globalFlags } from "./program.js";

const completeLine = (line: string) => complete(line.split(" "), commandGroups, globalFlags);
const toCompletion = (is: string, session?: string) => ({ words: [], targets: [{ is, session }] });

describe("completing a line", () => {
  it("[CLI-59] commands, those of a group, flags, and the few values that a flag takes", () => {
    expect(completeLine("re").words).toEqual(["restore", "redact", "rename", "resume", "remember", "recall"]);
    expect(completeLine("state ").words).toEqual(["list", "get", "set", "unset", "watch"]);
    expect(completeLine("--js").words).toEqual(["--json"]);
    expect(completeLine("help state u").words).toEqual(["unset"]);
    expect(completeLine("post --re").words).toEqual(["--reply-to"]);
    expect(completeLine("post x --no").words).toEqual(["--no-color", "--no-pager", "--no-input"]);
    expect(completeLine("post x --priority n").words).toEqual(["now", "next"]);
    expect(completeLine("completion ").words).toEqual(["bash", "zsh", "fish"]);
    expect(completeLine("config get ").words).toEqual([]);
  });

  it("[CLI-59] sessions, peers and groups are asked of the broker, of the session on the line", () => {
    expect(completeLine("show ")).toEqual(toCompletion("session"));
    expect(completeLine("nudge split-auth Ce")).toEqual(toCompletion("who", "split-auth"));
    expect(completeLine("post --ask split-auth --to Ce")).toEqual(toCompletion("who", "split-auth"));
    expect(completeLine("post --to a split-auth --to ")).toEqual(toCompletion("who", "split-auth"));
    expect(completeLine("post --to ")).toEqual(toCompletion("who"));
    expect(completeLine("peers split-auth --group b")).toEqual(toCompletion("group", "split-auth"));
    expect(completeLine("launch --session s")).toEqual(toCompletion("session"));
    expect(completeLine("source show docs/")).toEqual(toCompletion("root/path"));
  });

  it("[CLI-59] says nothing of hidden commands, of free text, nor of what belongs to another program", () => {
    expect(completeLine("__").words).toEqual([]);
    expect(completeLine("hook ").words).toEqual([]);
    expect(completeLine("rename split-auth ")).toEqual({ words: [], targets: [] });
    expect(completeLine("launch -- --mo")).toEqual({ words: [], targets: [] });
    expect(completeLine("nonsense ")).toEqual({ words: [], targets: [] });
  });
});
