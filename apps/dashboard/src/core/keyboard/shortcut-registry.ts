import { isField, isModifier, isPressed, type LetterKeys, parseKeys } from "./keys";

export interface Shortcut {
  /** The shortcut as people write it: `j`, `?`, `Escape`, `mod+k` (Ctrl, or Cmd on a Mac), or a sequence such as `g s`. */
  readonly keys: string;
  /** The shortcut's effect, for the help. */
  readonly label: string;
  /** The shortcut's group in the help. */
  readonly group: string;
  /** Whether the shortcut also works while a text field has the focus. Shortcuts with Ctrl or Cmd always do. */
  readonly inFields?: boolean;
  /** Returns false to pass the key on to the previously registered handler, or to the browser. */
  readonly run: (event: KeyboardEvent) => unknown;
}

export interface PaletteAction {
  readonly id: string;
  readonly label: string;
  readonly keywords?: readonly string[];
  readonly run: () => void;
}

/** Maximum pause between the two keys of a sequence. */
const sequenceMsMax = 1_500;

/**
 * The shortcuts and palette actions that the mounted components currently offer. If two use the same key, the one registered
 * later wins.
 */
export class ShortcutRegistry {
  readonly #getLetterKeys: () => LetterKeys;
  readonly #listeners = new Set<() => void>();
  #shortcuts: readonly Shortcut[] = [];
  #actions: readonly PaletteAction[] = [];
  #first: { readonly key: string; readonly at: number } | undefined;

  constructor(getLetterKeys: () => LetterKeys) {
    this.#getLetterKeys = getLetterKeys;
  }

  get shortcuts(): readonly Shortcut[] {
    return this.#shortcuts;
  }

  get actions(): readonly PaletteAction[] {
    return this.#actions;
  }

  addShortcut(shortcut: Shortcut): () => void {
    this.#shortcuts = [...this.#shortcuts, shortcut];
    this.#notify();
    return () => {
      this.#shortcuts = this.#shortcuts.filter((other) => other !== shortcut);
      this.#notify();
    };
  }

  addAction(action: PaletteAction): () => void {
    this.#actions = [...this.#actions, action];
    this.#notify();
    return () => {
      this.#actions = this.#actions.filter((other) => other !== action);
      this.#notify();
    };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Runs the key's handler and prevents the browser's default action. */
  handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return;
    const first = this.#takeFirst(event.timeStamp);
    // Behind a modal dialog, single-key shortcuts are off.
    const isTypingContext = isField(event.target) || document.querySelector("dialog:modal") !== null;
    const candidates = [...this.#shortcuts]
      .reverse()
      .filter((shortcut) => canApply(shortcut, isTypingContext));
    const pressed = candidates.filter(({ keys }) => {
      const [begin, end = begin] = parseKeys(keys);
      return end && isPressed(end, event, this.#getLetterKeys()) && (end === begin || begin?.key === first);
    });
    // The second key of a sequence does not trigger its own shortcut: `g m` is not `m`.
    for (const shortcut of pressed.sort((a, b) => parseKeys(b.keys).length - parseKeys(a.keys).length)) {
      if (shortcut.run(event) === false) continue;
      event.preventDefault();
      return;
    }
    const startedSequence = candidates
      .map(({ keys }) => parseKeys(keys))
      .find((steps) => steps.length > 1 && steps[0] && isPressed(steps[0], event, this.#getLetterKeys()));
    if (startedSequence?.[0]) this.#first = { key: startedSequence[0].key, at: event.timeStamp };
  }

  /** Returns the first key of a sequence, if that key was pressed a moment ago. */
  #takeFirst(at: number): string | undefined {
    const first = this.#first;
    this.#first = undefined;
    return first && at - first.at < sequenceMsMax ? first.key : undefined;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function canApply({ keys, inFields = false }: Shortcut, isTypingContext: boolean): boolean {
  return !isTypingContext || inFields || /(?:^|\s)mod\+/.test(keys);
}
