/**
 * One read for many callers. Those who call while a read runs share the next one, which begins after that: so each caller sees everything that was committed
 * before its call, and however many there are, at most one read runs at a time.
 */
export function sharedRead<R>(read: () => Promise<R>): () => Promise<R> {
  let running: Promise<unknown> | undefined
  let next: Promise<R> | undefined
  const start = (): Promise<R> => {
    next = undefined
    const result = read()
    const ended = result.then(
      () => {},
      () => {},
    )
    running = ended
    void ended.then(() => {
      if (running === ended) running = undefined
    })
    return result
  }
  return () => {
    if (!running) return start()
    next ??= running.then(start)
    return next
  }
}
