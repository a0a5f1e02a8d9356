"use client";

import { cva, type VariantProps } from "class-variance-authority";
import { X } from "lucide-react";
import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  use,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { findTrail, restoreFocus } from "@/core/keyboard/focus-trail";
import { cn } from "@/core/utils";
import { Button } from "./button";
import { Slot } from "./slot";

/* Built on the native dialog, which traps the focus, makes the rest of the page inert and closes on Escape. UI
   libraries would insert style elements, which the content security policy forbids. */

interface DialogState {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  readonly titleId: string;
  readonly descriptionId: string;
}

const DialogContext = createContext<DialogState | null>(null);

function useDialog(): DialogState {
  const state = use(DialogContext);
  if (state === null) throw new Error("A part of a dialog is used outside of Dialog.");
  return state;
}

interface DialogProps {
  readonly open?: boolean;
  readonly defaultOpen?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly children?: ReactNode;
}

function Dialog({ open: controlledOpen, defaultOpen = false, onOpenChange, children }: DialogProps) {
  const [uncontrolledOpen, setUncontrolledOpen] = useState(defaultOpen);
  const open = controlledOpen ?? uncontrolledOpen;
  const id = useId();
  const state = useMemo(
    () => ({
      open,
      setOpen: (next: boolean) => {
        setUncontrolledOpen(next);
        onOpenChange?.(next);
      },
      titleId: `${id}title`,
      descriptionId: `${id}description`,
    }),
    [open, onOpenChange, id],
  );
  return <DialogContext value={state}>{children}</DialogContext>;
}

function DialogTrigger({
  asChild = false,
  onClick,
  ...props
}: ComponentProps<"button"> & { asChild?: boolean }) {
  const { open, setOpen } = useDialog();
  const Comp = asChild ? Slot : "button";
  return (
    <Comp
      type="button"
      data-slot="dialog-trigger"
      aria-haspopup="dialog"
      aria-expanded={open}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        onClick?.(event);
        if (!event.defaultPrevented) setOpen(true);
      }}
      {...props}
    />
  );
}

function DialogClose({
  asChild = false,
  onClick,
  ...props
}: ComponentProps<"button"> & { asChild?: boolean }) {
  const { setOpen } = useDialog();
  const Comp = asChild ? Slot : "button";
  return (
    <Comp
      type="button"
      data-slot="dialog-close"
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        onClick?.(event);
        if (!event.defaultPrevented) setOpen(false);
      }}
      {...props}
    />
  );
}

const contentVariants = cva(
  "fixed inset-0 max-h-dvh w-full overflow-y-auto border bg-background p-4 pb-[max(1rem,env(safe-area-inset-bottom))] text-foreground shadow-lg backdrop:bg-black/50 open:grid open:content-start open:gap-4 sm:p-6",
  {
    variants: {
      side: {
        center: "m-auto max-sm:mb-0 max-sm:max-w-none max-sm:rounded-b-none sm:max-w-lg rounded-lg",
        right: "mr-0 ml-auto h-dvh max-h-none w-full max-w-md rounded-none border-y-0 border-r-0",
        bottom: "mt-auto mb-0 max-w-none rounded-t-lg rounded-b-none border-x-0 border-b-0",
      },
    },
    defaultVariants: { side: "center" },
  },
);

interface DialogContentProps extends ComponentProps<"dialog">, VariantProps<typeof contentVariants> {
  readonly showCloseButton?: boolean;
}

function DialogContent(props: DialogContentProps) {
  const { open } = useDialog();
  // React events of a portal bubble to its React parent, not to its DOM parent.
  return open ? createPortal(<OpenDialog {...props} />, document.body) : null;
}

function OpenDialog({ className, children, showCloseButton = true, side, ...props }: DialogContentProps) {
  const { setOpen, titleId, descriptionId } = useDialog();
  const dialog = useRef<HTMLDialogElement>(null);

  // A layout effect, because its cleanup must run before the dialog is removed. Afterwards the focus would be lost.
  useLayoutEffect(() => {
    const opener = findTrail(document.activeElement);
    const element = dialog.current;
    // `showModal` focuses the first focusable element, or the one with `autofocus`, regardless of earlier focus.
    element?.showModal();
    return () => {
      element?.close();
      restoreFocus(opener);
    };
  }, []);

  function cancel(event: SyntheticEvent): void {
    event.preventDefault(); // The owner of `open` decides whether the dialog closes.
    if (event.target === dialog.current) setOpen(false);
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by the browser's own `cancel`.
    <dialog
      ref={dialog}
      data-slot="dialog-content"
      aria-labelledby={titleId}
      aria-describedby={descriptionId}
      onCancel={cancel}
      onClick={(event) => event.target === dialog.current && isOutside(event) && setOpen(false)}
      className={cn(contentVariants({ side }), className)}
      {...props}
    >
      {children}
      {showCloseButton && (
        <DialogClose asChild>
          <Button variant="ghost" size="icon" aria-label="Close" className="absolute top-3 right-3">
            <X aria-hidden />
          </Button>
        </DialogClose>
      )}
    </dialog>
  );
}

/** A click on the backdrop targets the dialog, with coordinates outside its box. */
function isOutside({ clientX, clientY, currentTarget }: MouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

function DialogHeader({ className, ...props }: ComponentProps<"div">) {
  return <div data-slot="dialog-header" className={cn("grid gap-1 pr-8", className)} {...props} />;
}

function DialogFooter({ className, ...props }: ComponentProps<"div">) {
  return (
    <div data-slot="dialog-footer" className={cn("flex flex-wrap justify-end gap-2", className)} {...props} />
  );
}

function DialogTitle({ className, ...props }: ComponentProps<"h2">) {
  const { titleId } = useDialog();
  return (
    <h2 id={titleId} data-slot="dialog-title" className={cn("text-lg font-semibold", className)} {...props} />
  );
}

function DialogDescription({ className, ...props }: ComponentProps<"p">) {
  const { descriptionId } = useDialog();
  return (
    <p
      id={descriptionId}
      data-slot="dialog-description"
      className={cn("text-muted-foreground", className)}
      {...props}
    />
  );
}

export {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
  DialogTrigger,
};
