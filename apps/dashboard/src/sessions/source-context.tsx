"use client";

import { createContext, use } from "react";
import type { Revision, Source } from "@/sessions/source";

/** The facts about a document or file that all parts of its page need. */
export interface SourceFacts {
  readonly source: Source;
  /** The newest revision of the text. Undefined while loading. */
  readonly revision: Revision | undefined;
  /** Whether the text can still change. The document of a concluded session cannot. */
  readonly isOpen: boolean;
  /** True for an observer, who can change nothing. */
  readonly isObserver: boolean;
}

export const SourceContext = createContext<SourceFacts | null>(null);

export function useSource(): SourceFacts {
  const facts = use(SourceContext);
  if (facts === null) throw new Error("useSource is called outside of a page about a document or a file.");
  return facts;
}
