import type { OperationName } from "@merkle/wire";
import type {
  Admission as AdmissionTo,
  Authenticator as AuthenticatorOf,
} from "../identity/authenticator/authenticator.js";
import type { Meshes as MeshesOf } from "../identity/meshes/meshes.js";
import type { ViewServices } from "../views/services.js";

/** What the transports use in a mesh. The verbs of features need more, which their features add. */
export interface Services extends ViewServices {
  readonly handlers: AnyHandlers;
}

/** The verb of every operation, each with a context of its own: `Handlers` ties them to their operations. */
export type AnyHandlers = {
  readonly [Name in OperationName]: (ctx: never, input: never) => Promise<unknown>;
};

export type Admission<All extends Services = Services> = AdmissionTo<All>;
export type Authenticator<All extends Services = Services> = AuthenticatorOf<All>;
export type Meshes<All extends Services = Services> = MeshesOf<All>;
