import { useEffect, useRef, useState } from 'react'

/** Slightly longer than the pause between two keystrokes. */
export const typingPauseSeconds = 0.3

type Next<T> = T | ((present: T) => T)

/**
 * A value owned elsewhere, usually by the URL, and edited here. Edits show immediately and are passed on when they pause. Their echo is ignored,
 * otherwise a slow page would drop letters typed meanwhile. Changes from elsewhere are applied.
 */
export function useOptimisticValue<T>(value: T, onChange: (value: T) => void, pauseSeconds = 0): [shown: T, change: (next: Next<T>) => void] {
  const [shown, setShown] = useState(value)
  const state = useRef<{ shown: T; sent: readonly string[]; timer?: number }>({ shown: value, sent: [] }).current
  const serialized = JSON.stringify(value)
  const latest = useRef({ serialized, value, onChange })
  useEffect(() => {
    latest.current = { serialized, value, onChange }
  })
  useEffect(() => {
    const sent = unacknowledged(state.sent, serialized)
    if (sent) {
      state.sent = sent
      return
    }
    state.sent = []
    if (JSON.stringify(state.shown) === serialized) return
    window.clearTimeout(state.timer)
    state.shown = latest.current.value
    setShown(state.shown)
  }, [serialized, state])
  useEffect(() => () => window.clearTimeout(state.timer), [state])

  const send = () => {
    const shownText = JSON.stringify(state.shown)
    if (shownText === (state.sent.at(-1) ?? latest.current.serialized)) return
    state.sent = [...state.sent, shownText]
    latest.current.onChange(state.shown)
  }
  const change = (next: Next<T>) => {
    state.shown = typeof next === 'function' ? (next as (present: T) => T)(state.shown) : next
    setShown(state.shown)
    window.clearTimeout(state.timer)
    if (pauseSeconds === 0) send()
    else state.timer = window.setTimeout(send, pauseSeconds * 1000)
  }
  return [shown, change]
}

/**
 * A changed value goes into the URL and comes back a moment later, when it may have changed again. `sent` holds the values that have not come back,
 * oldest first. Returns those still pending after `value` arrived, or undefined if `value` was changed elsewhere.
 */
export function unacknowledged(sent: readonly string[], value: string): readonly string[] | undefined {
  // The first match, not the last: with two equal values, the second may still be pending, and one between them too.
  const at = sent.indexOf(value)
  return at < 0 ? undefined : sent.slice(at + 1)
}
