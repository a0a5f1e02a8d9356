import { limits } from "@merkle/wire/limits";
import { FieldError } from "@/ui/field";
import { Textarea } from "@/ui/textarea";

export interface CommentFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called on Ctrl+Enter or Command+Enter. */
  readonly onSend: () => void;
  readonly autoFocus?: boolean;
}

/** The text field for a comment. */
export function CommentField({ label, value, onChange, onSend, autoFocus }: CommentFieldProps) {
  const isLong = isTooLong(value);
  return (
    <>
      <Textarea
        autoFocus={autoFocus}
        aria-label={label}
        aria-invalid={isLong || undefined}
        placeholder={`${label}. Markdown.`}
        className="max-h-60"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          onSend();
        }}
      />
      {isLong && <FieldError>Comments can be up to {limits.topicMessageBytesMax / 1024} kB.</FieldError>}
    </>
  );
}

const utf8 = new TextEncoder();

export function isTooLong(text: string): boolean {
  return utf8.encode(text).length > limits.topicMessageBytesMax;
}
