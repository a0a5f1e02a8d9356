import { randomBytes } from "node:crypto";
import { limits } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import type { AlertKey } from "../../core/alert-key.js";
import { encrypt } from "../../core/encrypt.js";
import { findClient, registerClient } from "./registration.js";

function broker(): { alertKey: AlertKey } {
  const secret = `mka_${randomBytes(32).toString("base64url")}`;
  // These tests use only `secret`. The other fields are for alerts.
  return { alertKey: { secret } as AlertKey };
}

it("[OAUTH-2] a registration opens at its own broker alone, for clientRegistrationSeconds", () => {
  const own = broker();
  const { clientId, client } = registerClient(own, { redirect_uris: ["https://client.example.com/"] });
  expect(findClient(own, clientId)).toEqual(client);
  expect(findClient(broker(), clientId)).toBeNull();
  const registeredAtS = Math.floor(Date.now() / 1_000) - limits.clientRegistrationSeconds;
  const clientIdAt = (at: number) =>
    encrypt(
      own.alertKey.secret,
      "OAuth client registration",
      JSON.stringify({ ...client, registeredAtS: at }),
    );
  expect(findClient(own, clientIdAt(registeredAtS + 60).toString("base64url"))).not.toBeNull();
  expect(findClient(own, clientIdAt(registeredAtS - 60).toString("base64url"))).toBeNull();
});
