import { useSyncExternalStore } from 'react'

/** The one place that asks what time it is. Milliseconds since 1970. */
export const now = (): number => Date.now()

interface Ticker {
  readonly listeners: Set<() => void>
  timer: number | undefined
  at: number
}

const tickers = new Map<number, Ticker>()

/** One timer for everybody who looks at the clock equally often, so that all of them move together. */
function getTicker(everySeconds: number): Ticker {
  const known = tickers.get(everySeconds)
  if (known) return known
  const made: Ticker = { listeners: new Set(), timer: undefined, at: now() }
  tickers.set(everySeconds, made)
  return made
}

/** The time, looked at again every so many seconds while the component is there. */
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
