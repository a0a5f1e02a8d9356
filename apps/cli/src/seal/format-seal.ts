import type { OutputOf } from "@merkle/wire";
import { sealText, shortHash } from "@merkle/wire/plain";
import { isSignedBy, type SignedHead, verifySignatureHere } from "@merkle/wire/record";
import type { Output } from "../command/output.js";
import { counted } from "../duration.js";
import { toMoment } from "../text/time.js";

type Sealed = OutputOf<"session_seal">;

/** What the last conclusion sealed, what came after it, and by which key. */
export function formatSeal({ head, seals, keys }: Sealed, output: Pick<Output, "mark" | "dim">): string {
  const [last] = seals;
  const lines = last
    ? [`${output.mark.ok} ${sealText(last)}`, factsOf(last)]
    : [
        `not concluded yet: ${counted(head.size, "message")} so far, root ${shortHash(head.root)}`,
        factsOf(head),
      ];
  if (last && head.size > last.size) {
    lines.push(
      `  ${counted(head.size - last.size, "message")} since, with which the root is ${shortHash(head.root)}`,
    );
  }
  if (seals.length > 1) lines.push(`  ${counted(seals.length - 1, "earlier seal")}, which this one contains`);
  lines.push(output.dim(`  root ${(last ?? head).root}`), output.dim(`  key  ${(last ?? head).key_id}`));
  if (keys.length > 1)
    lines.push(output.dim(`  ${keys.length} keys have signed here: merkle audit-key show`));
  return lines.join("\n");
}

function factsOf({ document, at }: SignedHead): string {
  return `  document v${document.version}, signed ${toMoment(at)}`;
}

/** The first of the heads whose signature is not by the key that it names. */
export async function findForged({ head, seals, keys }: Sealed): Promise<SignedHead | null> {
  for (const each of [head, ...seals]) {
    const key = keys.find(({ key_id }) => key_id === each.key_id);
    if (!key || !(await isSignedBy(each, key, verifySignatureHere))) return each;
  }
  return null;
}
