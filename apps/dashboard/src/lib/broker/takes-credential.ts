import type { InputOf, OperationName } from "@merkle/wire";

type FieldsOf<Name extends OperationName> = keyof InputOf<Name>;

/** An input without any fields has every text for a key, as far as types go. */
type WithoutCredential = {
  [Name in OperationName]: string extends FieldsOf<Name>
    ? Name
    : "team_id" extends FieldsOf<Name>
      ? never
      : Name;
}[OperationName];

/** The operations that take no credential, written out because the catalogue's schemas stay out of the browser. */
const withoutCredential: Readonly<Record<WithoutCredential, true>> = {
  claim_job: true,
  create_invite: true,
  create_mesh: true,
  create_observer_link: true,
  create_person: true,
  create_verification_code: true,
  end_job: true,
  get_app_info: true,
  get_health: true,
  get_runner: true,
  get_settings: true,
  issue_token: true,
  list_invites: true,
  list_members: true,
  list_meshes: true,
  list_tokens: true,
  preview_invite: true,
  put_perspective: true,
  redeem_invite: true,
  renew_job: true,
  revoke_invite: true,
  revoke_member: true,
  revoke_token: true,
  test_connection: true,
};

/** Whether a person's credential can go along as `team_id`. One that is missing above, or too many, does not compile. */
export function takesCredential(name: OperationName): boolean {
  return !(name in withoutCredential);
}
