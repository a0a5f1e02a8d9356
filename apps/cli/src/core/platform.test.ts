import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findShimScript, hasProc, isPosix, toEditorCall, toPipeName, toProgramFiles } from "./platform.js";

const systems = ["linux", "darwin", "win32"] as const;

it("[CLI-94] what differs between systems is answered for each of them", () => {
  const each = <Answer>(ask: (system: NodeJS.Platform) => Answer) => systems.map(ask);
  expect(each(isPosix)).toEqual([true, true, false]);
  expect(each(hasProc)).toEqual([true, false, false]);
  expect(each((system) => toPipeName("merkle-1", system))).toEqual([null, null, "\\\\.\\pipe\\merkle-1"]);
  expect(each((system) => toProgramFiles("claude", system))).toEqual([
    ["claude"],
    ["claude"],
    ["claude.exe", "claude.cmd"],
  ]);
  expect(toProgramFiles("claude.exe", "win32")).toEqual(["claude.exe"]);
  expect(each((system) => toEditorCall(undefined, "a b.md", system).editor)).toEqual(["vi", "vi", "notepad"]);
  expect(toEditorCall("code --wait", "a b.md", "win32")).toMatchObject({
    command: 'code --wait "a b.md"',
    shell: true,
  });
  expect(toEditorCall("code --wait", "a b.md", "linux").args).toEqual([
    "-c",
    'code --wait "$1"',
    "code --wait",
    "a b.md",
  ]);
});

it("[CLI-94] a client that npm installed on Windows is run by its script, not by cmd.exe", () => {
  // A shim in the format that npm's cmd-shim writes.
  const shim = `@ECHO off\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n)\r\nendLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js" %*\r\n`;
  expect(findShimScript("/npm/claude.cmd", shim)).toBe("/npm/node_modules/@anthropic-ai/claude-code/cli.js");
  expect(findShimScript("/npm/claude.cmd", "@echo off\r\nclaude-native.exe %*\r\n")).toBeUndefined();
  expect(findShimScript("/npm/claude", shim)).toBeUndefined();
});

it("[CLI-94] nothing but the modules for it asks which system this is", () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const asking = ["apps/cli/src", "apps/broker/src", "packages/db/src", "packages/wire/src"].flatMap(
    (folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
        .map((path) => `${folder}/${path}`)
        .filter((path) => readFileSync(join(root, path), "utf8").includes("process.platform")),
  );
  expect(asking.sort()).toEqual(["apps/cli/src/core/platform.ts", "packages/db/src/files/platform.ts"]);
});
