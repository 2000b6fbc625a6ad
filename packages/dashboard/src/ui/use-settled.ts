import { useEffect, useState } from 'react'
import { typingSeconds } from './use-own-value.ts'

/** A text as it was when the typing last paused: what to ask the server about. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), typingSeconds * 1000)
    return () => window.clearTimeout(timer)
  }, [text])
  return settled
}
