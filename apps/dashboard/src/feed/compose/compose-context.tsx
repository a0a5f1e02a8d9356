"use client";

import { type InputOf, type Message, type OutputOf, redactedBy } from "@merkle/wire";
import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useBroker } from "@/broker/use-broker";
import { useCall } from "@/broker/use-call";
import { describeRemovalInLine } from "@/text/describe-removal";
import { type Draft, emptyDraft, toPostInput, toQuoted } from "./draft";
import { type DraftStore, openDraftStore } from "./draft-store";

/**
 * The requests that rows of the feed and cards of peers can make to the composer. It stays the same object as long as the session
 * does.
 */
export interface Compose {
  /** Quotes a message and lets its reader write a reply to it. */
  reply(message: Message): void;
  /**
   * Without an option lets the answer be written. With one posts it at once.
   *
   * @throws MerkleError when the option is refused: a `conflict` names in its details who answered first, and where
   */
  answer(message: Message, option?: string): Promise<void>;
  /** Addresses the draft to one recipient, as the broker names it: `@group`, `Cedar`, `Alex's Team/atlas`. */
  address(recipient: string): void;
  /** Makes the draft a decision. */
  decide(): void;
  focus(): void;
  /** Listens to what this browser posts from here, by its number: the feed then shows its end. */
  onPosted(listener: (sequence: number) => void): () => void;
}

interface ComposePlace extends Compose {
  readonly store: DraftStore;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Posts the draft, and calls the listeners. */
  post(input: PostInput, options?: { readonly signal?: AbortSignal }): Promise<OutputOf<"post_message">>;
  /** Takes up a wish for focus that was made while there was no field. */
  attach(field: HTMLTextAreaElement | null): void;
}

type PostInput = Omit<InputOf<"post_message">, "team_id">;

const ComposeContext = createContext<ComposePlace | null>(null);

export interface ComposeProviderProps {
  readonly session: OutputOf<"get_session">;
  /** Shows the composer, which is only on the Live tab. */
  readonly onWanted: () => void;
  readonly children: ReactNode;
}

export function ComposeProvider({ session, onWanted, children }: ComposeProviderProps) {
  const { session_id } = session;
  const [store] = useState(() => openDraftStore(session_id, browserStorage()));
  useForgetQuote(store, session_id);
  const field = useRef<HTMLTextAreaElement>(null);
  const wanted = useRef(false);
  const call = useCall();

  const focus = useCallback(() => {
    if (field.current === null) {
      wanted.current = true;
      onWanted();
    }
    field.current?.focus();
  }, [onWanted]);

  const attach = useCallback((element: HTMLTextAreaElement | null) => {
    field.current = element;
    if (element === null || !wanted.current) return;
    wanted.current = false;
    element.focus();
  }, []);

  const place = useMemo<ComposePlace>(() => {
    function write(change: Partial<Draft>): void {
      store.change(change);
      focus();
    }
    async function post(input: PostInput, options?: { readonly signal?: AbortSignal }) {
      const posted = await call("post_message", input, options);
      for (const tell of [...listeners]) tell(posted.cursor);
      return posted;
    }
    const listeners = new Set<(sequence: number) => void>();
    return {
      store,
      field,
      post,
      onPosted(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      attach,
      focus,
      reply: (message) => write({ quoted: toQuoted(message, false) }),
      async answer(message, option) {
        const quoted = toQuoted(message, true);
        if (option === undefined) return write({ quoted, kind: "message" });
        await post(toPostInput({ ...emptyDraft, text: option, quoted }, session_id));
      },
      address: (recipient) => write({ to: [recipient] }),
      decide: () => write({ kind: "decision" }),
    };
  }, [store, focus, attach, call, session_id]);

  return <ComposeContext value={place}>{children}</ComposeContext>;
}

/** A text that is quoted in the draft goes from there, too, when it is removed. */
function useForgetQuote(store: DraftStore, sessionId: string): void {
  const broker = useBroker();
  useEffect(
    () =>
      broker.onMessagesBrought((messages) => {
        for (const message of messages) {
          const { quoted } = store.current;
          const redacted = message.session_id === sessionId ? redactedBy(message) : null;
          if (!quoted || redacted?.sequence !== quoted.sequence) continue;
          const text = describeRemovalInLine(redacted.redaction);
          store.change({ quoted: { ...quoted, text, answers: false, options: [] } });
        }
      }),
    [broker, store, sessionId],
  );
}

export function useCompose(): Compose {
  return useComposePlace();
}

/** The draft and functions that change it. The caller renders with every typed character. */
export function useDraft(): { draft: Draft; store: DraftStore } {
  const { store } = useComposePlace();
  const draft = useSyncExternalStore(
    store.listen,
    () => store.current,
    () => emptyDraft,
  );
  return { draft, store };
}

export function useComposePlace(): ComposePlace {
  const place = use(ComposeContext);
  if (place === null) throw new Error("useCompose is called outside of a session's page.");
  return place;
}

/** A browser that may not store anything throws even on access. */
function browserStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
