import { writeFile } from "node:fs/promises";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Config } from "../config.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { getVerificationCode } from "../person/verification.js";

/** Long enough for a browser to start. */
const signInSeconds = 5 * 60;

/**
 * A link that signs a browser in, or where everybody is let in verifies its person, and leads to a session's page, or to all
 * of them for null. Null where nobody can be verified from here, and the page's own address does.
 */
export async function getOpeningLink(
  broker: BrokerClient,
  page: string | null,
  config: Pick<Config, "home" | "agentShell">,
): Promise<string | null> {
  const { auth } = await broker.call("get_app_info", {});
  if (auth === "open") {
    const given = await getVerificationCode(broker, config);
    return given && page !== null ? `${page}#verify=${given.code}` : (given?.link ?? null);
  }
  if (config.agentShell !== undefined) return null;
  const { token, link } = await broker.call("issue_token", { kind: "sign_in", expires_in_s: signInSeconds });
  return page === null ? link : `${page}#sign-in=${token}`;
}

/**
 * A file that leads a browser on to an address that holds a secret. A browser is given what it opens as an argument, which
 * every program of the machine can see; the file only this user reads, and the link in it is good once.
 */
export async function writeLeadingPage(home: string, link: string): Promise<string> {
  const path = homeFiles.leadingPage(home);
  const target = JSON.stringify(link).replaceAll("<", "\\u003c");
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Merkle</title>
<p>Opening Merkle…</p>
<script>location.replace(${target});</script>
`;
  await explainingHome(home, () => writeFile(path, page, { mode: 0o600 }));
  return path;
}
