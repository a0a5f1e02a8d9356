import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeCertificate, writeCertificate } from "../../../../../tests/kit/certificates.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle(async (home) => {
  const issuer = makeCertificate({ names: ["authority"], isAuthority: true });
  await writeCertificate(home, makeCertificate({ names: ["localhost"], issuer }));
  // A stand-in for Claude Code that runs the command in its prompt.
  const claude_bin = join(home, "claude-for-jobs");
  await writeFile(claude_bin, "#!/bin/sh\n$(sed -n 's/^Agent command: //p') read-doc >&2; exit 3\n", {
    mode: 0o755,
  });
  const files = { tls_cert: "cert.pem", tls_key: "key.pem" };
  await writeFile(join(home, "config.json"), JSON.stringify({ ...files, agent: { claude_bin } }));
});

it("[AGENT-2] [AGENT-10] a job's agent trusts the certificate of its own broker, which no authority vouches for", async () => {
  await merkle.run(["new", "Worked on", "--slug", "worked-on"]);
  const drafted = await merkle.run(["conclude", "worked-on", "--draft"]);
  expect(drafted.stdout).toBe("job 1 drafts the conclusion; review: merkle doc proposals worked-on\n");
  const { stdout } = await merkle.run(["jobs", "show", "1", "-f", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    exit_code: 3,
    error_tail: expect.stringContaining('{"version": 0'),
  });
});
