/** Thrown if the broker cannot start. The message names the problem and the remedy. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code:
    | "not_loopback"
    | "port_in_use"
    | "bad_address"
    | "not_alone"
    | "bad_setting"
    | "bad_certificate"
    | "bad_audit_key"
    | "no_audit_key"
    | "home_shared"
    | "database_full"
    | "database_lost";

  constructor(code: StartError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
