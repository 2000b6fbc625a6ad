import { useSyncExternalStore } from 'react'

/** Current time in milliseconds since 1970. All code reads the clock here. */
export const now = (): number => Date.now()

interface Ticker {
  readonly listeners: Set<() => void>
  timer: number | undefined
  at: number
}

const tickers = new Map<number, Ticker>()

/** Components with the same interval share one timer, so that they update together. */
function getTicker(everySeconds: number): Ticker {
  const known = tickers.get(everySeconds)
  if (known) return known
  const made: Ticker = { listeners: new Set(), timer: undefined, at: now() }
  tickers.set(everySeconds, made)
  return made
}

/** Current time, updated at an interval while the component is mounted. */
export function useNow(everySeconds = 10): number {
  const ticker = getTicker(everySeconds)
  return useSyncExternalStore(
    (listener) => {
      ticker.listeners.add(listener)
      ticker.timer ??= window.setInterval(() => {
        ticker.at = now()
        for (const each of ticker.listeners) each()
      }, everySeconds * 1000)
      return () => {
        ticker.listeners.delete(listener)
        if (ticker.listeners.size > 0) return
        window.clearInterval(ticker.timer)
        ticker.timer = undefined
      }
    },
    () => {
      if (ticker.timer === undefined && now() - ticker.at > everySeconds * 1000) ticker.at = now()
      return ticker.at
    },
  )
}
