import type { DataSubject, PersonText } from "@merkle/db";
import type { SessionContext, SessionServices } from "../sessions/context.js";

/** The part of a feature in the erasure of a person. */
export interface PersonDataHook<Services extends SessionServices> {
  /** @throws conflict where the feature holds data of the person that it cannot remove now */
  requireErasable?(services: Services, person: DataSubject): Promise<void>;
  /** Removes one text of the person from the record of a session, in the name of the eraser. It is a write of its own. */
  eraseText?(ctx: SessionContext<Services>, eraser: string, text: PersonText): Promise<void>;
}
