import fc from "fast-check";
import { expect, it } from "vitest";
import { findTeamCredentials, parseTeamCredential } from "./credential.js";

const uuid = fc.uuid();
const secret = fc
  .base64String({ minLength: 44, maxLength: 44 })
  .map((text) => text.slice(0, 43).replace(/[+/=]/g, "-"));
const credential = fc.tuple(uuid, secret).map(([id, text]) => `${id}.mk_${text}`);
const piece = fc.oneof(
  credential,
  uuid,
  secret,
  // Credentials embedded in another credential's secret, and fragments of credentials.
  fc.tuple(uuid, credential).map(([id, other]) => `${id}.mk_0123456${other}`),
  fc.tuple(credential, fc.nat(83)).map(([text, length]) => text.slice(0, length)),
  fc.tuple(credential, fc.nat(83)).map(([text, start]) => text.slice(start)),
  fc.constantFrom(".mk_", ".mk", "mk_", "-", " ", "0", "F", "\n", "é"),
);

it("[AUTH-6] finds what the form of a credential fits, at whatever place in a text", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      const form = /(?=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.mk_[A-Za-z0-9_-]{43}))/g;
      expect(findTeamCredentials(text)).toEqual([...text.matchAll(form)].map((match) => match[1]));
    }),
    { numRuns: 1_000 },
  );
});

it("[AUTH-1] what is found is a credential by its form", () => {
  fc.assert(
    fc.property(credential, (text) => {
      const [found = ""] = findTeamCredentials(`see ${text}!`);
      expect(found).toBe(text);
      expect(parseTeamCredential(found)).toEqual({ teamId: text.slice(0, 36), secret: text.slice(40) });
    }),
  );
});
