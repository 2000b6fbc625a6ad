/** Measures the longest turn of the event loop. */
export interface EventLoopProbe {
  /** The longest turn so far, in milliseconds. */
  readonly longestTurnMs: number
  stop(): number
}

/**
 * Counts CPU time of this thread between two turns. `monitorEventLoopDelay` gives the same on an idle machine, but on a busy one it also counts the time
 * that other processes take.
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
