import { expect, it } from "vitest";
import { createCleanup } from "../../../../tests/kit/cleanup.js";
import { startInviteBroker } from "../../../../tests/kit/members.js";
import { testMerkle } from "../test-kit/merkle.js";
import { createAuthorization } from "./authorization.js";
import { requestHttp } from "./http-request.js";

const cleanup = createCleanup();

it("[CLI-61] requests of one command that are refused together share a sign-in, and one that is refused later is repeated with its token", async ({
  signal,
}) => {
  const { broker, admin } = await startInviteBroker(cleanup);
  const dune = await testMerkle(cleanup);
  const { link } = await admin.call("create_invite", {});
  expect(await dune.run(["join", "-", "--name", "Dune"], { input: link })).toMatchObject({ code: 0 });
  const base = broker.url;
  const reach = { home: dune.home, insecure: false, ca: undefined, mesh: undefined, token: undefined };
  const { buildHeaders, renew } = createAuthorization(
    { base, source: "--url", reach },
    (path, headers) => requestHttp(`${base}${path}`, { headers, signal }),
    signal,
  );
  const refused = await buildHeaders();
  expect(refused).toEqual({});
  expect(await Promise.all([renew(refused), renew(refused)])).toEqual([true, true]);
  expect(await renew(refused)).toBe(true);
  const accepted = await buildHeaders();
  expect(accepted).toHaveProperty("authorization");
  // A request with a valid token was refused for another reason, so repeating it would not help.
  expect(await renew(accepted)).toBe(false);
  const { tokens } = await admin.call("list_tokens", {});
  expect(tokens.filter(({ label }) => label?.startsWith("merkle on"))).toHaveLength(1);
});
