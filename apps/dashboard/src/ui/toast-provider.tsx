"use client";

import { Check, TriangleAlert, X } from "lucide-react";
import { createContext, type ReactNode, use, useCallback, useRef, useState } from "react";
import { Button } from "@/ui/button";

export interface Toast {
  /** The result, as a short sentence. */
  readonly text: string;
  readonly tone?: "done" | "failed";
  readonly action?: { readonly label: string; readonly run: () => void };
}

interface ShownToast extends Toast {
  readonly id: number;
}

const shownMs = 6_000;
const shownMax = 3;

const ToastContext = createContext<((toast: Toast) => void) | null>(null);

/** Briefly shows the result of an action, if the result is not visible where the action was taken. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const lastId = useRef(0);
  const hide = useCallback(
    (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)),
    [],
  );
  const show = useCallback(
    (toast: Toast) => {
      lastId.current += 1;
      const id = lastId.current;
      setToasts((shown) => [...shown, { ...toast, id }].slice(-shownMax));
      // A toast with an action, or about a failure, stays until the user acts on it or dismisses it.
      if (toast.action === undefined && toast.tone !== "failed") setTimeout(() => hide(id), shownMs);
    },
    [hide],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div
        role="status"
        aria-label="Notifications"
        className="pointer-events-none fixed right-0 bottom-(--bottom-bar) z-40 grid w-full max-w-sm gap-2 p-4"
      >
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onHide={() => hide(toast.id)} />
        ))}
      </div>
    </ToastContext>
  );
}

function ToastCard({ toast: { text, tone = "done", action }, onHide }: { toast: Toast; onHide: () => void }) {
  return (
    <div
      data-slot="toast"
      className="pointer-events-auto flex items-center gap-2 rounded-lg border bg-background py-2 pr-2 pl-3 shadow-lg"
    >
      {tone === "done" ? (
        <Check aria-hidden className="size-4 shrink-0 text-success" />
      ) : (
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
      )}
      <p className="min-w-0 flex-1 break-words">{text}</p>
      {action && (
        <Button
          variant="outline"
          size="sm"
          onClick={() => {
            onHide();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button variant="ghost" size="icon" aria-label="Dismiss" onClick={onHide}>
        <X aria-hidden />
      </Button>
    </div>
  );
}

/** Returns a function that shows the result of the person's action as a toast. */
export function useToast(): (toast: Toast) => void {
  const show = use(ToastContext);
  if (show === null) throw new Error("useToast is called outside of ToastProvider.");
  return show;
}
