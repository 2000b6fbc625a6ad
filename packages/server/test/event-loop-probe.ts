/** Measures how long one turn of the event loop works at most. */
export interface EventLoopProbe {
  /** The longest turn so far, in milliseconds. */
  readonly longestTurnMs: number
  stop(): number
}

/**
 * Counts CPU time of this thread between two turns. It is what `monitorEventLoopDelay` shows on an idle machine; on a busy one that also counts the time
 * that other processes have taken away, which says nothing of the server.
 */
export function startEventLoopProbe(): EventLoopProbe {
  let longest = 0
  let before = process.threadCpuUsage()
  let stopped = false
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (!stopped) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    get longestTurnMs() {
      return longest
    },
    stop() {
      stopped = true
      return longest
    },
  }
}
