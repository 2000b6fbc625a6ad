import { useEffect, useState } from 'react'

const pauseSeconds = 0.3

/** A text as it was when the typing last paused: what to ask the server about. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), pauseSeconds * 1000)
    return () => window.clearTimeout(timer)
  }, [text])
  return settled
}

/** What stands in a field, and as it was when the typing last paused. */
export function useTyped(start: string): [text: string, settled: string, set: (text: string) => void] {
  const [text, setText] = useState(start)
  return [text, useSettled(text), setText]
}
