import { describe, expect, it } from "vitest";
import { toInstallLine, toLaunchLine } from "./command-lines.js";

describe("installLine", () => {
  it("[INSTALL-5] is shown for loopback and https, and for nothing that could be changed on its way", () => {
    expect(toInstallLine({ base: "http://localhost:7423" })).toBe(
      "curl -fsSL http://localhost:7423/install.sh | sh",
    );
    expect(toInstallLine({ base: "https://mesh.example.com/merkle" })).toBe(
      "curl -fsSL https://mesh.example.com/merkle/install.sh | sh",
    );
    expect(toInstallLine({ base: "http://192.168.1.5:7423" })).toBeNull();
  });

  it("[INSTALL-5] pins the broker's key where no public authority signed its certificate", () => {
    expect(toInstallLine({ base: "https://10.0.0.5:7423", keyPin: "abc+/=" })).toBe(
      "curl -fsSL -k --pinnedpubkey 'sha256//abc+/=' https://10.0.0.5:7423/install.sh | sh",
    );
  });
});

describe("launchLine", () => {
  it("[LAUNCH-1] names the session, the team, the client and the mesh where they differ from the defaults", () => {
    expect(toLaunchLine({})).toBe("merkle launch");
    expect(toLaunchLine({ session: "auth", client: "claude", mesh: "main" })).toBe(
      "merkle launch --session auth",
    );
    expect(toLaunchLine({ session: "auth", team: "Alex's Team", client: "codex", mesh: "lab" })).toBe(
      `merkle launch --client codex --mesh lab --session auth --team "Alex's Team"`,
    );
    expect(toLaunchLine({ title: "Auth refactor" })).toBe("merkle launch --new 'Auth refactor'");
  });
});
