import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { editText } from "../text/edit-text.js";
import type { DocumentServices } from "./services.js";
import { writeDocument } from "./write-document.js";

/**
 * Changes the one place of the document where `old_text` stands (DOC-6).
 *
 * @throws conflict when it stands there not at all, or more than once
 */
export async function editSessionDoc(
  ctx: TeamContext<DocumentServices>,
  input: ParsedInputOf<"edit_session_doc">,
): Promise<OutputOf<"edit_session_doc">> {
  return writeDocument(ctx, ({ content, version }) => {
    const edited = editText(content, input.old_text, input.new_text);
    if ("content" in edited) return edited.content;
    const { matches } = edited;
    throw new MerkleError(
      "conflict",
      matches === 0
        ? `old_text does not stand in the document (version ${version}). Read it again: somebody may have changed that place.`
        : `old_text stands in the document ${matches} times (version ${version}). Add the lines around it, so that it is found once.`,
      { matches, current_version: version },
    );
  });
}
