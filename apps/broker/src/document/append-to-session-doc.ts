import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { appendText } from "../text/append-text.js";
import type { DocumentServices } from "./services.js";
import { writeDocument } from "./write-document.js";

/** Adds text at the end of the document, whatever others are writing at the moment (DOC-5). */
export async function appendToSessionDoc(
  ctx: TeamContext<DocumentServices>,
  input: ParsedInputOf<"append_to_session_doc">,
): Promise<OutputOf<"append_to_session_doc">> {
  return writeDocument(ctx, (current) => appendText(current.content, input.text));
}
