import { useEffect, useRef, useState } from 'react'
import { unacknowledged } from './unacknowledged.ts'

/** As long as a pause between two letters, and a bit. */
export const typingPauseSeconds = 0.3

type Next<T> = T | ((present: T) => T)

/**
 * A value that is known elsewhere, as a rule by the address, and changed here. What a person does is shown at once and handed on when it
 * pauses; what comes back of it changes nothing here, or a slow page would take away the letters typed meanwhile. What comes from elsewhere does.
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
