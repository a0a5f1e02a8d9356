/**
 * A value that is known already, or a promise of it. What is in memory goes on at once: a promise for each step of a post
 * would cost more than the steps.
 */
export type Awaitable<Value> = Value | Promise<Value>;

/**
 * Goes on with a value, now when it is known, else when it is. What `next` throws now is thrown now.
 *
 * @param more - what `next` needs beside the value, so that it need not be made a function anew for each call
 */
export function whenKnown<Value, Next, More extends readonly unknown[]>(
  value: Awaitable<Value>,
  next: (value: Value, ...more: More) => Awaitable<Next>,
  ...more: More
): Awaitable<Next> {
  return value instanceof Promise ? onceKnown(value, next, more) : next(value, ...more);
}

/** A function of its own: one that makes a closure anywhere keeps its arguments on the heap at every call. */
function onceKnown<Value, Next, More extends readonly unknown[]>(
  value: Promise<Value>,
  next: (value: Value, ...more: More) => Awaitable<Next>,
  more: More,
): Promise<Next> {
  return value.then((known) => next(known, ...more));
}
