import type { OperationName } from "@merkle/wire";
import type {
  Admission as AdmissionTo,
  Authenticator as AuthenticatorOf,
} from "../identity/authenticator/authenticator.js";
import type { Meshes as MeshesOf } from "../identity/meshes/meshes.js";
import type { ViewServices } from "../views/services.js";

/** The services of a mesh that the transports use. The handlers of features need more, which the features add. */
export interface Services extends ViewServices {
  readonly handlers: AnyHandlers;
}

/** The handler of every operation, each with its own context type. `Handlers` has the exact types. */
export type AnyHandlers = {
  readonly [Name in OperationName]: (ctx: never, input: never) => Promise<unknown>;
};

export type Admission<All extends Services = Services> = AdmissionTo<All>;
export type Authenticator<All extends Services = Services> = AuthenticatorOf<All>;
export type Meshes<All extends Services = Services> = MeshesOf<All>;
