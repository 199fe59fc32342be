/** A signal that ends with another one or after a time, and costs a fraction of `AbortSignal.any` and `timeout`. */
export interface Deadline {
  readonly signal: AbortSignal
  /** To be called when the work is done, or timer and listener would outlive it. */
  readonly end: () => void
}

/** The reason is a TimeoutError after `timeoutMs`, else that of `outer`. */
export function startDeadline(outer: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController()
  const cancel = () => {
    controller.abort(outer.reason)
  }
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The deadline of the call has passed.', 'TimeoutError'))
  }, timeoutMs)
  if (outer.aborted) cancel()
  else outer.addEventListener('abort', cancel)
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      outer.removeEventListener('abort', cancel)
    },
  }
}
