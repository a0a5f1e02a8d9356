import { answerParent } from "../child.js";
import { type AttackName, attacks, type Onslaught } from "./attacks.js";
import { createArsenal } from "./sockets.js";

export type AttackQuestion =
  | {
      readonly attack: AttackName;
      readonly port: number;
      readonly ms: number;
      /** A session that can be followed. */
      readonly session: string;
      /** The share of the full number. */
      readonly scale: number;
    }
  | { readonly end: true };

/** What an attack did, by name. */
export type Offered = Readonly<Record<string, number>>;

let onslaught: Onslaught | null = null;

answerParent(async (question: AttackQuestion): Promise<Offered> => {
  if ("end" in question) {
    onslaught?.arsenal.end();
    onslaught = null;
    return {};
  }
  const { attack, ms, ...target } = question;
  onslaught = {
    ...target,
    arsenal: createArsenal(target.port, attacks[attack].addresses),
    until: performance.now() + ms,
  };
  return attacks[attack].run(onslaught);
});
