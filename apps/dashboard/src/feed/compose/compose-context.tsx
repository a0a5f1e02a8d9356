"use client";

import { findRedactedMessage, type InputOf, type Message, type OutputOf } from "@merkle/wire";
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
import { emptyDraft, type MessageDraft, toPostInput, toQuotedMessage } from "./draft";
import { type DraftStore, openDraftStore } from "./draft-store";

/** The composer actions that feed rows and peer cards can trigger. The object is stable for the lifetime of the session. */
export interface ComposeActions {
  /** Quotes a message and focuses the field, so that the user can write a reply. */
  reply(message: Message): void;
  /**
   * Posts an option as the answer immediately. Without an option, quotes the ask so that the user can write the answer.
   *
   * @throws MerkleError if the option is refused. The details of a `conflict` name who answered first, and in which message.
   */
  answer(message: Message, option?: string): Promise<void>;
  /** Addresses the draft to one recipient, named as in the broker's `to` field: `@group`, `Cedar`, `Alex's Team/atlas`. */
  address(recipient: string): void;
  /** Turns the draft into a decision. */
  decide(): void;
  focus(): void;
  /** Calls the listener with the sequence of each message posted from this composer. The feed then scrolls to its end. */
  onPosted(listener: (sequence: number) => void): () => void;
}

interface ComposeState extends ComposeActions {
  readonly store: DraftStore;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Signs a message to one of the person's own agents (OWN-8). Set once the composer can say which messages it signs. */
  readonly sign: RefObject<SignInput | null>;
  /** Posts the draft, then calls the `onPosted` listeners. */
  post(input: PostInput, options: PostOptions): Promise<OutputOf<"post_message">>;
  /** Registers the text field. Focuses it if `focus` was called before the field existed. */
  attach(field: HTMLTextAreaElement | null): void;
}

type PostInput = Omit<InputOf<"post_message">, "team_id">;

/** Returns the input with a signature, if its only recipient is one of the person's own agents. */
type SignInput = (input: PostInput, recipient: string) => Promise<PostInput>;

interface PostOptions {
  /** The only recipient, which may be one of the person's own agents. Null if there are several. */
  readonly recipient: string | null;
  readonly signal?: AbortSignal;
}

const ComposeContext = createContext<ComposeState | null>(null);

export interface ComposeProviderProps {
  readonly session: OutputOf<"get_session">;
  /** Called when the composer is not rendered but needs focus. Switches to the Live tab, which contains the composer. */
  readonly onFocusRequest: () => void;
  readonly children: ReactNode;
}

export function ComposeProvider({ session, onFocusRequest, children }: ComposeProviderProps) {
  const { session_id } = session;
  const [store] = useState(() => openDraftStore(session_id, findStorage()));
  useForgetQuote(store, session_id);
  const field = useRef<HTMLTextAreaElement>(null);
  const shouldFocus = useRef(false);
  const call = useCall();
  const sign = useRef<SignInput>(null);

  const focus = useCallback(() => {
    if (field.current === null) {
      shouldFocus.current = true;
      onFocusRequest();
    }
    field.current?.focus();
  }, [onFocusRequest]);

  const attach = useCallback((element: HTMLTextAreaElement | null) => {
    field.current = element;
    if (element === null || !shouldFocus.current) return;
    shouldFocus.current = false;
    element.focus();
  }, []);

  const compose = useMemo<ComposeState>(() => {
    function write(change: Partial<MessageDraft>): void {
      store.change(change);
      focus();
    }
    async function post(input: PostInput, { recipient, signal }: PostOptions) {
      const signed = recipient === null ? input : await sign.current?.(input, recipient);
      const reply = await call("post_message", signed ?? input, signal && { signal });
      for (const listener of [...listeners]) listener(reply.cursor);
      return reply;
    }
    const listeners = new Set<(sequence: number) => void>();
    return {
      store,
      field,
      sign,
      post,
      onPosted(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      attach,
      focus,
      reply: (message) => write({ quoted: toQuotedMessage(message, false) }),
      async answer(message, option) {
        const quoted = toQuotedMessage(message, true);
        if (option === undefined) return write({ quoted, kind: "message" });
        const input = toPostInput({ ...emptyDraft, text: option, quoted }, session_id);
        await post(input, { recipient: quoted.author });
      },
      address: (recipient) => write({ to: [recipient] }),
      decide: () => write({ kind: "decision" }),
    };
  }, [store, focus, attach, call, session_id]);

  return <ComposeContext value={compose}>{children}</ComposeContext>;
}

/** Removes quoted text from the draft when the quoted message is redacted. */
function useForgetQuote(store: DraftStore, sessionId: string): void {
  const broker = useBroker();
  useEffect(
    () =>
      broker.onMessagesDelivered((messages) => {
        for (const message of messages) {
          const { quoted } = store.current;
          const redacted = message.session_id === sessionId ? findRedactedMessage(message) : null;
          if (!quoted || redacted?.sequence !== quoted.sequence) continue;
          const text = describeRemovalInLine(redacted.redaction);
          store.change({ quoted: { ...quoted, text, answers: false, options: [] } });
        }
      }),
    [broker, store, sessionId],
  );
}

export function useCompose(): ComposeActions {
  return useComposeState();
}

/** Returns the draft and its store. The calling component renders on every keystroke. */
export function useDraft(): { draft: MessageDraft; store: DraftStore } {
  const { store } = useComposeState();
  const draft = useSyncExternalStore(
    store.subscribe,
    () => store.current,
    () => emptyDraft,
  );
  return { draft, store };
}

export function useComposeState(): ComposeState {
  const compose = use(ComposeContext);
  if (compose === null) throw new Error("useCompose is called outside of a session's page.");
  return compose;
}

/** In a browser that blocks storage, even reading the property throws. */
function findStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
