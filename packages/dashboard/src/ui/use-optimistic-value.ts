import { useEffect, useRef, useState } from 'react'
import { unacknowledged } from './unacknowledged.ts'

/** Slightly longer than the pause between two keystrokes. */
export const typingPauseSeconds = 0.3

type Next<T> = T | ((present: T) => T)

/**
 * A value owned elsewhere, usually by the URL, and edited here. Edits show immediately and are passed on when they pause. Their echo is ignored,
 * otherwise a slow page would drop letters typed meanwhile. Changes from elsewhere are applied.
 */
export function useOptimisticValue<T>(value: T, onChange: (value: T) => void, pauseSeconds = 0): [shown: T, change: (next: Next<T>) => void] {
  const [shown, setShown] = useState(value)
  const own = useRef<{ shown: T; sent: readonly string[]; timer?: number }>({ shown: value, sent: [] }).current
  const known = JSON.stringify(value)
  const latest = useRef({ known, value, onChange })
  useEffect(() => {
    latest.current = { known, value, onChange }
  })
  useEffect(() => {
    const sent = unacknowledged(own.sent, known)
    if (sent) {
      own.sent = sent
      return
    }
    own.sent = []
    if (JSON.stringify(own.shown) === known) return
    window.clearTimeout(own.timer)
    own.shown = latest.current.value
    setShown(own.shown)
  }, [known, own])
  useEffect(() => () => window.clearTimeout(own.timer), [own])

  const send = () => {
    const spelled = JSON.stringify(own.shown)
    if (spelled === (own.sent.at(-1) ?? latest.current.known)) return
    own.sent = [...own.sent, spelled]
    latest.current.onChange(own.shown)
  }
  const change = (next: Next<T>) => {
    own.shown = typeof next === 'function' ? (next as (present: T) => T)(own.shown) : next
    setShown(own.shown)
    window.clearTimeout(own.timer)
    if (pauseSeconds === 0) send()
    else own.timer = window.setTimeout(send, pauseSeconds * 1000)
  }
  return [shown, change]
}
