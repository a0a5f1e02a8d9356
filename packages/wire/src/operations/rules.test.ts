import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { operations } from "../catalogue.js";

it("[CLIENT-2] every operation that changes something takes an idempotency key, and no other does", () => {
  for (const { name, readOnly, input } of operations) {
    expect("idempotency_key" in input.shape, name).toBe(!readOnly);
  }
});

it("[AUTH-2] an operation takes a credential as an input unless its rules say that none goes along", () => {
  for (const { name, withoutCredential, input } of operations) {
    expect("team_id" in input.shape, name).toBe(!withoutCredential);
  }
});

it("[MCP-10] lists of tools leave out only inputs that there are", () => {
  for (const { name, unlisted, unlistedOverStdio, input } of operations) {
    const left = [unlisted, unlistedOverStdio].flatMap((each) => (Array.isArray(each) ? each : []));
    expect(Object.keys(input.shape), name).toEqual(expect.arrayContaining(left));
  }
});

it("[CAT-1] the lint against comparing operations by name knows the names of all", () => {
  const lint = readFileSync(
    new URL("../../../../scripts/lint/operation-names.grit", import.meta.url),
    "utf8",
  );
  const [, names = ""] = /r"\[\\"'\](.+)\[\\"'\]"/.exec(lint) ?? [];
  for (const { name } of operations) expect(name).toMatch(new RegExp(`^${names}$`));
});

it("[QUOTA-4] writes that need no room in a full mesh delete, end, decide, or store a few words", () => {
  const free = operations.filter(({ readOnly, stores }) => !readOnly && stores === undefined);
  expect(free.map(({ name }) => name).join(" ")).toMatchInlineSnapshot(
    `"join_session leave_session ack conclude_session rotate_team_credential set_status set_wake join_group leave_group forget restore_memory delete_state unwatch_state claim_task release_task finish_task release nudge hold_session resume_session dismiss_attention mark_read delete_alert_target test_alert withdraw_approval answer_approval report_checkout report_usage archive_session unarchive_session merkle_finalize redact_message add_cosignature set_witness_policy cancel_job claim_job renew_job end_job decide_proposal create_person create_verification_code verify_person rename_person erase_person update_settings collect_garbage create_mesh set_quotas create_invite revoke_invite redeem_invite revoke_member issue_token revoke_token create_observer_link open_demo_room approve_client"`,
  );
});
