"use client";

import { createContext, use } from "react";
import type { Revision, Source } from "@/sessions/source";

/** The facts about a document or a file that every part of its page needs. */
export interface SourceFacts {
  readonly source: Source;
  /** The newest state of its text; undefined until that is known. */
  readonly revision: Revision | undefined;
  /** Whether its text may still change: the document of a session that was concluded stays as it is. */
  readonly isOpen: boolean;
  /** Whether this browser may look on and do nothing. */
  readonly looksOn: boolean;
}

export const SourceContext = createContext<SourceFacts | null>(null);

export function useSource(): SourceFacts {
  const facts = use(SourceContext);
  if (facts === null) throw new Error("useSource is called outside of a page about a document or a file.");
  return facts;
}
