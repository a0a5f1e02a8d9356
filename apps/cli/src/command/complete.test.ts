import { describe, expect, it } from "vitest";
import { commandGroups } from "../commands.js";
import { complete } from "./complete.js";
import { globalFlags } from "./program.js";

const of = (line: string) => complete(line.split(" "), commandGroups, globalFlags);
const asks = (is: string, session?: string) => ({ words: [], asks: [{ is, session }] });

describe("completing a line", () => {
  it("[CLI-59] commands, those of a group, flags, and the few values that a flag takes", () => {
    expect(of("re").words).toEqual(["restore", "redact", "rename", "resume", "remember", "recall"]);
    expect(of("state ").words).toEqual(["list", "get", "set", "unset", "watch"]);
    expect(of("--js").words).toEqual(["--json"]);
    expect(of("help state u").words).toEqual(["unset"]);
    expect(of("post --re").words).toEqual(["--reply-to"]);
    expect(of("post x --no").words).toEqual(["--no-color", "--no-input"]);
    expect(of("post x --priority n").words).toEqual(["now", "next"]);
    expect(of("completion ").words).toEqual(["bash", "zsh", "fish"]);
    expect(of("config get ").words).toEqual([]);
  });

  it("[CLI-59] sessions, peers and groups are asked of the broker, of the session on the line", () => {
    expect(of("show ")).toEqual(asks("session"));
    expect(of("nudge split-auth Ce")).toEqual(asks("who", "split-auth"));
    expect(of("post --ask split-auth --to Ce")).toEqual(asks("who", "split-auth"));
    expect(of("post --to a split-auth --to ")).toEqual(asks("who", "split-auth"));
    expect(of("post --to ")).toEqual(asks("who"));
    expect(of("peers split-auth --group b")).toEqual(asks("group", "split-auth"));
    expect(of("launch --session s")).toEqual(asks("session"));
    expect(of("source show docs/")).toEqual(asks("root/path"));
  });

  it("[CLI-59] says nothing of hidden commands, of free text, nor of what belongs to another program", () => {
    expect(of("__").words).toEqual([]);
    expect(of("hook ").words).toEqual([]);
    expect(of("rename split-auth ")).toEqual({ words: [], asks: [] });
    expect(of("launch -- --mo")).toEqual({ words: [], asks: [] });
    expect(of("nonsense ")).toEqual({ words: [], asks: [] });
  });
});
