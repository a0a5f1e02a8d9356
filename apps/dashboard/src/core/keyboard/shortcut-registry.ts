import { isField, isModifier, isPressed, type LetterKeys, parseKeys } from "./keys";

export interface Shortcut {
  /** As people write it: `j`, `?`, `Escape`, `mod+k` (Ctrl, or Cmd on a Mac), or one after another: `g s`. */
  readonly keys: string;
  /** The shortcut's effect, for the list of keys. */
  readonly label: string;
  /** Its group in the list of keys. */
  readonly group: string;
  /** Also while something is written in a field. Keys with Ctrl or Cmd always are. */
  readonly inFields?: boolean;
  /** Returns false to leave the key to the handler registered before, or to the browser. */
  readonly run: (event: KeyboardEvent) => unknown;
}

export interface PaletteAction {
  readonly id: string;
  readonly label: string;
  readonly keywords?: readonly string[];
  readonly run: () => void;
}

/** A pause after which the second key of two does not belong to the first any more. */
const sequenceMsMax = 1_500;

/** The keys and actions that the parts of the page offer at the moment. Of two that want the same key, the later has it. */
export class ShortcutRegistry {
  readonly #letterKeys: () => LetterKeys;
  readonly #listeners = new Set<() => void>();
  #shortcuts: readonly Shortcut[] = [];
  #actions: readonly PaletteAction[] = [];
  #first: { readonly key: string; readonly at: number } | undefined;

  constructor(letterKeys: () => LetterKeys) {
    this.#letterKeys = letterKeys;
  }

  get shortcuts(): readonly Shortcut[] {
    return this.#shortcuts;
  }

  get actions(): readonly PaletteAction[] {
    return this.#actions;
  }

  addShortcut(shortcut: Shortcut): () => void {
    this.#shortcuts = [...this.#shortcuts, shortcut];
    this.#tell();
    return () => {
      this.#shortcuts = this.#shortcuts.filter((other) => other !== shortcut);
      this.#tell();
    };
  }

  addAction(action: PaletteAction): () => void {
    this.#actions = [...this.#actions, action];
    this.#tell();
    return () => {
      this.#actions = this.#actions.filter((other) => other !== action);
      this.#tell();
    };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Runs the key's handler, and prevents the browser's default action. */
  handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return;
    const first = this.#takeFirst(event.timeStamp);
    // Behind a dialog the page does not listen.
    const keepsLetters = isField(event.target) || document.querySelector("dialog:modal") !== null;
    const candidates = [...this.#shortcuts].reverse().filter((shortcut) => applies(shortcut, keepsLetters));
    const pressed = candidates.filter(({ keys }) => {
      const [begin, end = begin] = parseKeys(keys);
      return end && isPressed(end, event, this.#letterKeys()) && (end === begin || begin?.key === first);
    });
    // The second key of a sequence is not a shortcut of its own: `g m` is not `m`.
    for (const shortcut of pressed.sort((a, b) => parseKeys(b.keys).length - parseKeys(a.keys).length)) {
      if (shortcut.run(event) === false) continue;
      event.preventDefault();
      return;
    }
    const begins = candidates
      .map(({ keys }) => parseKeys(keys))
      .find((steps) => steps.length > 1 && steps[0] && isPressed(steps[0], event, this.#letterKeys()));
    if (begins?.[0]) this.#first = { key: begins[0].key, at: event.timeStamp };
  }

  /** The first key of two, if it was pressed just before. */
  #takeFirst(at: number): string | undefined {
    const first = this.#first;
    this.#first = undefined;
    return first && at - first.at < sequenceMsMax ? first.key : undefined;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function applies({ keys, inFields = false }: Shortcut, keepsLetters: boolean): boolean {
  return !keepsLetters || inFields || /(?:^|\s)mod\+/.test(keys);
}
